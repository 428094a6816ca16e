"""Rounds that look at all rows: for potentials whose psi' is not piecewise linear, and for wild rounds."""

from __future__ import annotations

from ...basics.conventions import exceeds
from ...kernels.compiled.conducting import SHRINK, choose
from .board import Board
from .keepers.base import Moves


class Rebuild:
    """Rounds that ask the keeper what each step has changed."""

    def __init__(self, board: Board):
        self._board = board

    def advance(self, until: int) -> None:
        """Run rounds up to number ``until``."""
        while self._board.round < until:
            self._round()

    def _round(self) -> None:
        board = self._board
        cells, log, place = board.cells, board.log, board.round
        feature, position, sign, edge = choose(cells, board.rule)
        log.edge[place], log.potential[place] = edge, board.state.potential[0]
        if exceeds(edge, board.rule.threshold):
            log.stump[place], log.sign[place] = board.stumps.number(feature, position, cells.table), sign
            step: Moves | None = Moves.one(feature, sign * board.rule.step * cells.table.astype(int))
        else:
            log.stump[place], log.sign[place] = SHRINK, 0
            step = None
        board.take(Moves.none(), step)
