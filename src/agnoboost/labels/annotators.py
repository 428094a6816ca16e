"""What the votes tell of those who have voted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..basics.typing import Floats, Ints
from .reading import UNLABELED


@dataclass(frozen=True)
class Annotator:
    """One column of votes.

    Attributes
    ----------
    name : str
        The column's name, or its number.
    votes : int
        How many.
    right : float
        The share of them that is right, by the chances of the classes of each row.
    by_class : tuple of float
        For each class, in the order of ``classes_``, the share of its rows that this annotator calls by it.
    """

    name: str
    votes: int
    right: float
    by_class: tuple[float, ...]

    def __str__(self) -> str:
        return f"{self.name}: {self.votes} votes" + (f", about {self.right:.0%} right" if self.votes else "")


def annotators_of(names: list[str], votes: Ints, chances: Floats) -> tuple[Annotator, ...]:
    """All annotators of a table of class numbers, given the chances of the classes of each row."""
    return tuple(_one(name, own, chances) for name, own in zip(names, votes.T, strict=True))


def best_first(annotators: tuple[Annotator, ...]) -> list[Annotator]:
    """In the order of their quality; who has not voted comes last."""
    return sorted(annotators, key=lambda one: one.right if one.votes else -1.0, reverse=True)


def column_names(y: Any, columns: int) -> list[str]:
    """Those of a frame, or numbers."""
    return [str(name) for name in getattr(y, "columns", range(columns))]


def _one(name: str, votes: Ints, chances: Floats) -> Annotator:
    voted = votes != UNLABELED
    chance, said = chances[voted], votes[voted]
    if not len(said):
        return Annotator(name, 0, float("nan"), (float("nan"),) * chances.shape[1])
    right = chance[np.arange(len(said)), said]
    return Annotator(name, len(said), float(right.mean()), tuple(_by_class(chance, said).tolist()))


def _by_class(chance: Floats, said: Ints) -> Floats:
    """P(says k | is k); NaN for a class of which no row was seen."""
    of_class = chance.sum(axis=0)
    hits = np.array([chance[said == k, k].sum() for k in range(chance.shape[1])])
    return np.asarray(np.divide(hits, of_class, out=np.full(len(hits), np.nan), where=of_class > 0))
