"""Arithmetic that boosted trees share with their compiled twins.

The functions take numbers and arrays alike. They use nothing but + - * /, comparisons and whole numbers, which every
processor and compiler rounds in the same way; exp and log of numpy and of numba differ in their last bits. None calls
another, so that each can be compiled as it stands.

Two potentials psi, of which rows have ``mass * psi(H) - label * H``:

- *logistic*: psi(z) = 2 log cosh(z/2), psi' = tanh(z/2), psi'' = (1 - tanh(z/2)^2)/2. With labels -1 and +1 this is the
  logistic loss, doubled, and a constant less. Everything follows from t = exp(-abs(z)).
- *Huber*: psi' = clip(z, -1, 1); the mass itself stands for the curvature.

Sums are *packed*: gradients and curvatures are rounded to whole numbers of which no sum reaches 2**31, and a pair of
sums is one number of 64 bits. Sums are exact in any order, and so is the difference of two.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..basics.conventions import FINEST

LOW = 2**32 - 1  # the half of a packed sum that holds the curvature
LIMIT = 2.0**31 - 2.0
FEW = 4  # up to so many categories each is tried against the rest, beyond that sets of them
FINER = 2.0**24  # a grid so much finer than FINEST's, on which last bits no longer matter
NOTHING = 1e-200  # totals below are 0


def decay(z: Any) -> Any:
    """exp(-abs(z)), to 12 digits; abs(z) beyond 60 counts as 60."""
    x = np.minimum(np.abs(z), 60.0) * (-1.0 / 256.0)
    high = 1.0 / 5040.0 + x * (1.0 / 40320.0 + x * (1.0 / 362880.0 + x * (1.0 / 3628800.0)))
    middle = 1.0 / 24.0 + x * (1.0 / 120.0 + x * (1.0 / 720.0 + x * high))
    power = 1.0 + x * (1.0 + x * (0.5 + x * (1.0 / 6.0 + x * middle)))
    power = power * power
    power = power * power
    power = power * power
    power = power * power
    power = power * power
    power = power * power
    power = power * power
    return power * power


def logistic_slope(z: Any, t: Any) -> Any:
    """psi'(z), where t = decay(z)."""
    return np.copysign((1.0 - t) / (1.0 + t), z)


def logistic_curvature(t: Any) -> Any:
    """psi''(z), where t = decay(z)."""
    return 2.0 * t / ((1.0 + t) * (1.0 + t))


def logistic_height(z: Any, t: Any) -> Any:
    """psi(z), where t = decay(z): log(1 + t) is twice the area tangent of t/(2 + t), which is at most 1/3."""
    s = t / (2.0 + t)
    q = s * s
    last = 1.0 / 23.0 + q * (1.0 / 25.0 + q * (1.0 / 27.0 + q * (1.0 / 29.0 + q * (1.0 / 31.0))))
    high = 1.0 / 15.0 + q * (1.0 / 17.0 + q * (1.0 / 19.0 + q * (1.0 / 21.0 + q * last)))
    middle = 1.0 / 7.0 + q * (1.0 / 9.0 + q * (1.0 / 11.0 + q * (1.0 / 13.0 + q * high)))
    area = s * (1.0 + q * (1.0 / 3.0 + q * (1.0 / 5.0 + q * middle)))
    return np.abs(z) + 4.0 * area - 1.3862943611198906  # less 2 log 2: psi(0) = 0


def huber_slope(z: Any) -> Any:
    """psi'(z)."""
    return np.minimum(np.maximum(z, -1.0), 1.0)


def huber_height(z: Any) -> Any:
    """psi(z)."""
    size = np.abs(z)
    near = np.minimum(size, 1.0)
    return 0.5 * near * near + (size - near)


def scale_of(total: float, rows: int) -> float:
    """The power of 2 by which numbers whose sizes sum up to ``total`` are multiplied before they are rounded."""
    if total < NOTHING:
        return 1.0
    _, exponent = math.frexp((LIMIT - rows) / total)
    return math.ldexp(1.0, exponent - 1)


def mixed(key: Any, number: Any) -> Any:
    """A random number of 32 bits that depends on a key and a number of 32 bits each."""
    h = (key + number * 0x1E3779B1 + 0x3C6EF35F) & 0xFFFFFFFF
    h = (((h >> 16) ^ h) * 0x45D9F3B) & 0xFFFFFFFF
    h = (((h >> 16) ^ h) * 0x45D9F3B) & 0xFFFFFFFF
    return (h >> 16) ^ h


def whole_grains(mean: Any) -> Any:
    """A mean label as a multiple of 1/FINEST.

    Numbers that are equal on paper may differ in their last bits, and many of them lie exactly between two multiples:
    so they are rounded to a finer grid first.
    """
    return np.rint(np.rint(mean * (FINEST * FINER)) / FINER) / FINEST


def whole_counts(count: Any) -> Any:
    """A sum of counts without its last bits."""
    return np.rint(count * FINEST) / FINEST
