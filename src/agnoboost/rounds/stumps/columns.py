"""Kept Gram columns: in slots, of which the least recently used make room."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...basics.typing import Ints
from ...kernels.binning import WIDTH
from ...kernels.compiled import conducting as kernels

_FEWEST_SLOTS, _MOST_SLOTS = 8, 4096


@dataclass(frozen=True)
class Wanted:
    """A stump whose column is to be made."""

    feature: int
    position: int
    key: int
    table: npt.NDArray[np.int8]


class KeptColumns:
    """Columns of ``cells`` numbers each, up to ``cache_bytes`` in all; the numbers are sums of up to ``largest``."""

    def __init__(self, cells: int, largest: float, cache_bytes: int):
        kind = np.dtype(np.int32 if largest < 2**31 else np.int64)
        slots = min(max(cache_bytes // (cells * kind.itemsize + WIDTH), _FEWEST_SLOTS), _MOST_SLOTS)
        self.slots = kernels.Columns(
            sums=np.empty((slots, cells), dtype=kind),  # pages that are not used yet take no memory
            stump=np.zeros(slots, dtype=np.int64),
            feature=np.full(slots, -1, dtype=np.int64),
            key=np.zeros(slots, dtype=np.int64),
            table=np.zeros((slots, WIDTH), dtype=np.int8),
            used=np.zeros(slots, dtype=np.int64),
            seen=np.zeros(slots, dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.slots.feature)

    def find(self, stump: Wanted) -> int:
        """The slot of a stump's column, or -1."""
        return int(kernels.find(self.slots, stump.feature, stump.key, stump.table))

    def has(self, feature: int) -> bool:
        """Whether there is a column of any stump on a feature."""
        return bool((self.slots.feature == feature).any())

    def put(self, stump: Wanted, number: int, sums: Ints, seen: int, clock: int) -> None:
        """Give a column a slot: its own, or a free one, or that of the column which was used longest ago."""
        slots = self.slots
        slot = self.find(stump)
        if slot < 0:
            free = np.flatnonzero(slots.feature < 0)
            slot = int(free[0]) if len(free) else int(np.argmin(slots.used))
        slots.sums[slot], slots.table[slot], slots.key[slot] = sums, stump.table, stump.key
        slots.stump[slot], slots.feature[slot] = number, stump.feature
        slots.used[slot], slots.seen[slot] = clock, seen

    def forget_crossings(self, count: int) -> None:
        """The first ``count`` crossings are gone: columns that have not seen them are of no use any more."""
        self.slots.seen[:] -= count
        self.slots.feature[self.slots.seen < 0] = -1

    def forget(self) -> None:
        """All columns are of no use any more."""
        self.slots.feature[:] = -1
