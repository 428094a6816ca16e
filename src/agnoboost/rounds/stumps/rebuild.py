"""Rounds that look at all rows: the Python side of :mod:`agnoboost.kernels.compiled.rebuild`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ...basics.conventions import exceeds
from ...kernels.compiled import rebuild as kernels
from ...kernels.compiled.histograms import add_rows
from ...kernels.compiled.incremental import ROUND, SHRINK, choose
from ...kernels.dispatch import in_parts
from .board import Board
from .problem import HuberSlope, real_margins


class Rebuild:
    """Rounds that work out all sums anew, on all threads."""

    def __init__(self, board: Board):
        self._board = board
        problem = board.problem
        slope = problem.slope
        if isinstance(slope, HuberSlope):
            table: npt.NDArray[Any] = slope.at(np.arange(-problem.furthest, problem.furthest + 1))
            self._slopes, self._slope = kernels.slopes, table
        else:
            self._slopes, self._slope = kernels.rounded_slopes, slope.table
        self._height = problem.potential.psi(real_margins(problem.unit, problem.furthest))
        self._units = np.array([board.rule.weight_unit, board.rule.label_unit, board.rule.unit])
        self._values = np.zeros(len(board.rows.codes), dtype=np.int64)
        self._potentials = np.zeros(-(-len(board.rows.codes) // kernels.BLOCK))

    def advance(self, until: int) -> None:
        """Run rounds up to number ``until``."""
        while self._board.round < until:
            self._round()

    def _round(self) -> None:
        board = self._board
        rows, cells, rule, log = board.rows, board.cells, board.rule, board.log
        feature, position, sign, edge = choose(rows, cells, rule)
        place, count = board.round, len(rows.codes)
        log.edge[place], log.potential[place] = edge, board.state.potential[0]
        if exceeds(edge, rule.threshold):
            log.stump[place], log.sign[place] = board.stumps.number(feature, position, cells.table), sign
            step = (rows.codes, rows.margins, feature, cells.table, sign * rule.step)
            in_parts(kernels.take_step, count, board.threads, *step)
        else:
            log.stump[place], log.sign[place] = SHRINK, 0
            in_parts(kernels.shrink, count, board.threads, rows.margins, rule.shrink)
        self._refresh()
        board.state.numbers[ROUND] += 1

    def _refresh(self) -> None:
        """Sums and potential for the present margins."""
        board = self._board
        rows = board.rows
        tables = (self._slope, self._height, self._units, self._values, self._potentials)
        blocks = len(self._potentials)
        in_parts(self._slopes, blocks, board.threads, rows.margins, rows.weight, rows.label, *tables)
        board.state.potential[0] = np.sum(self._potentials)
        board.cells.sums[:] = 0
        board.add_up(add_rows, board.cells.sums, self._values)
