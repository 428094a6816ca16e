"""Figures of a classifier as smooth functions of how rows and their labels are weighed.

A figure looks at one *mark* of a row that is linear in its label: whether the prediction is right, its squared error,
whether the row is of a class. Two vectors say all that it needs: the mass of each row, and mass times mark. Where a
mark is known only on average, as by a machine, its mean takes its place; and masses may be negative where gold labels
correct a machine. The derivative by both vectors is how much one more row counts, which gives variances (the delta
method).

No row is paired with itself. So a figure of pairs is unbiased, too, before it is divided.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from ..basics.typing import Bools, Floats, Ints


class Measured(NamedTuple):
    """A figure, and its derivatives by the mass of each row, and by mass times mark."""

    value: float
    by_rows: Floats
    by_marks: Floats

    def influence(self, marks: Floats) -> Floats:
        """How much one more of each row, with these marks, moves the figure."""
        return np.asarray(self.by_rows + self.by_marks * marks)


class Measure(Protocol):
    """A figure of masses; None where it is not defined, as the recall of a class without rows.

    ``count`` says how many gold rows it speaks of: all, those of a class, or those that are said to be of it.
    """

    def __call__(self, rows: Floats, marks: Floats) -> Measured | None: ...

    def count(self, rows: Floats, marks: Floats) -> float: ...


@dataclass(frozen=True, eq=False)  # arrays have no single answer
class Ratio:
    """The ratio of two sums over rows: sum(top * marks) / sum(rows_below * rows + marks_below * marks)."""

    top: Floats
    rows_below: Floats
    marks_below: float = 0.0

    def __call__(self, rows: Floats, marks: Floats) -> Measured | None:
        below = float(self.rows_below @ rows + self.marks_below * marks.sum())
        if below <= 0.0:
            return None
        value = float(self.top @ marks) / below
        return Measured(value, -value * self.rows_below / below, (self.top - value * self.marks_below) / below)

    def count(self, rows: Floats, marks: Floats) -> float:
        return effective_count(self.rows_below * rows + self.marks_below * marks)


@dataclass(frozen=True, eq=False)
class RankingArea:
    """The area under the ROC curve: how often a row with the mark is scored above one without it, a tie counting half.

    With a = marks and b = rows - marks it is sum over pairs i != j of a_i b_j K(s_i, s_j), divided by that of a_i b_j.
    """

    place: Ints  # of each row among the distinct scores, from 0

    @classmethod
    def of(cls, scores: Floats) -> RankingArea:
        return cls(np.unique(scores, return_inverse=True)[1])

    def sums(self, rows: Floats, marks: Floats) -> tuple[float, float]:
        """Both sums over pairs, before one is divided by the other."""
        others = rows - marks
        ranked = marks @ self._below(others) - marks @ others / 2.0  # a row is not paired with itself
        return float(ranked), float(marks.sum() * others.sum() - marks @ others)

    def __call__(self, rows: Floats, marks: Floats) -> Measured | None:
        others = rows - marks
        ranked, pairs = self.sums(rows, marks)
        if marks.sum() <= 0.0 or others.sum() <= 0.0 or pairs <= 0.0:
            return None
        value = ranked / pairs
        below = self._below(others) - others / 2.0
        above = marks.sum() - self._below(marks) - marks / 2.0
        by_marks = (below - value * (others.sum() - others)) / pairs
        by_others = (above - value * (marks.sum() - marks)) / pairs
        return Measured(value, by_others, by_marks - by_others)

    def count(self, rows: Floats, marks: Floats) -> float:
        return min(effective_count(marks), effective_count(rows - marks))

    def _below(self, mass: Floats) -> Floats:
        """The mass of all rows with a lower score, and half of that with the same."""
        own = np.bincount(self.place, mass)
        return np.asarray((np.cumsum(own) - own / 2.0)[self.place])


def effective_count(mass: Floats) -> float:
    """How many rows of equal mass would be as good (Kish).

    >>> effective_count(np.array([2.0, 2.0, 0.0])), round(effective_count(np.array([1.0, 3.0])), 2)
    (2.0, 1.6)
    """
    squares = float(mass @ mass)
    return float(mass.sum()) ** 2 / squares if squares > 0.0 else 0.0


def mean(rows: int) -> Ratio:
    """The mean of the marks."""
    return Ratio(np.ones(rows), np.ones(rows))


def precision(said: Bools) -> Ratio:
    """How many of the rows that are said to have the mark have it."""
    flags = said.astype(np.float64)
    return Ratio(flags, flags)


def recall(said: Bools) -> Ratio:
    """How many of the rows with the mark are said to have it."""
    return Ratio(said.astype(np.float64), np.zeros(len(said)), 1.0)


def f1(said: Bools) -> Ratio:
    """The harmonic mean of both."""
    flags = said.astype(np.float64)
    return Ratio(2.0 * flags, flags, 1.0)
