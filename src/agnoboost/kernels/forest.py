"""Regression trees of several runs in flat arrays: their margins, and the arrays as files hold them.

A node sends codes ``low, low + 1, ..., low + width`` left, counted around the circle 0, 1, ..., 255: all codes up to a
cut (low = 0), those and the missing ones (low = 255, the code of missing values), or one category (width = 0). Or it
sends a set of codes left, which is kept as 256 bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.checks import check_same_features
from ..basics.typing import Arrays, Floats, Ints
from .dispatch import cores, in_parts, pays
from .plain_gradient_trees import leaf_values

MOST_FEATURES = 65536
STEP = 3e-8  # seconds that numpy takes to send a row from a node to its child


_STORED: dict[str, tuple[Any, int]] = {  # types and dimensions of the arrays
    "features": (np.int64, 0),
    "base": (np.float64, 1),
    "trees": (np.int64, 1),
    "nodes": (np.int64, 1),
    "feature": (np.int32, 1),
    "low": (np.uint8, 1),
    "width": (np.uint8, 1),
    "child": (np.int32, 1),
    "value": (np.float64, 1),
    "group": (np.int32, 1),
    "sets": (np.uint64, 2),
}


@dataclass(frozen=True)
class Forest:
    """Run r has the margin ``base[r]`` plus trees[r] to trees[r + 1]; tree t the nodes nodes[t] to nodes[t + 1].

    ``child`` counts within a tree: the left child, which the right one follows; 0 at a leaf. ``group`` is the number of
    a node's set, from 1 on; 0 stands for an interval.
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

    @property
    def runs(self) -> int:
        return len(self.base)

    def margins(self, codes: npt.NDArray[np.uint8], threads: int | None = None, compiled: bool | None = None) -> Floats:
        """The margin of every row by each run (shape: runs, rows); codes have the shape (features, rows)."""
        check_same_features(len(codes), self.features, "codes")
        rows = codes.shape[1]
        if compiled is None:
            compiled = pays(STEP * rows * len(self.nodes) * 8)
        if compiled:
            return self._compiled(codes, cores(threads))
        margins = np.repeat(self.base[:, None], rows, axis=1)
        for run in range(self.runs):
            for tree in range(self.trees[run], self.trees[run + 1]):
                margins[run] += leaf_values(codes, self._tree(tree), self.sets)
        return margins

    def to_arrays(self) -> Arrays:
        """Arrays by name."""
        return {name: np.asarray(getattr(self, name)) for name in _STORED}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Forest:
        """The forest of ``to_arrays``. Arrays that are no forest are refused: rows must never leave a tree."""
        found: dict[str, Any] = {}
        for name, (kind, dimensions) in _STORED.items():
            array = np.asarray(arrays.get(name))
            whole = array.dtype.kind in "iu" and kind is not np.float64
            if not (whole or (array.dtype.kind == "f" and kind is np.float64)) or array.ndim != dimensions:
                raise ValueError(f"A forest needs an array {name!r} of numbers. The file is damaged.")
            found[name] = array if name == "sets" or not whole else array.astype(np.int64)
        _check(found)
        found = {name: np.ascontiguousarray(array, _STORED[name][0]) for name, array in found.items()}
        return cls(**found | {"features": int(arrays["features"])})

    def _tree(self, number: int) -> list[npt.NDArray[Any]]:
        own = slice(self.nodes[number], self.nodes[number + 1])
        return [part[own] for part in (self.feature, self.low, self.width, self.child, self.value, self.group)]

    def _compiled(self, codes: npt.NDArray[np.uint8], threads: int) -> Floats:
        from .compiled.forest import add_forest, write_steps

        steps = np.empty(len(self.value), dtype=np.int64)
        for tree, start in enumerate(self.nodes[:-1]):
            feature, low, width, child, _, group = self._tree(tree)
            write_steps(feature, low, width, child, group, steps[start : self.nodes[tree + 1]])
        margins = np.empty((self.runs, codes.shape[1]))
        by_row = np.ascontiguousarray(codes.T)
        order = np.arange(codes.shape[1], dtype=np.uint32)
        forest = (steps, self.value, self.group, self.sets, self.nodes, self.trees, self.base)
        in_parts(add_forest, codes.shape[1], threads, *forest, by_row, order, margins)
        return margins


def _check(arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Refuse offsets that do not fit, features and children out of range, and values that are no numbers."""
    trees, nodes, child = arrays["trees"], arrays["nodes"], arrays["child"]
    sizes = {len(arrays[name]) for name in ("feature", "low", "width", "child", "value", "group")}
    fits = (
        0 < arrays["features"] < MOST_FEATURES
        and len(sizes) == 1
        and arrays["sets"].shape[1] == 4
        and _are_offsets(trees, len(arrays["base"]), len(nodes) - 1)
        and _are_offsets(nodes, len(nodes) - 1, len(child))
        and bool((np.diff(nodes) > 0).all())
    )
    if fits:
        place = np.arange(len(child)) - np.repeat(nodes[:-1], np.diff(nodes))
        size = np.repeat(np.diff(nodes), np.diff(nodes))
        fits = (
            bool(((child == 0) | ((child > place) & (child < size - 1))).all())
            and bool(((arrays["feature"] >= 0) & (arrays["feature"] < arrays["features"])).all())
            and bool(((arrays["group"] >= 0) & (arrays["group"] <= len(arrays["sets"]))).all())
            and all(bool(((arrays[name] >= 0) & (arrays[name] < 256)).all()) for name in ("low", "width"))
            and all(bool(np.isfinite(arrays[name]).all()) for name in ("base", "value"))
        )
    if not fits:
        raise ValueError("These arrays hold no trees: offsets, features or children are out of range.")


def _are_offsets(offsets: npt.NDArray[Any], parts: int, end: int) -> bool:
    return bool(len(offsets) == parts + 1 and offsets[0] == 0 and offsets[-1] == end and (np.diff(offsets) >= 0).all())
