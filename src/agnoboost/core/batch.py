"""A round of boosting as data: what the weak learner sees.

A :class:`Batch` is a distribution over rows together with the mean label of each row. The paper's resampling
distributions are batches; *fractional* relabeling hands a batch to the weak learner as it is, *Bernoulli*
relabeling draws m labeled rows from it, as in the literal pseudo-code. Both have the same expectation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from ..basics.checks import check_between, check_count
from ..basics.content_luck import Keys, content_keys, multiplicities
from ..basics.conventions import on_grid
from ..basics.memo import LastArray
from ..basics.typing import Floats, Ints, Matrix, Rng

_SLACK = 1e-9


@dataclass(frozen=True)
class Batch:
    """Rows with ``target`` = E[label | x] in [-1, 1] and ``mass`` >= 0 that sums to 1.

    Attributes
    ----------
    X : array of shape (rows, features)
        The rows.
    target : array of shape (rows,)
        The mean label of each row, from -1 to 1.
    mass : array of shape (rows,)
        How much each row counts; the sum is 1.
    """

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
    """How a batch reaches the weak learner: it is called with a batch and a generator, and returns a batch."""

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
    _keys: LastArray[Keys] = field(default_factory=LastArray, repr=False, compare=False)

    def __call__(self, batch: Batch, rng: Rng) -> Batch:
        occasion = int(rng.integers(2**63))
        keys = self._keys.get(lambda: content_keys(batch.X), batch.X)
        mass = batch.mass * multiplicities(keys, occasion)
        total = mass.sum()
        return batch if total == 0 else Batch(batch.X, batch.target, mass / total)


@dataclass(frozen=True)
class Reweighted:
    """Weights instead of fractional labels: mass in proportion to abs(target), and the label sign(target).

    So boosters show their batches that change the distribution of the rows: MadaBoost, SmoothBoost. Agnostic boosters
    change the labels alone, so that a weak learner for one distribution of the rows is enough.
    """

    hard_labels = False  # labels are -1 and +1, but rows do not weigh the same

    def __call__(self, batch: Batch, rng: Rng) -> Batch:
        weight = batch.mass * np.abs(batch.target)
        total = weight.sum()
        label = np.where(batch.target >= 0, 1.0, -1.0)
        # Where no row has any weight all labels are learned: there is nothing to tell the weak learner.
        return Batch(batch.X, label, weight / total) if total > 0 else Batch(batch.X, np.zeros(len(batch)), batch.mass)


def fractional(m: int | None = None) -> Fractional:
    """Fractional relabeling (the default): all rows of the batch, or ``m`` of them drawn by mass.

    The paper's experiments use this with m in {5, 20, 50, 100}.

    Parameters
    ----------
    m : int, optional
        How many rows are drawn; all of them by default.

    Returns
    -------
    Realize
        For the ``realize`` of a recipe.
    """
    return Fractional(None if m is None else check_count(m, "m"))


def bootstrap() -> Bootstrap:
    """Random multiplicities for all rows in each round: steps differ more, and their sum is more stable.

    Returns
    -------
    Realize
        For the ``realize`` of a recipe.
    """
    return Bootstrap()


def reweighted() -> Reweighted:
    """Labels as they are, and weights for the rows: how MadaBoost and SmoothBoost show their batches.

    Returns
    -------
    Realize
        For the ``realize`` of a booster.
    """
    return Reweighted()


def bernoulli(m: int) -> Bernoulli:
    """Literal sampling, as the pseudo-code has it: ``m`` rows with random labels.

    Parameters
    ----------
    m : int
        How many rows are drawn, by their mass.

    Returns
    -------
    Realize
        For the ``realize`` of a recipe.
    """
    return Bernoulli(check_count(m, "m"))
