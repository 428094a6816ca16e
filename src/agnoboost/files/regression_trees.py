"""Trees with real-valued leaves as arrays: all nodes in a row, tree after tree, children before their parents."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..basics.typing import Arrays
from ..core.learners.base import Hypothesis
from ..core.learners.regression_tree import RegressionTree
from ..core.learners.walk import Walk
from ..kernels.binning import WIDTH

_NODES: dict[str, Any] = {
    "feature": np.int64,
    "threshold": np.float64,
    "missing": np.bool_,
    "value": np.float64,
    "group": np.int64,
}


def encode_regression_trees(trees: Sequence[RegressionTree]) -> Arrays:
    """The arrays of hypotheses."""
    return pack_walks([tree.walk for tree in trees])


def decode_regression_trees(arrays: Arrays) -> list[Hypothesis]:
    """The hypotheses of arrays that have been checked."""
    return [RegressionTree(walk) for walk in unpack_walks(arrays)]


def pack_walks(walks: Sequence[Walk]) -> Arrays:
    """``ends`` and ``set_ends`` say where each tree's nodes and sets of categories end; sets are 256 bits each."""
    child = np.concatenate([np.zeros((0, 2), np.int64), *(walk.child for walk in walks)])
    sets = np.concatenate([np.zeros((0, WIDTH), bool), *(walk.sets for walk in walks)])
    return {
        "ends": np.cumsum([len(walk.feature) for walk in walks], dtype=np.int64),
        "set_ends": np.cumsum([len(walk.sets) for walk in walks], dtype=np.int64),
        **{
            name: np.concatenate([np.zeros(0, kind), *(getattr(walk, name) for walk in walks)]).astype(kind)
            for name, kind in _NODES.items()
        },
        "below": child[:, 0],
        "above": child[:, 1],
        "sets": np.packbits(sets.astype(bool), axis=1),
    }


def unpack_walks(arrays: Arrays) -> list[Walk]:
    """What :func:`pack_walks` packed, of arrays that have been checked."""
    child = np.column_stack([arrays["below"], arrays["above"]]).astype(np.int64)
    sets = np.unpackbits(arrays["sets"], axis=1).astype(bool)
    columns = [arrays[name].astype(kind, copy=False) for name, kind in _NODES.items()]
    found: list[Walk] = []
    spans = zip(pairwise([0, *arrays["ends"].tolist()]), pairwise([0, *arrays["set_ends"].tolist()]), strict=True)
    for (start, end), (first, last) in spans:
        feature, threshold, missing, value, group = (column[start:end] for column in columns)
        found.append(Walk(feature, threshold, missing, child[start:end], value, group, sets[first:last]))
    return found
