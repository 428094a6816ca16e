"""Trees with real-valued leaves as arrays: all nodes in a row, tree after tree, children before their parents."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..basics.typing import Arrays, Ints
from ..core.learners.base import Hypothesis
from ..core.learners.regression_tree import RegressionTree
from ..core.learners.walk import Walk
from ..kernels.binning import WIDTH
from .container import ModelFileError

_KINDS = {"feature": "iu", "threshold": "f", "missing": "b", "below": "iu", "above": "iu", "value": "f", "group": "iu"}


def encode_regression_trees(trees: Sequence[RegressionTree]) -> Arrays:
    """``ends`` and ``set_ends`` say where each tree's nodes and sets of categories end; sets are 256 bits each."""
    walks = [tree.walk for tree in trees]
    feature, threshold, missing, child, value, group, sets = (
        np.concatenate(parts) for parts in zip(*(walk.arrays for walk in walks), strict=True)
    )
    return {
        "ends": np.cumsum([len(walk.feature) for walk in walks], dtype=np.int64),
        "set_ends": np.cumsum([len(walk.sets) for walk in walks], dtype=np.int64),
        "feature": feature,
        "threshold": threshold,
        "missing": missing,
        "below": child[:, 0],
        "above": child[:, 1],
        "value": value,
        "group": group,
        "sets": np.packbits(sets.astype(bool), axis=1),
    }


def decode_regression_trees(arrays: Arrays) -> list[Hypothesis]:
    """The trees; arrays that are no trees are refused, so that no row can walk in circles."""
    if not _are_trees(arrays):
        raise ModelFileError("The model file is damaged: a tree names a node or a set that it does not hold.")
    columns = [arrays[name] for name in _KINDS]
    child = np.column_stack([arrays["below"], arrays["above"]]).astype(np.int64)
    sets = np.unpackbits(arrays["sets"], axis=1).astype(bool)
    found: list[Hypothesis] = []
    spans = zip(pairwise([0, *arrays["ends"].tolist()]), pairwise([0, *arrays["set_ends"].tolist()]), strict=True)
    for (start, end), (first, last) in spans:
        feature, threshold, missing, _, _, value, group = (column[start:end] for column in columns)
        found.append(
            RegressionTree(Walk(feature, threshold, missing, child[start:end], value, group, sets[first:last]))
        )
    return found


def _are_trees(arrays: Arrays) -> bool:
    if not {"ends", "set_ends", "sets", *_KINDS} <= arrays.keys():
        return False
    ends, set_ends, sets = arrays["ends"], arrays["set_ends"], arrays["sets"]
    nodes = len(arrays["feature"])
    fits = (
        all(arrays[name].dtype.kind in kind and arrays[name].shape == (nodes,) for name, kind in _KINDS.items())
        and sets.dtype == np.uint8
        and sets.ndim == 2
        and sets.shape[1] == WIDTH // 8
        and len(ends) == len(set_ends) > 0
        and _are_ends(ends, nodes, 1)
        and _are_ends(set_ends, len(sets), 0)
    )
    if not fits:
        return False
    sizes = np.diff(ends, prepend=0)
    place = np.arange(nodes) - np.repeat(ends - sizes, sizes)
    own_sets = np.repeat(np.diff(set_ends, prepend=0), sizes)
    below, above, group = arrays["below"], arrays["above"], arrays["group"]
    leaf = below == place
    return bool(
        ((below >= 0) & (below <= place) & (above >= 0) & (above <= place) & (leaf == (above == place))).all()
        and ((group >= -1) & (group < own_sets)).all()
        and (np.abs(arrays["value"]) <= 1.0).all()
    )


def _are_ends(ends: Ints, total: int, least: int) -> bool:
    """Whether parts of at least so many entries end there, the last one at the total."""
    return (
        ends.dtype.kind in "iu"
        and ends.ndim == 1
        and bool((np.diff(ends.astype(np.int64), prepend=0) >= least).all())
        and int(ends[-1]) == total
    )
