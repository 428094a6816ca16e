"""What the way to each leaf of a forest asks of a row: one condition for each group of columns that it looks at.

A leaf is reached if no group fails. So a leaf is a product of indicators, one a group, and what happens to it when the
cells of one group come from another row is said by which groups fail for either row: a word of bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.typing import Bools, Floats, Ints
from .binning import MISSING
from .forest import Forest, goes_left

NODES_AT_A_TIME = 20_000
MOST_GROUPS = 62  # of a leaf: bits of a word


@dataclass(frozen=True)
class LeafPaths:
    """Leaves of some trees; ``groups[leaf, slot]`` is the group of the bit ``slot`` of a word, -1 beyond the last."""

    forest: Forest
    first: int  # nodes first, ..., last - 1 are theirs
    last: int
    value: Floats
    groups: Ints
    steps: tuple[tuple[Ints, Ints, Bools, Ints], ...]  # leaves, nodes above them, whether they go left there, slots

    @property
    def slots(self) -> Ints:
        """How many groups each leaf has."""
        return np.asarray((self.groups >= 0).sum(axis=1))

    def failed(self, codes: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
        """Which groups fail, as bits (shape: leaves, rows); codes have the shape (features, rows)."""
        own, forest = slice(self.first, self.last), self.forest
        seen = codes[forest.feature[own]]
        left = ((seen - forest.low[own, None]) & MISSING) <= forest.width[own, None]
        sets = np.flatnonzero(forest.group[own])
        if len(sets):
            group = np.broadcast_to(forest.group[own][sets, None], (len(sets), codes.shape[1]))
            left[sets] = goes_left(seen[sets].astype(np.int64), 0, 0, group, forest.sets)
        kind = np.int16 if self.groups.shape[1] < 15 else np.int64
        words = np.zeros((len(self.value), codes.shape[1]), dtype=kind)
        for leaves, nodes, to_left, slots in self.steps:
            bits = (np.int64(1) << slots).astype(kind)[:, None]
            words[leaves] |= (left[nodes - self.first] != to_left[:, None]) * bits
        return words


def leaf_paths(forest: Forest, groups: Ints) -> Iterator[LeafPaths]:
    """The leaves of a forest, some trees at a time; ``groups`` are the groups of its columns."""
    tree = 0
    while tree < len(forest.nodes) - 1:
        after = int(np.searchsorted(forest.nodes, forest.nodes[tree] + NODES_AT_A_TIME, side="right")) - 1
        after = max(after, tree + 1)
        yield _paths(forest, groups, tree, after)
        tree = after


def _paths(forest: Forest, groups: Ints, tree: int, after: int) -> LeafPaths:
    """From the leaves of some trees upwards, all at the same time."""
    first, last = int(forest.nodes[tree]), int(forest.nodes[after])
    size = np.diff(forest.nodes[tree : after + 1])
    start = np.repeat(forest.nodes[tree:after], size)
    child = forest.child[first:last]
    parent, is_left = np.full(last - first, -1), np.zeros(last - first, dtype=bool)
    inner = np.flatnonzero(child)
    left = start[inner] - first + child[inner]
    parent[left] = parent[left + 1] = inner
    is_left[left] = True
    ends = np.flatnonzero(child == 0)
    found, count = np.full((len(ends), 1), -1), np.zeros(len(ends), dtype=np.int64)
    steps, leaves, at = [], np.arange(len(ends)), ends
    while True:
        going = parent[at] >= 0
        leaves, at = leaves[going], at[going]
        if not len(leaves):
            break
        above = parent[at]
        group = groups[forest.feature[first + above]]
        same = found[leaves] == group[:, None]
        slot = np.where(same.any(axis=1), same.argmax(axis=1), count[leaves])
        if slot.max() == MOST_GROUPS:
            raise ValueError(
                f"Explanations are for trees whose leaves depend on at most {MOST_GROUPS} columns each. "
                "Fit the model again with this version."
            )
        if slot.max() == found.shape[1]:
            found = np.column_stack([found, np.full(len(found), -1)])
        found[leaves, slot] = group
        count[leaves] = np.maximum(count[leaves], slot + 1)
        steps.append((leaves, first + above, is_left[at], slot))
        at = above
    return LeafPaths(forest, first, last, forest.value[first + ends], found, tuple(steps))
