"""Boosted trees as members of a blend."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ...basics.typing import Bools, Floats, Ints
from ...kernels.dispatch import cores, one_by_one
from ...kernels.forest import Forest
from ...kernels.gradient_trees import TreeGrowth, grow
from .members import FEW, Counts

SUREST = 0.98  # the mean label that trees may start from


@dataclass(frozen=True)
class TreeRuns:
    """Trees of some runs, and the mean margin of each row by runs that have not seen it; NaN where all have.

    ``strangers`` says how many runs have not seen a row.
    """

    forests: tuple[Forest, ...]
    unseen: Floats
    strangers: Ints

    def __add__(self, other: TreeRuns) -> TreeRuns:
        """The runs of both."""
        strangers = self.strangers + other.strangers
        total = sum(np.where(one.strangers > 0, one.unseen * one.strangers, 0.0) for one in (self, other))
        with np.errstate(invalid="ignore"):  # 0/0 where all runs have seen a row
            return TreeRuns(self.forests + other.forests, total / strangers, strangers)

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

    def grow(self, counts: Counts, growth: TreeGrowth, seed: int) -> TreeRuns:
        """Trees of the runs that hold rows so often."""
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
        return TreeRuns((grown.forest,), grown.outside(), np.sum(counts == 0, axis=0))


@dataclass(frozen=True)
class TreeGrower:
    """How the trees of each member are grown, with seeds for a first and a second turn."""

    fitter: TreeFitter
    plans: dict[str, TreeGrowth]
    seeds: dict[str, list[int]]

    def all(self, runs: dict[str, Counts], turn: int) -> dict[str, TreeRuns]:
        """Threads share the runs of a member; where that is too little to share, members go side by side."""
        threads = self.fitter.threads
        small = self.fitter.codes.shape[1] <= FEW
        aside = [name for name, own in runs.items() if small or len(own) == 1]
        found = {name: self._one(name, own, turn, threads) for name, own in runs.items() if name not in aside}
        each = one_by_one(
            lambda place: self._one(aside[place], runs[aside[place]], turn, 1), len(aside), cores(threads)
        )
        return found | dict(zip(aside, each, strict=True))

    def _one(self, name: str, runs: Counts, turn: int, threads: int | None) -> TreeRuns:
        return replace(self.fitter, threads=threads).grow(runs, self.plans[name], self.seeds[name][turn])
