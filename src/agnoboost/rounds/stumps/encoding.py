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
    """The bins of some tables, for one run or for several. For several every table is encoded once and kept."""

    def __init__(self, bins: Bins, tables: Sequence[Matrix], *, runs: int = 1):
        self.layout = Layout.of(bins, tables)
        self.stumps = Stumps(self.layout)
        self.runs = runs
        self._kept: dict[int, tuple[Matrix, Codes]] | None = {} if runs > 1 else None
        self._lock = Lock()

    def codes(self, tables: Sequence[Matrix], threads: int = 1) -> Codes:
        """The bins of all rows of some tables, one after the other."""
        if self._kept is None:
            return self.layout.encode(tables, threads)
        return np.concatenate([self._codes(table, threads) for table in tables])

    def _codes(self, table: Matrix, threads: int) -> Codes:
        assert self._kept is not None
        with self._lock:
            if id(table) not in self._kept:  # the table is kept too, so that its id stays its own
                self._kept[id(table)] = (table, self.layout.encode([table], threads))
            return self._kept[id(table)][1]
