"""From cells back to hypotheses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..kernels.cells import Layout
from ..learners.base import Hypothesis
from ..learners.stump import CategoryStump, Stump


class Stumps:
    """The stumps that came up so far, each with a number; equal ones are one object."""

    def __init__(self, layout: Layout):
        self._layout = layout
        self._number: dict[tuple[int, bytes], int] = {}
        self._made: list[tuple[Hypothesis, Hypothesis]] = []

    def number(self, feature: int, position: int, table: npt.NDArray[np.int8]) -> int:
        """The number of the stump with these values by bin."""
        key = (feature, table.tobytes())
        if key not in self._number:
            self._number[key] = len(self._made)
            self._made.append((self._make(feature, position, table, 1), self._make(feature, position, table, -1)))
        return self._number[key]

    def hypotheses(self, numbers: Sequence[int], signs: Sequence[int]) -> list[Hypothesis]:
        """The stumps with these numbers and signs."""
        return [self._made[number][0 if sign > 0 else 1] for number, sign in zip(numbers, signs, strict=True)]

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
