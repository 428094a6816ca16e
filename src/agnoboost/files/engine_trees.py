"""Trees of XGBoost and LightGBM as arrays of our own, which are checked like those of our own trees.

Native parsers believe what they are given: a changed file can crash them, or send rows in circles. They are handed
nothing from a file: predictions are made from these arrays, and what an engine needs is written anew from them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.array_schema import Array
from ..basics.fact_schema import SchemaError
from ..basics.typing import Arrays, Bools, Floats, Ints, Matrix
from ..core.learners.walk import Walk
from ..kernels.binning import WIDTH
from ..kernels.dispatch import cores, in_parts, pays
from ..kernels.forest import LARGEST
from .hypothesis_schemas import regression_trees
from .regression_trees import pack_walks, unpack_walks

ADVICE = "Save what get_booster() gives with the engine's own means"  # for models that have no such form
TINY = float(np.float32(1e-35))  # LightGBM's

_KNOWN: dict[str, Any] = {"gain": np.float64, "cover": np.float64, "count": np.int64}  # of nodes, in training

ENGINE_TREES = regression_trees(
    LARGEST,
    gain=Array("number", ("nodes",), "by how much a split lowers the loss", -LARGEST, LARGEST),
    cover=Array("number", ("nodes",), "the weight of the rows of training that reach a node", 0.0, LARGEST),
    count=Array("whole", ("nodes",), "how many rows of training that is; 0 where it is not known", 0),
)


@dataclass(frozen=True, eq=False)
class EngineTree:
    """A tree, and what was known of its nodes in training."""

    walk: Walk
    gain: Floats
    cover: Floats
    count: Ints

    def in_levels(self) -> EngineTree:
        """The same, from the end to the start level by level, siblings beside each other: engines count on that."""
        walk = self.walk
        sets = {int(node): walk.sets[walk.group[node]] for node in np.flatnonzero(walk.group >= 0)}
        nodes = (walk.tests, walk.feature, walk.threshold, walk.missing, walk.value, sets)
        known = (self.gain, self.cover, self.count)
        return RawTree(*walk.child.T, *nodes, *known, len(walk.feature) - 1).tree()  # type: ignore[call-arg]


@dataclass(frozen=True, eq=False)
class EngineTrees:
    """The sum of trees, ``per_round`` of them a round.

    XGBoost reads and adds in ``single`` precision. LightGBM does not, but takes tiny numbers for 0.
    """

    each: Sequence[EngineTree]
    single: bool
    per_round: int = 1

    @property
    def rounds(self) -> int:
        return len(self.each) // self.per_round

    @cached_property
    def _walks(self) -> list[Walk]:
        return [tree.walk for tree in self.each]

    def margin(self, X: Matrix, rounds: int | None = None) -> Floats:
        """The sum, after some rounds or after all: in the order of the trees, and so to the last bit the engine's."""
        walks = self._walks[: None if rounds is None else rounds * self.per_round]
        rows = np.array(X, dtype=np.float32 if self.single else np.float64, order="C")
        if not self.single:
            rows[np.abs(rows) <= TINY] = 0.0
        total = np.zeros(len(rows), dtype=rows.dtype)
        compiled = pays(sum(walk.seconds(len(rows)) for walk in walks))

        def add(start: int, end: int) -> None:
            for walk in walks:
                total[start:end] += walk.values(rows[start:end], compiled).astype(rows.dtype, copy=False)

        in_parts(add, len(rows), cores() if compiled else 1)
        return total.astype(np.float64)

    def gains(self, features: int) -> Floats:
        """The total gain of the splits on each feature."""
        total = np.zeros(features)
        for tree in self.each:
            inner = tree.walk.tests
            np.add.at(total, tree.walk.feature[inner], tree.gain[inner])
        return total

    def pack(self) -> Arrays:
        """Arrays of all trees in a row."""
        more = {
            name: np.concatenate([np.zeros(0, kind), *(getattr(tree, name) for tree in self.each)])
            for name, kind in _KNOWN.items()
        }
        return pack_walks(self._walks) | more

    @classmethod
    def unpack(cls, arrays: Arrays, single: bool, per_round: int) -> EngineTrees:
        """What :meth:`pack` packed, and was checked."""
        known = {name: arrays[name].astype(kind, copy=False) for name, kind in _KNOWN.items()}
        return cls(_KeptTrees(unpack_walks(arrays), arrays["ends"], known), single, per_round)


@dataclass(frozen=True, eq=False)
class _KeptTrees(Sequence[EngineTree]):
    """Trees of a file: what was known of their nodes stays in common arrays until it is asked for."""

    walks: list[Walk]
    ends: npt.NDArray[Any]
    known: Arrays

    def __len__(self) -> int:
        return len(self.walks)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        number = range(len(self))[place]
        own = slice(self.ends[number - 1] if number else 0, self.ends[number])
        return EngineTree(self.walks[number], **{name: array[own] for name, array in self.known.items()})


@dataclass(frozen=True, eq=False)
class RawTree:
    """A tree as an engine has it, in any order. ``sets`` are by number of the node."""

    below: Ints
    above: Ints
    inner: Bools
    feature: Ints
    threshold: Floats
    missing: Bools
    value: Floats
    sets: dict[int, Bools]
    gain: Floats
    cover: Floats
    count: Ints
    root: int = 0

    def tree(self) -> EngineTree:
        """With children before their parents, and without nodes that were pruned."""
        order = self._order()
        place = np.zeros(len(self.below), dtype=np.int64)
        place[order] = np.arange(len(order))
        inner = self.inner[order]
        child = np.column_stack([place[np.where(self.inner, own, 0)[order]] for own in (self.below, self.above)])
        child[~inner] = np.flatnonzero(~inner)[:, None]
        group = np.full(len(order), -1)
        tables: list[Bools] = []
        for new, old in enumerate(order.tolist()):
            if inner[new] and old in self.sets:
                group[new] = len(tables)
                tables.append(self.sets[old])
        by_set = group >= 0
        walk = Walk(
            np.where(inner, self.feature[order], 0),
            np.where(inner & ~by_set, self.threshold[order], np.inf),
            self.missing[order] & inner & ~by_set,
            child,
            np.where(inner, 0.0, self.value[order]),
            group,
            np.array(tables, dtype=bool).reshape(-1, WIDTH),
        )
        return EngineTree(walk, np.where(inner, self.gain[order], 0.0), self.cover[order], self.count[order])

    def _order(self) -> Ints:
        """Nodes that are reached from the root, children first; each must be reached once."""
        below, above, inner = self.below.tolist(), self.above.tolist(), self.inner.tolist()
        found: list[int] = []
        seen, waiting = [False] * len(inner), deque([self.root])
        while waiting:  # level by level, siblings beside each other
            node = waiting.popleft()
            if not 0 <= node < len(inner) or seen[node]:
                raise SchemaError("every node of a tree must be there, and be reached once")
            seen[node] = True
            found.append(node)
            if inner[node]:
                waiting.extend((below[node], above[node]))
        return np.array(found[::-1], dtype=np.int64)


def check_lengths(length: int, *columns: npt.NDArray[Any]) -> None:
    """Refuse columns of other lengths."""
    if any(len(column) != length for column in columns):
        raise SchemaError("the columns of a tree must be of the same length")
