"""The points of the cube and its parities, by number: bit i of a point says whether x[i] is -1, bit i of a parity
whether it contains coordinate i."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from agnoboost.basics.typing import Floats, Ints


@dataclass(frozen=True)
class Cube:
    """{-1, +1}^n."""

    n: int

    @property
    def size(self) -> int:
        """The number of points, and of parities."""
        return int(2**self.n)

    @cached_property
    def points(self) -> Ints:
        """One row a point."""
        return 1 - 2 * (np.arange(self.size)[:, None] >> np.arange(self.n) & 1)

    @cached_property
    def parities(self) -> npt.NDArray[np.int8]:
        """One row a parity, with its value at each point."""
        return np.rint(self.correlations(np.eye(self.size))).astype(np.int8).T

    @cached_property
    def degrees(self) -> Ints:
        """The number of coordinates in each parity."""
        return np.bitwise_count(np.arange(self.size)).astype(np.int64)

    def correlations(self, tables: Floats) -> Floats:
        """sum over x of table(x) * parity(x), for every parity: a Walsh-Hadamard transform of each row.

        The bits are split into two halves, each transformed by one matrix product.
        """
        low = self.n // 2
        split = tables.reshape(-1, 2 ** (self.n - low), 2**low)
        return np.asarray((_hadamard(self.n - low) @ (split @ _hadamard(low))).reshape(tables.shape))

    def majority(self, coordinates: npt.ArrayLike) -> Ints:
        """The majority vote of an odd number of coordinates, at every point."""
        return np.asarray(np.sign(self.points[:, np.asarray(coordinates)].sum(axis=1)))


def _hadamard(n: int) -> Floats:
    index = np.arange(2**n)
    return np.where(np.bitwise_count(index[:, None] & index) % 2, -1.0, 1.0)
