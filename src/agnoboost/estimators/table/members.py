"""Which members a blend has, and on which rows they are grown: what pays with few labels does not with many.

With few labels trees are small, and grown on bags of rows: the mean of many is steady, and how many rounds they run is
chosen for all of them together. With many labels trees are larger, and grown on folds, of which very many labels need
only some; each fold ends when it is no longer better on the rows that it has not seen. Symmetric trees, with one cut a
level, find what depends on several columns at once. Kernels are for up to some thousand labels; a forest, single trees
with thousands of leaves on bags, is for more. All of it was chosen on the tables that ``agnoboost reproduce few-labels
--half development`` names, and on made ones for many labels.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ...basics.content_luck import Keys, multiplicities, scrambled
from ...kernels.gradient_trees import TreeGrowth
from .kernel_ridge import KERNELS

VERY_FEW = 200  # rows beyond which one cut a level is worth more than random columns
FEW = 800  # rows up to which trees are bagged
FEW_BINS, BINS = 31, 255
FEW_PATIENCE = 6  # rounds without gain after which all bags have had enough
DEEPEST = 60  # steps to a leaf: those who explain trees count the columns on a path by bits of a word
MANY = 6000  # beyond so many rows a forest is worth more than kernels, and large trees look at all columns
VERY_MANY = 20_000  # and beyond so many they have more leaves, and fewer runs do
MOST = 200_000  # and beyond so many even fewer runs do, with longer steps
BOOSTED = ("stumps", "small trees", "symmetric trees", "large trees", "random trees")
FOREST = "forest"
TREES = (*BOOSTED, FOREST)
MEMBERS = (*TREES, *KERNELS)
EFFORTS = ("fast", "full")

Counts = npt.NDArray[Any]  # how often each run holds each row (shape: runs, rows)


@dataclass(frozen=True)
class Runs:
    """Rows of every run of trees: ``bags`` by chance, or ``folds`` of which some are ``used``."""

    bags: int = 0
    folds: int = 0
    used: int = 0

    def counts(self, keys: Keys, seed: int) -> Counts:
        """How often each run holds each row. Luck belongs to the content of a row."""
        rng = np.random.default_rng(seed)
        counts: Counts
        if not self.bags:
            place = scrambled(keys ^ np.uint64(rng.integers(2**63))) % np.uint64(self.folds)
            counts = place != np.arange(self.used, dtype=np.uint64)[:, None]
        else:
            occasions = rng.integers(2**63, size=self.bags)
            counts = np.array([multiplicities(keys, int(one)).astype(np.uint8) for one in occasions])
        counts[~counts.any(axis=1)] = 1  # of very few rows by chance none
        return counts


def runs_for(rows: int, effort: str) -> Runs:
    """More rows need fewer runs."""
    fast = effort == "fast"
    if rows <= FEW:
        return Runs(bags=8 if fast else int(np.clip(32 * (250 / max(rows, 1)) ** 1.5, 12, 32)))
    if rows <= VERY_MANY:
        return Runs(folds=5, used=2 if fast else 5 if rows <= MANY else 4)
    if rows <= MOST:
        return Runs(folds=5, used=1 if fast else 3)
    return Runs(folds=10, used=1 if fast else 2)


def forest_runs(rows: int, effort: str) -> Runs:
    """A tree each."""
    return Runs(bags=8 if effort == "fast" or rows > MOST else 32)


def names_for(rows: int, effort: str) -> tuple[str, ...]:
    """The members for so many labels, in order."""
    if effort == "fast" and rows > FEW:
        more = ("gaussian",) if rows <= MANY else ()
        return ("symmetric trees", *(("large trees",) if rows > VERY_MANY else ()), "random trees", "linear", *more)
    if rows <= MANY:
        return ("stumps", "small trees" if rows <= VERY_FEW else "symmetric trees", "random trees", *KERNELS)
    stumps = ("stumps",) if rows <= VERY_MANY else ()
    return (*stumps, "symmetric trees", "large trees", "random trees", FOREST, "linear")


def patience_for(rows: int, effort: str) -> int:
    """Rounds without gain after which trees have had enough: many rows make gains steady."""
    if effort == "fast":
        return 15
    return 30 if rows <= MANY else 20


def growths(rows: int, features: int, huber: bool, effort: str) -> dict[str, TreeGrowth]:
    """How the trees of each member are grown. With Huber's potential rows weigh twice as much as with the logistic."""
    root = max(1, round(features**0.5)) / features
    weight = 2.0 if huber else 1.0
    leaves = int(np.clip(rows // 25, 2, 4096))
    forest = TreeGrowth(rounds=1, leaves=leaves, depth=DEEPEST, step=1.0, features=0.4, least=5.0, potential="huber")
    if rows <= FEW:
        few = partial(
            TreeGrowth,
            rounds=40,
            step=0.3,
            patience=FEW_PATIENCE,
            potential="huber" if huber else "logistic",
            together=True,
        )
        return {
            "stumps": few(leaves=2, depth=1, features=root, least=weight),
            "small trees": few(leaves=8, depth=3, features=0.5, least=weight),
            "symmetric trees": few(leaves=16, depth=4, symmetric=True, ridge=3.0, least=weight),
            "large trees": few(leaves=15, features=0.5, least=2.0 * weight),
            "random trees": few(leaves=16, depth=4, random_cuts=True, least=weight),
            FOREST: forest,
        }
    many = partial(TreeGrowth, patience=patience_for(rows, effort), potential="huber" if huber else "logistic")
    large = many(rounds=400, leaves=31, step=0.15, features=0.5, least=5.0 * weight)
    if rows > MANY:
        large = replace(large, features=1.0)
    if rows > VERY_MANY:
        large = replace(large, rounds=800, leaves=63, step=0.1 if rows <= MOST else 0.15)
    return {
        "stumps": many(rounds=500, leaves=2, depth=1, step=0.3, least=5.0 * weight),
        "small trees": many(rounds=500, leaves=8, depth=3, step=0.2, features=0.5, least=5.0 * weight),
        "symmetric trees": many(rounds=500, leaves=64, depth=6, step=0.2, symmetric=True, ridge=3.0, least=weight),
        "large trees": large,
        "random trees": many(rounds=300, leaves=63, depth=8, step=0.2, random_cuts=True, least=2.5 * weight),
        FOREST: forest,
    }


def chosen(wanted: Any, rows: int, effort: str) -> tuple[str, ...]:
    """The members that a user asked for, or those for so many labels."""
    if isinstance(wanted, str) and wanted == "auto":
        return names_for(rows, effort)
    single = isinstance(wanted, str) or not isinstance(wanted, Iterable)
    listed = [wanted] if single else list(wanted)
    if not listed or not set(listed) <= set(MEMBERS):
        raise ValueError(f"members must be 'auto' or some of {', '.join(MEMBERS)}. Got {wanted!r}.")
    return tuple(name for name in MEMBERS if name in listed)
