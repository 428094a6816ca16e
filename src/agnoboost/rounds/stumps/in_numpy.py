"""The engine in numpy: all sums anew in every round. Small problems run here, and the fast path must agree with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...basics.conventions import exceeds, sign
from ...basics.typing import Arrays, Ints, Rng
from ...core.booster import Booster
from ...core.learners.base import WeakLearner
from ...core.tape import Shrink, Step, Tape
from ...kernels.cells import best_stump, cell_sums, label_edges
from ..engine import Settings
from ..lasting import Rounds
from .engine import StumpEngine
from .problem import Problem

AT_ONCE = 16  # rounds before Python's signals are looked at
ROUND, CELL = 1e-4, 3e-9  # seconds of a round, and of a feature of a row in it


class NumpyStumps(StumpEngine):
    """Full-batch rounds in numpy."""

    name = "numpy"

    def __init__(self, booster: Booster, learner: WeakLearner, rounds: int, rng: Rng, settings: Settings):
        super().__init__(booster, learner, rounds, rng, settings)
        problem, layout = self.problem, self.encoding.layout
        self._layout, self._stumps = layout, self.encoding.stumps
        self._codes = self.encoding.codes(problem.tables)
        self._margins: Ints = np.zeros(len(self._codes), dtype=np.int64)
        labels, label_unit = problem.whole_labels()
        self._weights, weight_unit = problem.psi_weights()
        self._real_labels, self._real_weights = problem.label(), problem.weight()
        sums = cell_sums(self._codes, layout.start, labels)
        self._label = label_edges(sums, layout.start, layout.categorical, problem.scale * label_unit)
        self._label_total = problem.scale * label_unit * float(labels.sum())
        self._factor = problem.scale * weight_unit / problem.psi.top

    @classmethod
    def why_not(cls, problem: Problem) -> str | None:
        return why_not_full_batch(problem)

    @classmethod
    def cost(cls, problem: Problem, runs: int) -> float:
        return runs * problem.rounds * (ROUND + CELL * problem.size)

    def restore(self, tape: Tape, facts: dict[str, Any], arrays: Arrays) -> None:
        self.check_steps(tape)
        self._margins = self.margins_of(tape)

    def next(self, most: int) -> Rounds:
        """The next rounds, a few at a time."""
        found = [self._round() for _ in range(min(most, AT_ONCE))]
        steps, edges, potentials = zip(*found, strict=True)
        return Rounds(list(steps), np.array(edges), np.array(potentials))

    def _round(self) -> tuple[Step, float, float]:
        problem, layout = self.problem, self._layout
        slopes = problem.psi.weighted(self._weights, self._margins)
        sums = cell_sums(self._codes, layout.start, slopes)
        best = best_stump(layout, sums, self._label, self._factor, self._label_total, problem.learner.min_gain)
        potential = self._potential()
        if exceeds(best.edge, problem.rule.threshold):
            number = self._stumps.number(best.feature, best.position, best.table)
            values = best.table[self._codes[:, best.feature]].astype(np.int64)
            self._margins = self._margins + problem.step * best.sign * values
            return self._stumps.step(number, best.sign, problem.step), best.edge, potential
        self._margins = self._margins - problem.shrink * sign(self._margins)
        return Shrink(problem.shrink), best.edge, potential

    def _potential(self) -> float:
        """Phi(H) = sum of weight * psi(H) - label * H."""
        margins = np.multiply(self.problem.unit, self._margins, dtype=np.float64)
        psi = np.sum(self._real_weights * self.problem.potential.psi(margins))
        return float(psi - np.sum(self._real_labels * margins))


def why_not_full_batch(problem: Problem) -> str | None:
    """Why a problem cannot be run by looking at all rows."""
    if problem.sample_size is not None:
        return "it draws rows at random, which only engine='sampled' does"
    return problem.why_no_slope()
