"""Kept joint histograms: each gives the Gram columns of all stumps on its feature."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...basics.typing import Ints
from ...kernels.binning import WIDTH
from ...kernels.compiled import joint as kernels
from ...kernels.compiled.conducting import Crossings
from ...kernels.dispatch import in_parts

_SPLIT = 1 << 22  # numbers from which a sum over a histogram is worth several threads


class KeptJoints:
    """Joint histograms of some features, up to ``room`` bytes in all; their numbers are sums of up to ``largest``.

    They are brought up to date by crossings, as columns are.
    """

    def __init__(self, start: Ints, largest: float, room: int, threads: int):
        self._start, self._cells = start, int(start[-1])
        self._kind = np.dtype(np.int32 if largest < 2**31 else np.int64)
        self.most = min(room // (self._cells * WIDTH * self._kind.itemsize), len(start) - 1)
        self._threads = threads if self._cells * WIDTH >= _SPLIT else 1
        self._kept: dict[int, npt.NDArray[np.integer]] = {}
        self._seen: dict[int, int] = {}

    def __contains__(self, feature: int) -> bool:
        return feature in self._kept

    @property
    def left(self) -> int:
        """How many more there is room for."""
        return self.most - len(self._kept)

    def put(self, features: Ints, found: Ints, seen: int) -> None:
        """Keep what a keeper has answered, which is right up to a crossing."""
        for feature, own in zip(features.tolist(), found, strict=True):
            self._kept[feature], self._seen[feature] = own.astype(self._kind), seen

    def column(self, feature: int, table: npt.NDArray[np.int8], crossings: Crossings, crossed: int) -> Ints:
        """The Gram column of a stump, as of now."""
        self._refresh(feature, crossings, crossed)
        column = np.empty(self._cells, dtype=np.int64)
        in_parts(kernels.add_column, self._cells, self._threads, self._kept[feature], table, column)
        return column

    def forget_crossings(self, crossings: Crossings, crossed: int, gone: int) -> None:
        """The first ``gone`` of all crossings will be forgotten: they are taken to account before."""
        for feature in self._kept:
            self._refresh(feature, crossings, crossed)
            self._seen[feature] -= gone

    def forget(self) -> None:
        """They are of no use any more."""
        self._kept.clear()
        self._seen.clear()

    def _refresh(self, feature: int, crossings: Crossings, crossed: int) -> None:
        kernels.refresh_joint(crossings, self._start, self._kept[feature], self._seen[feature], crossed, feature)
        self._seen[feature] = crossed
