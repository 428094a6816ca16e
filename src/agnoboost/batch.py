"""A round of boosting as data: what the weak learner sees.

A :class:`Batch` is a distribution over rows together with the mean label of each row. The paper's resampling
distributions are batches; *fractional* relabeling hands a batch to the weak learner as it is, *Bernoulli*
relabeling draws m labeled rows from it, as in the literal pseudo-code. Both have the same expectation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import factorial
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ._checks import check_between, check_count
from ._memo import LastArray
from ._typing import Floats, Ints, Matrix, Rng

# Signed masses are kept on this dyadic grid. Their sums over any +-1 hypothesis are then exact in float64 (all partial
# sums are integers below 2**53 on the grid), so that neither the order of summation nor the number of threads can
# change an edge or break a tie.
GRID = 2.0**50

_SLACK = 1e-9


def on_grid(values: Floats) -> Floats:
    """Values rounded to the grid."""
    return np.asarray(np.rint(values * GRID) / GRID)


@dataclass(frozen=True)
class Batch:
    """Rows with ``target`` = E[label | x] in [-1, 1] and ``mass`` >= 0 that sums to 1."""

    X: Matrix
    target: Floats
    mass: Floats

    def __post_init__(self) -> None:
        rows = len(self.X)
        if self.target.shape != (rows,) or self.mass.shape != (rows,):
            raise ValueError(
                f"target and mass must have one value for each of the {rows} rows. "
                f"Got shapes {self.target.shape} and {self.mass.shape}."
            )
        if not (np.abs(self.target) <= 1.0 + _SLACK).all():
            raise ValueError(
                f"target must be a mean label in [-1, 1]. Got values up to {np.abs(self.target).max():g}. "
                "A sampler must divide the gradient by its bound."
            )
        if not ((self.mass >= 0.0).all() and abs(self.mass.sum() - 1.0) <= _SLACK):
            raise ValueError(
                f"mass must be nonnegative and sum to 1. Got sum {self.mass.sum():.12g}. Normalise it first."
            )

    def __len__(self) -> int:
        return len(self.X)

    @cached_property
    def signed(self) -> Floats:
        """mass * target, rounded to multiples of 2**-50."""
        return on_grid(self.mass * self.target)

    def corr(self, predictions: Floats | Ints) -> float:
        """The correlation E[label * prediction]."""
        return float(np.sum(self.signed * predictions))


def mix(first: Batch, second: Batch, weight: float, X: Matrix | None = None) -> Batch:
    """The batch that is ``first`` with probability ``weight`` and ``second`` otherwise.

    ``X`` may hold the rows of both, stacked, where the caller has them already.
    """
    check_between(weight, 0.0, 1.0, "weight", open_low=False)
    return Batch(
        np.concatenate([first.X, second.X]) if X is None else X,
        np.concatenate([first.target, second.target]),
        np.concatenate([weight * first.mass, (1.0 - weight) * second.mass]),
    )


class Realize(Protocol):
    """How a batch reaches the weak learner."""

    hard_labels: bool  # whether every target is -1 or +1 and all rows weigh the same

    def __call__(self, batch: Batch, rng: Rng) -> Batch: ...


@dataclass(frozen=True)
class Fractional:
    """Keep the mean labels: no label noise. ``m`` rows drawn by mass, or all rows if it is None."""

    m: int | None = None
    hard_labels = False

    def __call__(self, batch: Batch, rng: Rng) -> Batch:
        if self.m is None:
            return batch
        rows = rng.choice(len(batch), size=self.m, p=batch.mass)
        return Batch(batch.X[rows], batch.target[rows], np.full(self.m, 1.0 / self.m))


@dataclass(frozen=True)
class Bernoulli:
    """Draw ``m`` rows by mass, and for each a label that is +1 with probability (1 + target)/2."""

    m: int
    hard_labels = True

    def __call__(self, batch: Batch, rng: Rng) -> Batch:
        rows = rng.choice(len(batch), size=self.m, p=batch.mass)
        label = np.where(2.0 * rng.random(self.m) - 1.0 < batch.target[rows], 1.0, -1.0)
        return Batch(batch.X[rows], label, np.full(self.m, 1.0 / self.m))


@dataclass(frozen=True)
class Bootstrap:
    """Give every row a random multiplicity (Poisson with mean 1) in each round, as bagging does.

    A row's luck depends on its content and on the round, not on its place in the table: the order of the rows does
    not matter, and a row of weight 2 is the same as two rows, as the theory of weighted samples wants it.
    """

    hard_labels = False
    _keys: LastArray[npt.NDArray[np.uint64]] = field(default_factory=LastArray, repr=False, compare=False)

    def __call__(self, batch: Batch, rng: Rng) -> Batch:
        round_key = np.uint64(rng.integers(2**63))
        keys = self._keys.get(lambda: _content_keys(batch.X), batch.X)
        uniform = (_scramble(keys ^ round_key) >> np.uint64(11)) * 2.0**-53
        mass = batch.mass * np.searchsorted(_POISSON, uniform)
        total = mass.sum()
        return batch if total == 0 else Batch(batch.X, batch.target, mass / total)


# Cumulative probabilities of a Poisson variable with mean 1.
_POISSON = np.cumsum([np.exp(-1.0) / factorial(k) for k in range(12)])


def _scramble(bits: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """A fixed mixing of 64 bits in which every output bit depends on every input bit (splitmix64's finaliser)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def _content_keys(X: Matrix) -> npt.NDArray[np.uint64]:
    """One number for each row, from its values."""
    keys = np.zeros(len(X), dtype=np.uint64)
    for column in X.T:
        values = np.where(np.isnan(column), np.nan, column + 0.0).astype(np.float64)  # one NaN, one zero
        keys = _scramble(keys * np.uint64(0x9E3779B97F4A7C15) + values.view(np.uint64))
    return keys


def fractional(m: int | None = None) -> Fractional:
    """Fractional relabeling (the default): all rows of the batch, or ``m`` of them drawn by mass.

    The paper's experiments use this with m in {5, 20, 50, 100}.
    """
    return Fractional(None if m is None else check_count(m, "m"))


def bootstrap() -> Bootstrap:
    """Random multiplicities for all rows in each round: steps differ more, and their sum is more stable."""
    return Bootstrap()


def bernoulli(m: int) -> Bernoulli:
    """Literal sampling, as the pseudo-code has it: ``m`` rows with random labels."""
    return Bernoulli(check_count(m, "m"))
