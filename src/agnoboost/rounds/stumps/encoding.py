"""From rows to cells, and from cells back to hypotheses."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import numpy as np
import numpy.typing as npt

from ...basics.typing import Matrix
from ...core.learners.base import Hypothesis
from ...core.learners.stump import CategoryStump, Stump
from ...core.tape import Add
from ...kernels.cells import Codes, Layout


class Encoding:
    """The bins of some tables, for one run or, with ``keep``, for several: then every table is encoded once."""

    def __init__(self, layout: Layout, *, keep: bool = False):
        self.layout, self.stumps = layout, Stumps(layout)
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


class Stumps:
    """The stumps that came up so far, each with a number. Equal steps are one object, also between runs."""

    def __init__(self, layout: Layout):
        self._layout = layout
        self._number: dict[tuple[int, bytes], int] = {}
        self._made: list[tuple[Hypothesis, Hypothesis]] = []
        self._steps: dict[tuple[int, int, int], Add] = {}
        self._lock = Lock()

    def number(self, feature: int, position: int, table: npt.NDArray[np.int8]) -> int:
        """The number of the stump with these values by bin."""
        key = (feature, table.tobytes())
        found = self._number.get(key)
        if found is None:
            with self._lock:
                found = self._number.get(key)
                if found is None:  # made before it is known: other threads read without the lock
                    found = len(self._made)
                    self._made.append(
                        (self._make(feature, position, table, 1), self._make(feature, position, table, -1))
                    )
                    self._number[key] = found
        return found

    def step(self, number: int, sign: int, coef: int) -> Add:
        """The step that adds ``coef`` times a stump."""
        key = (number, sign, coef)
        found = self._steps.get(key)
        if found is None:
            hypothesis = self._made[number][0 if sign > 0 else 1]
            found = self._steps.setdefault(key, Add(hypothesis, coef))
        return found

    def _make(self, feature: int, position: int, table: npt.NDArray[np.int8], sign: int) -> Hypothesis:
        start = self._layout.start
        last = int(start[feature + 1] - start[feature]) - 1
        missing = sign * int(table[last])
        if not self._layout.categorical[feature] or (table == 1).all():  # the constant is a cut at -inf
            cuts = self._layout.bins.cuts[feature]
            return Stump(feature, cuts[position - 1] if position else float("-inf"), sign, missing)
        values = sign * table[:last]
        plus, minus = np.flatnonzero(values > 0), np.flatnonzero(values < 0)
        return CategoryStump(feature, tuple(plus.tolist()), tuple(minus.tolist()), missing)
