"""Models of XGBoost to and from trees of our own.

XGBoost sends values below a threshold left, in single precision. x < t is x <= the next smaller number, which is what
is kept; and categories of a set go right.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

import numpy as np

from ..basics.fact_schema import SchemaError
from ..basics.typing import Bools, Floats
from ..kernels.binning import MISSING, WIDTH
from .engine_trees import ADVICE, EngineTree, EngineTrees, RawTree, check_lengths
from .ubjson import from_ubjson

_COLUMNS = {
    "left_children": np.int64,
    "right_children": np.int64,
    "default_left": np.int64,
    "split_indices": np.int64,
    "split_type": np.int64,
    "split_conditions": np.float32,
    "loss_changes": np.float64,
    "sum_hessian": np.float64,
}
_NO_PARENT = 2**31 - 1


def trees_of_xgboost(content: bytes) -> EngineTrees:
    """The trees of a model in XGBoost's binary format."""
    learner = from_ubjson(content)["learner"]
    booster, settings = learner["gradient_booster"], learner["learner_model_param"]
    start = float(settings["base_score"].strip("[]"))
    if booster["name"] != "gbtree" or start != 0.0 or int(settings["num_target"]) > 1:
        raise SchemaError(f"models of XGBoost are kept if they are sums of trees, with booster='gbtree'. {ADVICE}")
    model = booster["model"]
    per_round = int(model["gbtree_model_param"]["num_parallel_tree"])
    return EngineTrees([_tree(one) for one in model["trees"]], True, max(per_round, 1))


def _tree(raw: dict[str, Any]) -> EngineTree:
    columns = {name: np.asarray(raw[name]).astype(kind) for name, kind in _COLUMNS.items()}
    check_lengths(len(columns["left_children"]), *columns.values())
    inner, default_left = columns["left_children"] >= 0, columns["default_left"] > 0
    conditions = columns["split_conditions"]
    return RawTree(
        columns["left_children"],
        columns["right_children"],
        inner,
        columns["split_indices"],
        np.nextafter(conditions, np.float32(-np.inf)).astype(np.float64),
        ~default_left,
        conditions.astype(np.float64),
        _sets(raw, columns["split_type"] > 0, default_left),
        columns["loss_changes"],
        columns["sum_hessian"],
        np.zeros(len(inner), dtype=np.int64),
    ).tree()


def _sets(raw: dict[str, Any], by_set: Bools, default_left: Bools) -> dict[int, Bools]:
    """The categories that go right, of every node that divides them; the last entry is for missing values."""
    members = np.asarray(raw["categories"], dtype=np.int64)
    spans = [np.asarray(raw[f"categories_{name}"], dtype=np.int64) for name in ("nodes", "segments", "sizes")]
    if len({len(one) for one in spans}) != 1 or set(spans[0].tolist()) != set(np.flatnonzero(by_set).tolist()):
        raise SchemaError("the sets of a tree must be those of its nodes")
    if len(members) and not (members.min() >= 0 and members.max() < MISSING):
        raise SchemaError(f"categories must be below {MISSING}")
    found: dict[int, Bools] = {}
    for node, start, size in zip(*(one.tolist() for one in spans), strict=True):
        if not 0 <= start <= start + size <= len(members):
            raise SchemaError("the sets of a tree must hold categories that are there")
        found[node] = np.zeros(WIDTH, dtype=bool)
        found[node][members[start : start + size]] = True
        found[node][MISSING] = not default_left[node]
    return found


def xgboost_model(trees: EngineTrees, columns: int, categorical: Collection[int]) -> bytes:
    """A model of XGBoost, in JSON, with these trees."""
    count, per_round = len(trees.each), trees.per_round
    model = {
        "gbtree_model_param": {"num_parallel_tree": str(per_round), "num_trees": str(count)},
        "iteration_indptr": list(range(0, count + 1, per_round)),
        "tree_info": [0] * count,
        "trees": [_raw(tree.in_levels(), number, columns) for number, tree in enumerate(trees.each)],
    }
    learner = {
        "attributes": {},
        "feature_names": [],
        "feature_types": ["c" if column in categorical else "float" for column in range(columns)],
        "gradient_booster": {"model": model, "name": "gbtree"},
        "learner_model_param": {
            "base_score": "0E0",
            "boost_from_average": "0",
            "num_class": "0",
            "num_feature": str(columns),
            "num_target": "1",
        },
        "objective": {"name": "reg:squarederror", "reg_loss_param": {"scale_pos_weight": "1"}},
    }
    return json.dumps({"learner": learner, "version": [2, 1, 0]}).encode()


def _raw(tree: EngineTree, number: int, columns: int) -> dict[str, Any]:
    """Turned round, so that the root comes first."""
    walk, size = tree.walk, len(tree.walk.feature)
    inner = walk.tests[::-1]
    child = (size - 1 - walk.child)[::-1]
    left, right = (np.where(inner, own, -1) for own in child.T)
    parents = np.full(size, _NO_PARENT)
    for own in (left, right):
        parents[own[inner]] = np.flatnonzero(inner)
    group = walk.group[::-1]
    nodes = np.flatnonzero(group >= 0)
    sets = [np.flatnonzero(walk.sets[group[node], :MISSING]).tolist() for node in nodes]
    sizes = [len(own) for own in sets]
    missing = walk.missing[::-1].copy()
    missing[nodes] = walk.sets[group[nodes], MISSING]
    return {
        "base_weights": _floats(np.where(inner, 0.0, walk.value[::-1])),
        "categories": [category for own in sets for category in own],
        "categories_nodes": nodes.tolist(),
        "categories_segments": (np.cumsum(sizes, dtype=np.int64) - sizes).tolist(),
        "categories_sizes": sizes,
        "default_left": (inner & ~missing).astype(int).tolist(),
        "id": number,
        "left_children": left.tolist(),
        "loss_changes": _floats(tree.gain[::-1]),
        "parents": parents.tolist(),
        "right_children": right.tolist(),
        "split_conditions": _floats(_conditions(walk.threshold[::-1], walk.value[::-1], inner, group)),
        "split_indices": walk.feature[::-1].tolist(),
        "split_type": (group >= 0).astype(int).tolist(),
        "sum_hessian": _floats(tree.cover[::-1]),
        "tree_param": {
            "num_deleted": "0",
            "num_feature": str(columns),
            "num_nodes": str(size),
            "size_leaf_vector": "1",
        },
    }


def _conditions(threshold: Floats, value: Floats, inner: Bools, group: Any) -> Floats:
    """Thresholds of nodes, and the values of leaves."""
    above = np.nextafter(threshold.astype(np.float32), np.float32(np.inf)).astype(np.float64)
    return np.where(inner, np.where(group >= 0, 0.0, above), value)


def _floats(values: Floats) -> list[float]:
    largest = float(np.finfo(np.float32).max)  # infinity is not JSON
    return [float(value) for value in np.clip(values, -largest, largest).astype(np.float32)]
