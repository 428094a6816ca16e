"""Regression trees of several runs in flat arrays: their margins, and the arrays as files hold them.

A node sends codes ``low, low + 1, ..., low + width`` left, counted around the circle 0, 1, ..., 255: all codes up to a
cut (low = 0), those and the missing ones (low = 255, the code of missing values), or one category (width = 0). Or it
sends a set of codes left, which is kept as 256 bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..basics.array_schema import Array, ArrayGroup, Ends
from ..basics.checks import check_same_features
from ..basics.fact_schema import SchemaError, Sizes
from ..basics.tree_shape import check_trees
from ..basics.typing import Arrays, Bools, Floats, Ints
from .binning import MISSING
from .dispatch import cores, in_parts, pays_by_now

MOST_FEATURES = 65536
LARGEST = 1e100  # of values in files: sums of them stay finite
BLOCK = 256  # rows that numpy sends down at a time: they stay in the cache
CALL = 2e-5  # seconds that numpy takes for a level of a round, however few the rows
STEP = 3e-8  # seconds that numpy takes to send a row from a node to its child


_TYPES: dict[str, Any] = {
    "base": np.float64,
    "trees": np.int64,
    "nodes": np.int64,
    "feature": np.int32,
    "low": np.uint8,
    "width": np.uint8,
    "child": np.int32,
    "value": np.float64,
    "group": np.int32,
    "sets": np.uint64,
}


def _check_forest(arrays: Arrays, sizes: Sizes) -> None:
    """Children and sets are there, features are below their number, and trees are trees."""
    nodes, child = arrays["nodes"].astype(np.int64), arrays["child"].astype(np.int64)
    parts, features = np.diff(nodes), int(arrays["features"])
    start, size = np.repeat(nodes[:-1], parts), np.repeat(parts, parts)
    if not ((child == 0) | (child < size - 1)).all() or (arrays["feature"] >= features).any():
        raise SchemaError("a forest must have the children and the features that it names")
    if features != sizes.get("columns", features):
        raise SchemaError(f"a forest must be of {sizes['columns']} columns, not of {features}")
    if (arrays["group"] > len(arrays["sets"])).any():
        raise SchemaError("a forest must have the sets that it names")
    check_trees(start + child, start + child + 1, child > 0, nodes[:-1])


def goes_left(code: Ints, low: Any, width: Any, group: Any, sets: npt.NDArray[np.uint64]) -> Bools:
    """Whether nodes send codes left; ``group`` is the number of a node's set, from 1 on, or 0 for an interval."""
    left = ((code - low) & MISSING) <= width
    if group.any():
        member = (sets[group - 1, code >> 6] >> (code & 63).astype(np.uint64)) & np.uint64(1) > 0
        left = np.where(group > 0, member, left)
    return np.asarray(left)


@dataclass(frozen=True)
class Forest:
    """Run r has the margin ``base[r]`` plus trees[r] to trees[r + 1]; tree t the nodes nodes[t] to nodes[t + 1].

    ``child`` counts within a tree: the left child, which the right one follows; 0 at a leaf. ``group`` is the number of
    a node's set, from 1 on; 0 stands for an interval. Nodes are in the order in which they were made.
    """

    features: int
    base: Floats
    trees: Ints
    nodes: Ints
    feature: npt.NDArray[np.int32]
    low: npt.NDArray[np.uint8]
    width: npt.NDArray[np.uint8]
    child: npt.NDArray[np.int32]
    value: Floats
    group: npt.NDArray[np.int32]
    sets: npt.NDArray[np.uint64]

    schema: ClassVar[ArrayGroup] = ArrayGroup(  # of files
        {
            "features": Array("whole", (), "columns", 1, MOST_FEATURES - 1),
            "base": Array("number", ("runs",), "the margin before the first tree", -LARGEST, LARGEST),
            "feature": Array("whole", ("nodes",), "the column that a node looks at", 0),
            "low": Array("whole", ("nodes",), "the first bin that goes left", 0, MISSING),
            "width": Array("whole", ("nodes",), "how many more go left, around the circle of bins", 0, MISSING),
            "child": Array(
                "whole", ("nodes",), "the left child in its tree, which the right one follows; 0: a leaf", 0
            ),
            "value": Array("number", ("nodes",), "of a leaf", -LARGEST, LARGEST),
            "group": Array("whole", ("nodes",), "the number of the set of bins that go left, from 1 on, or 0", 0),
            "sets": Array("bits", ("sets", 4), "sets of bins"),
            "nodes": Ends("whole", (None,), "where each tree's nodes begin", total="nodes", least=1, parts="trees"),
            "trees": Ends("whole", (None,), "where each run's trees begin", total="trees", parts="runs"),
        },
        _check_forest,
    )

    @property
    def runs(self) -> int:
        return len(self.base)

    def seconds(self, rows: int) -> float:
        """About how long numpy takes for so many rows."""
        levels = (len(self.child) // max(len(self.nodes) - 1, 1)).bit_length()  # about, if trees are balanced
        rounds = int(np.diff(self.trees).max(initial=0)) * -(-rows // BLOCK)
        return CALL * rounds * levels + STEP * rows * len(self.nodes) * levels

    def margins(self, codes: npt.NDArray[np.uint8], threads: int | None = None, compiled: bool | None = None) -> Floats:
        """The margin of every row by each run (shape: runs, rows); codes have the shape (features, rows)."""
        check_same_features(len(codes), self.features, "codes")
        rows = codes.shape[1]
        if compiled is None:
            compiled = pays_by_now(self.seconds(rows))
        if compiled:
            return self._compiled(codes, cores(threads))
        blocks = [codes[:, start : start + BLOCK] for start in range(0, max(rows, 1), BLOCK)]
        return np.hstack([self._plain(each) for each in blocks])

    def to_arrays(self) -> Arrays:
        """Arrays by name."""
        return {name: np.asarray(getattr(self, name)) for name in self.schema.fields}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Forest:
        """The forest of ``to_arrays``. Arrays that are no forest are refused: rows must never leave a tree."""
        cls.schema.check(dict(arrays))
        return cls.of_checked(arrays)

    @classmethod
    def of_checked(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Forest:
        """The same, of arrays that have been checked."""
        found: dict[str, Any] = {name: np.ascontiguousarray(arrays[name], kind) for name, kind in _TYPES.items()}
        return cls(int(arrays["features"]), **found)

    def _plain(self, codes: npt.NDArray[np.uint8]) -> Floats:
        """In plain numpy, tree by tree: all rows of all runs go down at the same time."""
        flat, rows = np.ascontiguousarray(codes), codes.shape[1]
        run, row = np.repeat(np.arange(self.runs), rows), np.tile(np.arange(rows), self.runs)
        column = self.feature.astype(np.int64) * rows
        child = np.where(self.child > 0, self.child + np.repeat(self.nodes[:-1], np.diff(self.nodes)), 0)
        margins, trees = np.repeat(self.base, rows), np.diff(self.trees)
        for number in range(int(trees.max(initial=0))):
            own = np.flatnonzero((trees > number).take(run))
            node = self.nodes.take(self.trees.take(run[own]) + number)
            inner = np.flatnonzero(child.take(node))
            while len(inner):
                at = node.take(inner)
                code = flat.take(column.take(at) + row.take(own.take(inner))).astype(np.int64)
                left = goes_left(code, self.low.take(at), self.width.take(at), self.group.take(at), self.sets)
                node[inner] = child.take(at) + ~left
                inner = inner[child.take(node.take(inner)) > 0]
            margins[own] += self.value.take(node)
        return margins.reshape(self.runs, rows)

    def _compiled(self, codes: npt.NDArray[np.uint8], threads: int) -> Floats:
        from .compiled.scoring import score

        margins = np.empty((self.runs, codes.shape[1]))
        where = (self.base, self.trees, self.nodes)
        tests = (self.feature, self.low, self.width, self.child, self.group, self.sets)
        given = (np.ascontiguousarray(codes), *where, *tests, self.value, self._steps())
        in_parts(score, codes.shape[1], threads, *given, margins)
        return margins

    def _steps(self) -> Ints:
        """Nodes as compiled code walks them."""
        from .compiled.forest import write_all_steps

        steps = np.empty(len(self.value), dtype=np.int64)
        write_all_steps(self.feature, self.low, self.width, self.child, self.group, self.nodes, steps)
        return steps
