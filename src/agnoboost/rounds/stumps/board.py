"""What all compiled full-batch rounds share: the data, the exact sums for the present margins, and the log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ...basics.typing import Floats, Ints
from ...core.tape import Shrink, Step
from ...kernels.binning import WIDTH
from ...kernels.cells import label_edges
from ...kernels.compiled import incremental as kernels
from ...kernels.compiled.histograms import add_rows
from ...kernels.dispatch import summed_in_parts
from ..lasting import Rounds
from .encoding import Encoding
from .problem import HuberSlope, Problem

_SPLIT = 2_000_000  # cells from which a pass over all rows is worth several threads


class Board:
    """The state between rounds. ``cells.sums`` is exact for ``rows.margins`` whenever a kind of round hands over."""

    def __init__(self, problem: Problem, encoding: Encoding, threads: int):
        self.problem = problem
        self.layout = encoding.layout
        self.stumps = encoding.stumps
        codes = encoding.codes(problem.tables, threads, compiled=True)
        self.threads = threads if codes.size >= _SPLIT else 1
        labels, label_unit = problem.whole_labels()
        weights, weight_unit = problem.psi_weights()
        self.rows = kernels.Rows(
            codes=codes,
            start=self.layout.start,
            categorical=self.layout.categorical,
            weight=_compact(weights),
            label=_compact(labels),
            margins=np.zeros(len(codes), dtype=np.int32),
        )
        label_sums = self.sums_of(self.rows.label)
        self.cells = kernels.Cells(
            sums=np.zeros(self.layout.size, dtype=np.int64),
            label=label_edges(label_sums, self.layout.start, self.layout.categorical, problem.scale * label_unit),
            label_sums=label_sums,
            table=np.zeros(WIDTH, dtype=np.int8),
        )
        slope = problem.slope
        self.rule = kernels.Rule(
            step=problem.step,
            shrink=problem.shrink,
            threshold=float(problem.rule.threshold),
            slope=slope.slope if isinstance(slope, HuberSlope) else 0,
            top=slope.top,
            reach=slope.reach if isinstance(slope, HuberSlope) else 0,
            unit=problem.unit,
            factor=problem.scale * weight_unit / slope.top,
            label_total=problem.scale * label_unit * float(labels.sum()),
            min_gain=float(problem.learner.min_gain),
            weight_unit=weight_unit,
            label_unit=label_unit,
        )
        self.state = kernels.State(
            active=np.zeros((len(codes) + 63) // 64, dtype=np.uint64),
            numbers=np.zeros(kernels.NUMBERS, dtype=np.int64),
            potential=np.zeros(1),
        )
        self.log = kernels.Log(
            stump=np.zeros(problem.rounds, dtype=np.int64),
            sign=np.zeros(problem.rounds, dtype=np.int64),
            edge=np.zeros(problem.rounds),
            potential=np.zeros(problem.rounds),
        )

    @property
    def round(self) -> int:
        """How many rounds are done."""
        return int(self.state.numbers[kernels.ROUND])

    def sums_of(self, values: npt.NDArray[np.integer]) -> Ints:
        """The sum of ``values`` over the rows of each cell."""
        sums = np.zeros(self.layout.size, dtype=np.int64)
        self.add_up(add_rows, sums, values)
        return sums

    def add_up(self, kernel: Callable[..., Any], into: npt.NDArray[Any], *arguments: Any) -> None:
        """Let a kernel of :mod:`agnoboost.kernels.compiled.histograms` add up all rows, on all threads."""
        rows = self.rows
        summed_in_parts(kernel, len(rows.codes), self.threads, into, rows.codes, rows.start, *arguments)

    def restore(self, rounds: int, margins: Ints, potential: float) -> None:
        """Go on from these margins."""
        self.rows.margins[:] = margins
        self.cells.sums[:] = self.sums_of(self.problem.slope.weighted(self.rows.weight, margins))
        self.state.numbers[kernels.ROUND] = rounds
        self.state.potential[0] = potential

    def outcome(self, start: int) -> Rounds:
        """What the log has from round ``start`` on."""
        part = slice(start, self.round)
        step, shrink = self.problem.step, Shrink(self.problem.shrink)
        steps: list[Step] = [
            shrink if number == kernels.SHRINK else self.stumps.step(number, sign, step)
            for number, sign in zip(self.log.stump[part].tolist(), self.log.sign[part].tolist(), strict=True)
        ]
        edges: Floats = self.log.edge[part].copy()
        return Rounds(steps, edges, self.log.potential[part].copy())


def _compact(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """One byte each where that is enough."""
    small = values.dtype.kind == "i" and np.abs(values).max(initial=0) <= 1
    return values.astype(np.int8) if small else values
