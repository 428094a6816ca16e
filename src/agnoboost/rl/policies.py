"""Policies: a coin, a boosted ensemble, and the mixtures that Frank-Wolfe steps make of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..basics.checks import as_matrix, check_between
from ..basics.typing import Floats, Ints, Rng
from ..core.tape import Tape
from ..files import save


class Policy(Protocol):
    """Chooses between -1 and +1."""

    def chance(self, observations: npt.ArrayLike) -> Floats:
        """The probability of +1 for each row."""


@dataclass(frozen=True)
class Mixture:
    """In every state: one of ``tapes`` by ``weights``, and it says sign(H); a fair coin for the weight that is left.

    Parameters
    ----------
    tapes : tuple of Tape
        Ensembles.
    weights : tuple of float
        How likely each is to decide.
    n_features : int, optional
        Of an observation, if known.

    Examples
    --------
    >>> Mixture().chance(np.zeros((2, 3)))
    array([0.5, 0.5])
    """

    tapes: tuple[Tape, ...] = ()
    weights: tuple[float, ...] = ()
    n_features: int | None = None  # of an observation, if known

    @property
    def coin(self) -> float:
        """The weight of the coin."""
        return max(0.0, 1.0 - sum(self.weights))

    def chance(self, observations: npt.ArrayLike) -> Floats:
        rows = as_matrix(np.atleast_2d(np.asarray(observations)))
        if self.n_features not in (None, rows.shape[1]):
            raise ValueError(f"This policy looks at {self.n_features} numbers a row. Got {rows.shape[1]}.")
        chance = np.full(len(rows), self.coin / 2.0)
        for tape, weight in zip(self.tapes, self.weights, strict=True):
            chance += weight * (tape.predict(rows) > 0)
        return np.asarray(np.clip(chance, 0.0, 1.0))

    def act(self, observations: npt.ArrayLike, rng: Rng | int | None = None) -> Ints:
        """Actions in {-1, +1}: drawn at random with ``rng``, the likelier one without; one number for one row."""
        chance = self.chance(observations)
        up = chance >= 0.5 if rng is None else chance > np.random.default_rng(rng).random(len(chance))
        actions = np.where(up, 1, -1)
        return np.asarray(actions[0]) if np.ndim(observations) == 1 else actions

    def __call__(self, observations: npt.ArrayLike) -> Ints:
        """The likelier actions."""
        return self.act(observations)

    def towards(self, tape: Tape, step: float) -> Mixture:
        """(1 - step) * this + step * sign(H)."""
        check_between(step, 0.0, 1.0, "step")
        if step == 1.0:
            return Mixture((tape,), (step,), self.n_features)
        kept = tuple((1.0 - step) * weight for weight in self.weights)
        return Mixture((*self.tapes, tape), (*kept, step), self.n_features)

    def save(self, path: str | Path, *, sign: bytes | None = None) -> None:
        """Write a file that ``agnoboost.load`` reads, without pickle, signed if there is a key (docs/model_file.md)."""
        save(self, path, sign)

    @property
    def likelier(self) -> Likelier:
        """The policy that always takes the likelier action."""
        return Likelier(self)


@dataclass(frozen=True)
class Likelier:
    """Takes the likelier action of a mixture: no coin is left in it."""

    mixture: Mixture

    def chance(self, observations: npt.ArrayLike) -> Floats:
        return np.asarray(self.mixture.chance(observations) >= 0.5, dtype=np.float64)
