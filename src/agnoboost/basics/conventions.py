"""Conventions on signs and ties, stated once.

- sign(0) = +1, everywhere.
- *Signed masses* (mass times mean label) are multiples of 2**-50. Their sums over any +-1 hypothesis are then exact in
  float64 (all partial sums are integers below 2**53 on that grid), so that neither the order of summation nor the
  number of threads can change an edge or break a tie.
- *Mean labels* from which regression trees are grown, and their leaves, are multiples of 2**-20. With masses in units
  of the smallest, a row of weight 2 is then exactly two rows; and a fixed step is a whole number of a tape's units.
- *Scores* that agree to 2**-40 are ties. Equal masses that were added up in another way (one row of weight 2, or two
  rows) may differ in their last bits, and must not lead to another hypothesis.
"""

from __future__ import annotations

import numpy as np

from .typing import Floats, Ints

GRID = 2.0**50  # of signed masses
LEVELS = 2.0**40  # of scores
FINEST = 2.0**20  # of mean labels before regression trees are grown, and of their leaves


def on_grid(values: Floats) -> Floats:
    """Values rounded to the grid of signed masses."""
    return np.asarray(np.rint(values * GRID) / GRID)


def level(score: Floats | float) -> Floats:
    """Scores on the coarse grid on which they are compared."""
    return np.rint(np.asarray(score) * LEVELS)


def exceeds(score: float, threshold: float) -> bool:
    """Whether a score is above a threshold: one that agrees with it to 2**-40 is not."""
    return bool(level(score) > level(threshold))


def sign(values: Floats | Ints) -> Ints:
    """+1 where the value is at least 0, else -1."""
    return np.where(values >= 0, 1, -1)


def sign_of(score: float) -> int:
    """The sign of a score, +1 where it ties with 0."""
    return 1 if level(score) >= 0 else -1
