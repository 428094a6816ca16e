"""Boosted trees as members of a blend."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...basics.typing import Bools, Floats
from ...kernels.forest import Forest
from ...kernels.gradient_trees import TreeGrowth, grow

SUREST = 0.98  # the mean label that trees may start from


@dataclass(frozen=True)
class TreeRuns:
    """Trees of some runs, and the mean margin of each row by runs that have not seen it; NaN where all have."""

    forests: tuple[Forest, ...]
    unseen: Floats

    def __add__(self, other: TreeRuns) -> TreeRuns:
        """Runs that leave out other rows."""
        unseen = np.where(np.isnan(self.unseen), other.unseen, self.unseen)
        return TreeRuns(self.forests + other.forests, unseen)

    def shares(self) -> list[tuple[Forest, float]]:
        """Forests, with their share of the runs: every run counts the same."""
        runs = sum(forest.runs for forest in self.forests)
        return [(forest, forest.runs / runs) for forest in self.forests]


@dataclass(frozen=True)
class TreeFitter:
    """What trees of one problem are grown from."""

    codes: npt.NDArray[np.uint8]
    categorical: Bools
    psi: Floats
    pull: Floats
    threads: int | None

    def grow(self, counts: npt.NDArray[Any], growth: TreeGrowth, seed: int) -> TreeRuns:
        """Trees of the runs that hold rows so often (shape: runs, rows)."""
        mean = np.clip((counts @ self.pull) / np.maximum(counts @ self.psi, 1e-300), -SUREST, SUREST)
        base = mean if growth.huber else np.log((1.0 + mean) / (1.0 - mean))
        own = replace(growth, seed=seed)
        grown = grow(
            self.codes,
            self.psi,
            self.pull,
            counts,
            own,
            categorical=self.categorical,
            base=base,
            threads=self.threads,
        )
        return TreeRuns((grown.forest,), grown.outside())
