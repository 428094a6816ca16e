"""Models of LightGBM to and from trees of our own.

LightGBM sends values up to a threshold left, and the categories of a set left; here sets go above, and so the children
of such nodes change places. Its leaves have negative numbers: -1 is the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..basics.fact_schema import SchemaError
from ..basics.typing import Bools, Floats, Ints
from ..kernels.binning import MISSING, WIDTH
from .engine_trees import ADVICE, EngineTree, EngineTrees, RawTree, check_lengths

_CATEGORICAL, _DEFAULT_LEFT = 1, 2  # bits of a decision type
_NONE, _ZERO, _NAN = 0, 4, 8  # what counts as missing, in two more bits
_END = "end of trees\n\nfeature_importances:\n\nparameters:\nend of parameters\n\npandas_categorical:null\n"
_WORD = 32  # bits of a part of a set


def trees_of_lightgbm(text: str) -> EngineTrees:
    """The trees of a model in LightGBM's text format."""
    head, *blocks = text.partition("end of trees")[0].split("\nTree=")
    settings = _lines(head)
    if settings.get("num_tree_per_iteration") != "1" or "average_output" in head.split():
        raise SchemaError(f"models of LightGBM are kept if they are sums of trees, not with boosting='rf'. {ADVICE}")
    return EngineTrees([_tree(_lines(block)) for block in blocks], False)


def _lines(block: str) -> dict[str, str]:
    return {name: value for name, sign, value in (line.partition("=") for line in block.splitlines()) if sign}


def _floats(block: dict[str, str], name: str) -> Floats:
    return np.array([float(word) for word in block.get(name, "").split()], dtype=np.float64)


def _ints(block: dict[str, str], name: str) -> Ints:
    return np.array([int(word) for word in block.get(name, "").split()], dtype=np.int64)


def _tree(block: dict[str, str]) -> EngineTree:
    if int(block.get("is_linear", "0")):
        raise SchemaError(f"models of LightGBM are kept if their leaves are numbers, not with linear_tree. {ADVICE}")
    splits, leaves = int(block["num_leaves"]) - 1, _floats(block, "leaf_value")
    if splits == 0:  # of such trees it writes little more
        block = {"leaf_value": block["leaf_value"], "leaf_weight": "0", "leaf_count": "0"}
    kind, feature = _ints(block, "decision_type"), _ints(block, "split_feature")
    threshold, gain = _floats(block, "threshold"), _floats(block, "split_gain")
    children = [_ints(block, f"{side}_child") for side in ("left", "right")]
    inside = [_floats(block, "internal_weight"), _ints(block, "internal_count")]
    check_lengths(splits, kind, feature, threshold, gain, *children, *inside)
    outside = [_floats(block, "leaf_weight"), _ints(block, "leaf_count")]
    check_lengths(splits + 1, leaves, *outside)
    # Leaf k comes after the splits, as node splits + k.
    left, right = (np.where(own < 0, splits - 1 - own, own) for own in children)
    by_set, none = kind & _CATEGORICAL > 0, np.zeros(splits + 1)
    if ((kind & (_ZERO | _NAN)) == _ZERO).any():
        raise SchemaError(f"models of LightGBM are kept if zeros are numbers, not with zero_as_missing. {ADVICE}")
    # Where nothing was missing in training, LightGBM takes it for 0.
    missing = np.where(kind & _NAN > 0, kind & _DEFAULT_LEFT == 0, threshold < 0.0)
    return RawTree(
        np.append(np.where(by_set, right, left), none).astype(np.int64),
        np.append(np.where(by_set, left, right), none).astype(np.int64),
        np.arange(2 * splits + 1) < splits,
        np.append(feature, none).astype(np.int64),
        np.append(threshold, none),
        np.append(missing, none > 0),
        np.append(np.zeros(splits), leaves),
        _sets(block, np.flatnonzero(by_set), threshold),
        np.append(gain, none),
        np.append(inside[0], outside[0]),
        np.append(inside[1], outside[1]),
    ).tree()


def _sets(block: dict[str, str], nodes: Ints, threshold: Floats) -> dict[int, Bools]:
    """The categories that go left, of every node that divides them; missing values never do."""
    ends, words = _ints(block, "cat_boundaries"), _ints(block, "cat_threshold")
    if len(words) and not (words.min() >= 0 and words.max() < 2**_WORD):
        raise SchemaError("the sets of a tree must be made of words of 32 bits")
    found: dict[int, Bools] = {}
    for node in nodes.tolist():
        place = int(threshold[node])
        if not 0 <= place < len(ends) - 1 or not 0 <= ends[place] <= ends[place + 1] <= len(words):
            raise SchemaError("the sets of a tree must be those of its nodes")
        own = words[ends[place] : ends[place + 1]].astype("<u4")
        bits = np.unpackbits(own.view(np.uint8), bitorder="little")
        if bits[MISSING:].any():
            raise SchemaError(f"categories must be below {MISSING}")
        found[node] = np.zeros(WIDTH, dtype=bool)
        found[node][: min(MISSING, len(bits))] = bits[:MISSING]
    return found


def lightgbm_model(trees: EngineTrees, columns: int) -> str:
    """A model of LightGBM, as text, with these trees."""
    blocks = [f"Tree={number}\n{_block(tree.in_levels())}\n\n\n" for number, tree in enumerate(trees.each)]
    head = {
        "version": "v4",
        "num_class": "1",
        "num_tree_per_iteration": "1",
        "label_index": "0",
        "max_feature_idx": str(columns - 1),
        "feature_names": " ".join(f"Column_{column}" for column in range(columns)),
        "feature_infos": " ".join(["none"] * columns),
        "tree_sizes": " ".join(str(len(block)) for block in blocks),
    }
    start = "tree\n" + "".join(f"{name}={value}\n" for name, value in head.items())
    return f"{start}\n{''.join(blocks)}{_END}"


def _block(tree: EngineTree) -> str:
    """Turned round, so that the root comes first; splits and leaves are counted apart."""
    walk, size = tree.walk, len(tree.walk.feature)
    inner = walk.tests[::-1]
    number = np.where(inner, np.cumsum(inner) - 1, -1 * np.cumsum(~inner))
    child = number[(size - 1 - walk.child)[::-1]][inner]
    group = walk.group[::-1][inner]
    by_set = group >= 0
    words = [np.packbits(walk.sets[one], bitorder="little").view("<u4") for one in group[by_set]]
    kind = np.where(by_set, _CATEGORICAL | _NAN, _NAN | np.where(walk.missing[::-1][inner], 0, _DEFAULT_LEFT))
    lines: dict[str, Any] = {
        "num_leaves": [int((~inner).sum())],
        "num_cat": [len(words)],
        "split_feature": walk.feature[::-1][inner],
        "split_gain": tree.gain[::-1][inner],
        "threshold": np.where(by_set, np.cumsum(by_set) - 1, walk.threshold[::-1][inner]),
        "decision_type": kind,
        "left_child": np.where(by_set, child[:, 1], child[:, 0]),
        "right_child": np.where(by_set, child[:, 0], child[:, 1]),
        "leaf_value": walk.value[::-1][~inner],
        "leaf_weight": tree.cover[::-1][~inner],
        "leaf_count": tree.count[::-1][~inner],
        "internal_value": np.zeros(int(inner.sum())),
        "internal_weight": tree.cover[::-1][inner],
        "internal_count": tree.count[::-1][inner],
        **(
            {"cat_boundaries": np.cumsum([0, *map(len, words)]), "cat_threshold": np.concatenate(words)}
            if words
            else {}
        ),
        "is_linear": [0],
        "shrinkage": [1],
    }
    return "\n".join(f"{name}={' '.join(_written(value) for value in values)}" for name, values in lines.items())


def _written(value: Any) -> str:
    return repr(float(value)) if isinstance(value, np.floating) else str(int(value))
