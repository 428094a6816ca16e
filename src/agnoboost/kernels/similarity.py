"""Sums of similarities to some rows: sum_i coefficient_i * exp(-width * distance(x, row_i)), for many x.

The distance is the sum over columns of squared ("gaussian") or absolute ("laplace") differences.
"""

from __future__ import annotations

import numpy as np

from ..basics.typing import Floats
from .dispatch import cores, in_parts, pays_by_now
from .tree_arithmetic import decay

STEP = 2e-9  # seconds that numpy takes for a column of a pair of rows
CALL = 1e-6  # seconds that a call of numpy takes, for however few rows


def seconds(rows: int, others: Floats) -> float:
    """About how long numpy takes for the similarities of so many rows to others."""
    return CALL * (2 * others.size + 20 * len(others)) + STEP * rows * others.size


def expansion(
    kernel: str,
    X: Floats,
    rows: Floats,
    coefficients: Floats,
    width: float,
    threads: int | None = None,
    compiled: bool | None = None,
) -> Floats:
    """The sum for each row of X; the same to the bit whether compiled or not, on any number of threads.

    >>> X, rows = np.array([[0.0], [1.0]]), np.array([[0.0]])
    >>> expansion("laplace", X, rows, np.array([2.0]), 1.0).round(4)
    array([2.    , 0.7358])
    """
    squared = kernel == "gaussian"
    total = np.zeros(len(X))
    if compiled is None:
        compiled = pays_by_now(seconds(len(X), rows))
    if compiled:
        from .compiled.similarity import add_similar

        columns, others = (np.ascontiguousarray(table) for table in (X.T, rows))  # another layout is compiled anew
        in_parts(add_similar, len(X), cores(threads), squared, columns, others, coefficients, width, total)
        return total
    for row, coefficient in zip(rows, coefficients, strict=True):
        distance = np.zeros(len(X))
        for column, value in zip(X.T, row, strict=True):
            difference = column - value
            distance += difference * difference if squared else np.abs(difference)
        total += coefficient * decay(width * distance)
    return total
