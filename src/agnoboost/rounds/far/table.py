"""Rows in bins, wherever they are, for one run after the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...kernels.cells import Layout
from ..stumps.counting import Counting
from ..stumps.keepers.base import Keeper


@dataclass(frozen=True)
class Sides:
    """How the rows of a table take part in a run: class ``positive`` stands for +1 and all others for -1.

    A labeled row weighs ``labeled`` in psi, an unlabeled one ``unlabeled``, both whole numbers.
    """

    positive: int
    labeled: int
    unlabeled: int

    def labels(self, codes: npt.NDArray[np.integer]) -> npt.NDArray[np.integer]:
        """+1, -1, or 0 where there is no class, of rows with these numbers of classes."""
        found = np.full(len(codes), -1, dtype=np.int8)
        found[codes == self.positive] = 1
        found[codes < 0] = 0
        return found

    def weights(self, codes: npt.NDArray[np.integer]) -> npt.NDArray[np.integer]:
        """The weight of each row in psi."""
        kind: npt.DTypeLike = np.int8 if max(self.labeled, self.unlabeled) <= 1 else np.int64
        found = np.full(len(codes), self.labeled, dtype=kind)
        found[codes < 0] = self.unlabeled
        return found


class FarTable(ABC):
    """Keeps rows in bins. ``identity`` tells them from all others; ``layout`` says what their bins are."""

    layout: Layout
    identity: str

    @abstractmethod
    def keeper(self, counting: Counting, sides: Sides) -> Keeper:
        """Who keeps the rows for a run. A table has one keeper at a time: a new one takes the place of the last."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the rows. Nothing can be asked any more."""
