"""Joint histograms of features on a GPU, from which Gram columns come without a pass over the rows.

For a feature, the weights of active rows by its code and by cell (of all features). Such a table is made in one pass
over the rows when a stump on the feature first comes up, and is then kept, and brought up to date by the rows that
become active or inactive. The column of any stump on that feature is a sum of its rows, with the stump's signs.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....basics.typing import Ints
from ....kernels.gpu.device import Device, DeviceArray, Kernels

_THREADS, _BLOCKS = 256, 8  # of a block; on a multiprocessor
_SHARE = 0.5  # of the free memory, for what is kept


@dataclass(frozen=True)
class RowsThere:
    """Rows on a device: bins (uint8, rows of ``stride`` bytes), weights, margins; ``start``, ``rule`` as in rows.cu."""

    device: Device
    launch: Kernels
    codes: DeviceArray
    weight: DeviceArray
    margins: DeviceArray
    start: DeviceArray
    rule: DeviceArray
    features: int

    @property
    def layout(self) -> tuple[Any, ...]:
        """What kernels that go over words want to know first."""
        return self.codes.shape[1], self.features, self.start, self.codes

    def over_words(self, rows: int) -> tuple[tuple[int], tuple[int, int]]:
        """Grid and block of a kernel that gives each thread a word of four features of some rows."""
        words = min(self.codes.shape[1] // 4, _THREADS)
        height = max(1, _THREADS // words)
        return (max(1, min(-(-rows // height), _BLOCKS * self.device.processors)),), (words, height)


@dataclass(frozen=True)
class Joint:
    """A feature's joint histogram, (codes, cells), and a copy of its column of bins."""

    table: DeviceArray
    column: DeviceArray

    @property
    def nbytes(self) -> int:
        return int(self.table.nbytes + self.column.nbytes)


class JointHistograms:
    """Those of the features that came up, of which the least recently used make room."""

    def __init__(self, rows: RowsThere, start: Ints):
        self._rows, self._start = rows, start
        self.dtype = np.dtype(np.int32 if rows.weight.dtype == np.int8 else np.int64)
        self.kept: OrderedDict[int, Joint] = OrderedDict()
        self.made = 0  # how many so far
        self.most_bytes = int(_SHARE * rows.device.free_bytes())

    def of(self, feature: int) -> Joint:
        """The joint histogram of a feature for the present margins."""
        if feature not in self.kept:
            self.kept[feature] = self._make(feature)
        self.kept.move_to_end(feature)
        return self.kept[feature]

    def _make(self, feature: int) -> Joint:
        rows, start = self._rows, self._start
        shape = (int(start[feature + 1] - start[feature]), int(start[-1]))
        size = shape[0] * shape[1] * self.dtype.itemsize + len(rows.codes)
        while self.kept and size + sum(joint.nbytes for joint in self.kept.values()) > self.most_bytes:
            self.kept.popitem(last=False)
        table = rows.device.zeros(shape, self.dtype)
        grid, block = rows.over_words(len(rows.codes))
        known = (rows.rule, rows.weight, rows.margins, feature, table)
        rows.launch("join", grid, block, len(rows.codes), *rows.layout, *known)
        self.made += 1
        return Joint(table, rows.codes[:, feature].copy())

    def follow(self, noted: DeviceArray, changed: int, seen: Ints | None = None) -> None:
        """Take in rows that have become active or inactive: the first ``changed`` that were noted, or too many.

        ``seen`` says, by feature, how many of them were taken in before.
        """
        if changed > len(noted):
            self.forget()
        elif changed and self.kept:
            rows, device, features = self._rows, self._rows.device, np.array(list(self.kept), dtype=np.int64)
            tables = np.array([device.address(own.table) for own in self.kept.values()], dtype=np.uint64)
            before = np.zeros_like(features) if seen is None else seen[features]
            grid, block = rows.over_words(changed)
            known = (rows.weight, *map(device.array, (features, tables, before)))
            rows.launch("rejoin", (*grid, len(self.kept)), block, changed, noted, *rows.layout, *known)

    def forget(self) -> None:
        """None of them is right any more."""
        self.kept.clear()
