"""Sums of forests as one: what trees with one cut amount to are curves, and the others stand in one row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.typing import Floats
from .binning import WIDTH
from .forest import Forest, goes_left


def weighted_sum(features: int, forests: Sequence[Forest], factors: Sequence[float]) -> tuple[Floats, Forest]:
    """The sum of the mean margins of some forests, times their factors: functions of single columns, and one forest.

    Trees with one cut add up to a curve for each column (shape: features, 256), which holds all bases as well.
    """
    scaled = [factor / forest.runs for forest, factor in zip(forests, factors, strict=True)]
    curves = np.zeros((features, WIDTH))
    nothing = [np.zeros(0, dtype=kind) for kind in (np.int32, np.uint8, np.uint8, np.int32, np.float64, np.int32)]
    kept: list[list[npt.NDArray[Any]]] = [nothing]
    sizes, sets = [np.zeros(0, dtype=np.int64)], [np.zeros((0, 4), dtype=np.uint64)]
    for one, factor in zip(forests, scaled, strict=True):
        size = np.diff(one.nodes)
        curves[0] += factor * float(one.base.sum())
        _add_curves(one, factor, curves)
        own = np.repeat(size > 3, size)
        group = np.where(one.group[own] > 0, one.group[own] + sum(map(len, sets)), 0).astype(np.int32)
        kept.append([one.feature[own], one.low[own], one.width[own], one.child[own], factor * one.value[own], group])
        sizes.append(size[size > 3])
        sets.append(one.sets)
    nodes = np.append(0, np.cumsum(np.concatenate(sizes)))
    columns = [np.concatenate(parts) for parts in zip(*kept, strict=True)]
    trees = np.array([0, len(nodes) - 1])
    feature, low, width, child, value, group = columns
    parts = (feature, low, width, child, value, group, np.concatenate(sets))
    return curves, Forest(features, np.zeros(1), trees, nodes, *parts)


def _add_curves(forest: Forest, factor: float, curves: Floats) -> None:
    """Trees of one node or three, as functions of a column."""
    size = np.diff(forest.nodes)
    curves[0] += factor * float(forest.value[forest.nodes[:-1][size == 1]].sum())
    root = forest.nodes[:-1][size == 3]
    every = np.broadcast_to(np.arange(WIDTH), (len(root), WIDTH))
    facts = (forest.low[root, None], forest.width[root, None], np.broadcast_to(forest.group[root, None], every.shape))
    left = goes_left(every, *facts, forest.sets)
    values = np.where(left, forest.value[root + 1, None], forest.value[root + 2, None])
    np.add.at(curves, forest.feature[root], factor * values)
