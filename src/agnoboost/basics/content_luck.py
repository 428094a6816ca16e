"""Randomness that belongs to a row's content, not to its place in the table.

With it the order of rows does not matter, equal rows share their luck, and a row of weight 2 is the same as two rows.
"""

from __future__ import annotations

from math import factorial

import numpy as np
import numpy.typing as npt

from .typing import Ints, Matrix

Keys = npt.NDArray[np.uint64]

# Cumulative probabilities of a Poisson variable with mean 1.
POISSON = np.cumsum([np.exp(-1.0) / factorial(k) for k in range(12)])


def content_keys(X: Matrix) -> Keys:
    """One number for each row, from its values."""
    keys = np.zeros(len(X), dtype=np.uint64)
    for column in X.T:
        values = np.where(np.isnan(column), np.nan, column + 0.0).astype(np.float64)  # one NaN, one zero
        keys = scrambled(keys * np.uint64(0x9E3779B97F4A7C15) + values.view(np.uint64))
    return keys


def scrambled(bits: Keys) -> Keys:
    """A fixed mixing of 64 bits in which every output bit depends on every input bit (splitmix64's finaliser)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def multiplicities(keys: Keys, occasion: int) -> Ints:
    """How often each row is drawn on some occasion: Poisson with mean 1, as in bagging."""
    uniform = (scrambled(keys ^ np.uint64(occasion)) >> np.uint64(11)) * 2.0**-53
    return np.searchsorted(POISSON, uniform)
