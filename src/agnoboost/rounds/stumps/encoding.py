"""Bins of the rows of one or many problems, each table encoded once."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import numpy as np

from ...basics.typing import Matrix
from ...kernels.binning import Bins
from ...kernels.cells import Codes, Layout
from .stumps import Stumps


class Encoding:
    """The bins of some tables, for one run or, with ``keep``, for several: then every table is encoded once."""

    def __init__(self, bins: Bins, tables: Sequence[Matrix], *, keep: bool = False):
        self.layout = Layout.of(bins, tables)
        self.stumps = Stumps(self.layout)
        self._kept: dict[int, tuple[Matrix, Codes]] | None = {} if keep else None
        self._lock = Lock()

    def codes(self, tables: Sequence[Matrix], threads: int = 1, compiled: bool = False) -> Codes:
        """The bins of all rows of some tables, one after the other."""
        if self._kept is None:
            return self.layout.encode(tables, threads, compiled)
        return np.concatenate([self._codes(table, threads, compiled) for table in tables])

    def _codes(self, table: Matrix, threads: int, compiled: bool) -> Codes:
        assert self._kept is not None
        with self._lock:
            if id(table) not in self._kept:  # the table is kept too, so that its id stays its own
                self._kept[id(table)] = (table, self.layout.encode([table], threads, compiled))
            return self._kept[id(table)][1]
