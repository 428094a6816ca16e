"""What all compiled full-batch rounds share: exact sums for the present margins, the keeper of rows, and the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ...basics.typing import Floats
from ...core.tape import Shrink, Step
from ...kernels.binning import WIDTH
from ...kernels.cells import Layout, label_edges
from ...kernels.compiled import conducting as kernels
from ..lasting import Rounds
from .counting import HuberPsi
from .encoding import Stumps
from .keepers.base import Keeper, Moves
from .problem import Problem


class Board:
    """The state between rounds. ``cells.sums`` is exact; the keeper's margins are those of today, or owe some steps.

    ``asked`` counts the questions to the keeper: each is a pass over the rows, and a moment at which all parts of a
    keeper wait for each other.
    """

    def __init__(self, problem: Problem, layout: Layout, stumps: Stumps, keeper: Keeper):
        self.problem, self.layout, self.stumps, self.keeper = problem, layout, stumps, keeper
        self.asked = Counter(totals=1, restart=1)
        counting = keeper.counting
        self.totals = keeper.totals()
        labels = self.totals.labels
        unit = problem.scale * counting.label_unit
        self.cells = kernels.Cells(
            start=layout.start,
            categorical=layout.categorical,
            sums=np.zeros(layout.size, dtype=np.int64),
            label=label_edges(labels, layout.start, layout.categorical, unit),
            label_sums=labels,
            table=np.zeros(WIDTH, dtype=np.int8),
        )
        psi = counting.psi
        self.rule = kernels.Rule(
            step=counting.step,
            shrink=counting.shrink,
            threshold=float(problem.rule.threshold),
            slope=psi.slope if isinstance(psi, HuberPsi) else 0,
            top=psi.top,
            reach=psi.reach if isinstance(psi, HuberPsi) else 0,
            unit=counting.unit,
            factor=problem.scale * counting.weight_unit / psi.top,
            label_total=unit * float(labels[: layout.start[1]].sum()),
            min_gain=float(problem.learner.min_gain),
            weight_unit=counting.weight_unit,
            label_unit=counting.label_unit,
        )
        self.state = kernels.State(numbers=np.zeros(kernels.NUMBERS, dtype=np.int64), potential=np.zeros(1))
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

    def begin(self, rounds: int, segments: Sequence[Moves], potential: float) -> None:
        """Start with the margins that these moves lead to: see :meth:`Keeper.restart`."""
        self.cells.sums[:] = self.keeper.restart(segments)
        self.state.numbers[kernels.ROUND] = rounds
        self.state.potential[0] = potential

    def take(self, moves: Moves, step: Moves | None) -> None:
        """Take a step that needs all rows; ``moves`` are those before it, which the sums have taken already."""
        self.asked["take"] += 1
        taken = self.keeper.take(moves, step)
        self.cells.sums[:] += taken.change
        self.state.potential[0] = taken.potential * self.keeper.counting.grain
        self.state.numbers[kernels.ROUND] += 1

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
