"""The samplers of :mod:`agnoboost.samplers`, as tables: the signed mass of a round's batch at every point.

The formulas are explained there; here a sample is a pair of counts for the labels +1 and -1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..._typing import Floats, Rng
from ...batch import on_grid
from ...potentials import Huber, Potential, Separable
from .samples import Problem


class TableSampler(Protocol):
    """Makes the batch of a round from the margins."""

    def init(self, problem: Problem, rng: Rng) -> Any:
        """The state before the first round."""

    def draw(self, problem: Problem, state: Any, margin: Floats, rng: Rng) -> tuple[Floats, Any]:
        """mass * target at every point, and the next state."""


def _labeled_gradient(potential: Potential, margin: Floats, sample: tuple[Floats, Floats]) -> Floats:
    """Sum of phi'(H(x), y) over the rows of a labeled sample, at every point."""
    plus, minus = sample
    one = np.ones(1)
    return np.asarray(plus * potential.grad(margin, one) + minus * potential.grad(margin, -one))


@dataclass(frozen=True)
class Fresh:
    """``rows`` new labeled rows each round; or the same ones in every round, if ``fixed``."""

    potential: Potential
    rows: int
    fixed: bool = False

    def init(self, problem: Problem, rng: Rng) -> Any:
        return problem.labeled(self.rows, rng) if self.fixed else None

    def draw(self, problem: Problem, state: Any, margin: Floats, rng: Rng) -> tuple[Floats, Any]:
        sample = state if self.fixed else problem.labeled(self.rows, rng)
        gradient = _labeled_gradient(self.potential, margin, sample)
        return on_grid(-gradient / (self.rows * self.potential.bound(labeled=True))), state


@dataclass
class ReuseState:
    """The decaying pool's signed mass, and the margins of the last round."""

    signed: Floats
    margin: Floats


@dataclass(frozen=True)
class Reuse:
    """``rows`` new rows each round, and the old ones again with decaying mass; labeled or not."""

    potential: Potential
    rows: int
    max_step: float
    decay: float
    labeled: bool

    @property
    def reach(self) -> float:
        return self.potential.smoothness * self.max_step + self.decay * self.potential.bound(self.labeled)

    @property
    def scale(self) -> float:
        return self.decay / self.reach

    def init(self, problem: Problem, rng: Rng) -> ReuseState | None:
        return None

    def draw(
        self, problem: Problem, state: ReuseState | None, margin: Floats, rng: Rng
    ) -> tuple[Floats, ReuseState | None]:
        gradient = self._gradients(problem, rng)
        if state is None:
            signed = -self.scale * gradient(margin)
        else:
            change = gradient(margin) - (1.0 - self.decay) * gradient(state.margin)
            signed = (1.0 - self.decay) * state.signed - self.decay / self.reach * change
        return on_grid(signed), ReuseState(signed, margin.copy())

    def _gradients(self, problem: Problem, rng: Rng) -> Any:
        """The gradient's mean over a new sample, as a function of the margins."""
        if self.labeled:
            sample = problem.labeled(self.rows, rng)
            return lambda margin: _labeled_gradient(self.potential, margin, sample) / self.rows
        counts, none = problem.unlabeled(self.rows, rng), np.zeros(1)
        return lambda margin: counts * self.potential.grad(margin, none) / self.rows


@dataclass(frozen=True)
class FreshUnlabeled:
    """``rows`` new unlabeled rows each round."""

    rows: int
    potential: Separable = Huber()  # noqa: RUF009 - a value
    scale = 1.0

    def init(self, problem: Problem, rng: Rng) -> None:
        return None

    def draw(self, problem: Problem, state: None, margin: Floats, rng: Rng) -> tuple[Floats, None]:
        return -problem.unlabeled(self.rows, rng) * self.potential.psi_grad(margin) / self.rows, None


@dataclass(frozen=True)
class WithLabels:
    """``rows`` labeled rows, drawn once, mixed with a sampler of unlabeled ones: Algorithms 1, 2 and 3."""

    rows: int
    unlabeled: FreshUnlabeled | Reuse
    shift: float = 1.0

    def init(self, problem: Problem, rng: Rng) -> tuple[Floats, Any]:
        plus, minus = problem.labeled(self.rows, rng)
        return (plus - minus) / self.rows, self.unlabeled.init(problem, rng)

    def draw(self, problem: Problem, state: tuple[Floats, Any], margin: Floats, rng: Rng) -> tuple[Floats, Any]:
        labels, inner_state = state
        share = 1.0 / (1.0 + self.shift / self.unlabeled.scale)
        inner, inner_state = self.unlabeled.draw(problem, inner_state, margin, rng)
        return on_grid(share * labels) + on_grid((1.0 - share) * inner), (labels, inner_state)
