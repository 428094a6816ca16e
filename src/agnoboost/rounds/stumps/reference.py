"""The engine in numpy: all sums anew in every round. Small problems run here, and the fast path must agree with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...basics.conventions import exceeds, sign
from ...basics.typing import Floats, Ints
from ...core.tape import Shrink, Step, Tape
from ...kernels.cells import best_stump, cell_sums, label_edges
from .encoding import Encoding
from .problem import Problem


@dataclass(frozen=True)
class Rounds:
    """What came of some rounds: their steps, the edges they rest on, and the potential before each."""

    steps: list[Step]
    edges: Floats
    potentials: Floats


_AT_ONCE = 16


class NumpyFullBatch:
    """Full-batch rounds in numpy."""

    name = "numpy"

    def __init__(self, problem: Problem, encoding: Encoding):
        self._problem = problem
        self._layout = encoding.layout
        self._stumps = encoding.stumps
        self._codes = encoding.codes(problem.tables)
        self._margins: Ints = np.zeros(len(self._codes), dtype=np.int64)
        labels, self._label_unit = problem.whole_labels()
        self._weights, self._weight_unit = problem.psi_weights()
        self._real_labels, self._real_weights = problem.label(), problem.weight()
        sums = cell_sums(self._codes, self._layout.start, labels)
        self._label = label_edges(sums, self._layout.start, self._layout.categorical, problem.scale * self._label_unit)
        self._label_total = problem.scale * self._label_unit * float(labels.sum())
        self._factor = problem.scale * self._weight_unit / problem.slope.top

    @property
    def potential(self) -> float:
        """Nothing is carried along: Phi(H) is worked out in each round."""
        return 0.0

    def restore(self, tape: Tape, potential: float) -> None:
        """Go on after the steps of ``tape``."""
        self._margins = np.concatenate([tape.replay(table) for table in self._problem.tables])

    def advance(self, most: int) -> Rounds:
        """The next rounds, a few at a time."""
        found = [self._round() for _ in range(min(most, _AT_ONCE))]
        steps, edges, potentials = zip(*found, strict=True)
        return Rounds(list(steps), np.array(edges), np.array(potentials))

    def _round(self) -> tuple[Step, float, float]:
        problem, layout = self._problem, self._layout
        slopes = problem.slope.weighted(self._weights, self._margins)
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
        margins = np.multiply(self._problem.unit, self._margins, dtype=np.float64)
        psi = np.sum(self._real_weights * self._problem.potential.psi(margins))
        return float(psi - np.sum(self._real_labels * margins))
