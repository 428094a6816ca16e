"""The samplers of :mod:`agnoboost.core.samplers`, as tables: the signed mass of a round's batch at every point.

The formulas are explained there; here a sample is a pair of counts for the labels +1 and -1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from agnoboost.basics.conventions import on_grid
from agnoboost.basics.typing import Floats, Rng
from agnoboost.core.potentials import Huber, Potential, Separable

from .samples import CubeProblem


class TableSampler(Protocol):
    """Makes the batch of a round from the margins."""

    def init(self, problem: CubeProblem, rng: Rng) -> Any:
        """The state before the first round."""

    def draw(self, problem: CubeProblem, state: Any, margin: Floats, rng: Rng) -> tuple[Floats, Any]:
        """mass * target at every point, and the next state."""


def _labeled_gradient(potential: Potential, margin: Floats, sample: tuple[Floats, Floats]) -> Floats:
    """Sum of phi'(H(x), y) over the rows of a labeled sample, at every point."""
    plus, minus = sample
    one = np.ones(1)
    return np.asarray(plus * potential.grad(margin, one) + minus * potential.grad(margin, -one))


@dataclass(frozen=True)
class FreshTables:
    """``rows`` new labeled rows each round, and one more in the first ``extra`` rounds."""

    potential: Potential
    rows: int
    extra: int = 0

    def init(self, problem: CubeProblem, rng: Rng) -> int:
        return 0

    def draw(self, problem: CubeProblem, state: int, margin: Floats, rng: Rng) -> tuple[Floats, int]:
        rows = self.rows + (state < self.extra)
        gradient = _labeled_gradient(self.potential, margin, problem.labeled(rows, rng))
        return on_grid(-gradient / (rows * self.potential.bound(labeled=True))), state + 1


@dataclass(frozen=True)
class FixedTables:
    """The same ``rows`` labeled rows in every round."""

    potential: Potential
    rows: int

    def init(self, problem: CubeProblem, rng: Rng) -> tuple[Floats, Floats]:
        return problem.labeled(self.rows, rng)

    def draw(
        self, problem: CubeProblem, state: tuple[Floats, Floats], margin: Floats, rng: Rng
    ) -> tuple[Floats, tuple[Floats, Floats]]:
        gradient = _labeled_gradient(self.potential, margin, state)
        return on_grid(-gradient / (self.rows * self.potential.bound(labeled=True))), state


@dataclass
class ReuseTablesState:
    """The decaying pool's signed mass, the margins of the last round, and how many rounds there were."""

    signed: Floats
    margin: Floats
    rounds: int


@dataclass(frozen=True)
class ReuseTables:
    """``rows`` new rows each round (one more in the first ``extra`` rounds), and the old ones with decaying mass."""

    potential: Potential
    rows: int
    max_step: float
    decay: float
    labeled: bool
    extra: int = 0

    @property
    def reach(self) -> float:
        return self.potential.smoothness * self.max_step + self.decay * self.potential.bound(self.labeled)

    @property
    def scale(self) -> float:
        return self.decay / self.reach

    def init(self, problem: CubeProblem, rng: Rng) -> ReuseTablesState | None:
        return None

    def draw(
        self, problem: CubeProblem, state: ReuseTablesState | None, margin: Floats, rng: Rng
    ) -> tuple[Floats, ReuseTablesState | None]:
        rounds = 0 if state is None else state.rounds
        gradient = self._gradients(problem, self.rows + (rounds < self.extra), rng)
        if state is None:
            signed = -self.scale * gradient(margin)
        else:
            change = gradient(margin) - (1.0 - self.decay) * gradient(state.margin)
            signed = (1.0 - self.decay) * state.signed - self.decay / self.reach * change
        return on_grid(signed), ReuseTablesState(signed, margin.copy(), rounds + 1)

    def _gradients(self, problem: CubeProblem, rows: int, rng: Rng) -> Any:
        """The gradient's mean over a new sample, as a function of the margins."""
        if self.labeled:
            sample = problem.labeled(rows, rng)
            return lambda margin: _labeled_gradient(self.potential, margin, sample) / rows
        counts, none = problem.unlabeled(rows, rng), np.zeros(1)
        return lambda margin: counts * self.potential.grad(margin, none) / rows


@dataclass(frozen=True)
class UnlabeledTables:
    """``rows`` new unlabeled rows each round."""

    rows: int
    potential: Separable = Huber()  # noqa: RUF009 - a value
    scale = 1.0

    def init(self, problem: CubeProblem, rng: Rng) -> None:
        return None

    def draw(self, problem: CubeProblem, state: None, margin: Floats, rng: Rng) -> tuple[Floats, None]:
        return -problem.unlabeled(self.rows, rng) * self.potential.psi_grad(margin) / self.rows, None


@dataclass(frozen=True)
class MixedTables:
    """``rows`` labeled rows, drawn once, mixed with a sampler of unlabeled ones: Algorithms 1, 2 and 3."""

    rows: int
    unlabeled: UnlabeledTables | ReuseTables
    shift: float = 1.0

    def init(self, problem: CubeProblem, rng: Rng) -> tuple[Floats, Any]:
        plus, minus = problem.labeled(self.rows, rng)
        return (plus - minus) / self.rows, self.unlabeled.init(problem, rng)

    def draw(self, problem: CubeProblem, state: tuple[Floats, Any], margin: Floats, rng: Rng) -> tuple[Floats, Any]:
        labels, inner_state = state
        share = 1.0 / (1.0 + self.shift / self.unlabeled.scale)
        inner, inner_state = self.unlabeled.draw(problem, inner_state, margin, rng)
        return on_grid(share * labels) + on_grid((1.0 - share) * inner), (labels, inner_state)
