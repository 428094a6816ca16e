"""What the arrays of tapes and hypotheses may be. :mod:`.hypotheses` writes and reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..basics.array_schema import Array, ArrayGroup, Ends, Rule
from ..basics.fact_schema import Number, SchemaError, Sizes
from ..basics.tree_shape import check_trees
from ..basics.typing import Arrays
from ..kernels.binning import MISSING, WIDTH

SHRINK = -1  # in place of a hypothesis number
NO_LIMIT = -1  # of a step that does not project
LEAF, CUT, SET = 0, 1, 2  # kinds of nodes of sign-valued trees
MOST_UNITS = 2.0**62  # of all steps together: no sum of them leaves 64 bits
UNIT = Number(positive=True, high=1e6)

_MANY = ("hypotheses",)  # the size of all arrays that have an entry for each hypothesis of the kind
_FEATURE = Array("whole", _MANY, "the column that it looks at", 0, "columns")
_SIGN = Array("whole", _MANY, "what it says above the threshold, or of all", -1, 1, nonzero=True)
_MISSING_SIGN = Array("whole", _MANY, "what it says where the value is missing", -1, 1)


def _categories(size: str, meaning: str) -> Array:
    return Array("whole", (size,), meaning, 0, MISSING - 1)


def _ends(size: str, meaning: str) -> Ends:
    return Ends("whole", _MANY, meaning, total=size)


def _group(fields: Mapping[str, Array], rule: Rule | None = None) -> ArrayGroup:
    """Hypotheses of one kind; a tape need not have any."""
    number = Array("whole", _MANY, "the numbers of these hypotheses", 0)
    return ArrayGroup({**fields, "number": number}, rule, optional=True)


def _check_sign_trees(arrays: Arrays, sizes: Sizes) -> None:
    inner, number = arrays["kind"] != LEAF, arrays["value_or_feature"]
    below, above, place = arrays["below"], arrays["above"], np.arange(len(inner))
    if not (np.abs(number[~inner]) == 1).all():
        raise SchemaError("the leaves of trees must be -1 or +1")
    if not ((number[inner] >= 0) & (number[inner] < sizes["columns"])).all():
        raise SchemaError(f"trees must look at columns below {sizes['columns']}")
    if not ((below < place) & (above < place))[inner].all():
        raise SchemaError("the children of a node must stand before it")
    check_trees(below, above, inner, arrays["root"])


def _check_regression_trees(arrays: Arrays, sizes: Sizes) -> None:
    ends, set_ends = arrays["ends"].astype(np.int64), arrays["set_ends"].astype(np.int64)
    parts, many = np.diff(ends, prepend=0), len(arrays["below"])
    short: Any = np.int32 if many < 2**31 else np.int64  # there may be millions of nodes: half the room
    start = np.repeat((ends - parts).astype(short), parts)
    place = np.arange(many, dtype=short) - start
    below, above, leaf = arrays["below"], arrays["above"], arrays["below"] == place
    if not ((below <= place) & (above <= place) & (leaf == (above == place))).all():
        raise SchemaError("the children of a node must stand before it, in the same tree")
    del place
    if (arrays["group"] >= np.repeat(np.diff(set_ends, prepend=0).astype(short), parts)).any():
        raise SchemaError("a tree must name sets of its own")
    check_trees(below.astype(short) + start, above.astype(short) + start, ~leaf, ends - 1)


def regression_trees(largest: float, **more: Array) -> ArrayGroup:
    """Trees whose leaves are numbers; ``more`` is what else is known of every node."""
    return ArrayGroup(
        {
            "feature": Array("whole", ("nodes",), "the column that a node looks at", 0, "columns"),
            "threshold": Array("number", ("nodes",), "values above it go to the child above", infinite=True),
            "missing": Array("flag", ("nodes",), "whether missing values go above"),
            "below": Array("whole", ("nodes",), "the child below, counted in the tree; a leaf is its own", 0),
            "above": Array("whole", ("nodes",), "the child above", 0),
            "value": Array("number", ("nodes",), "of a leaf", -largest, largest),
            "group": Array("whole", ("nodes",), "the set of categories that go above, or -1", -1),
            "sets": Array("byte", ("sets", WIDTH // 8), "sets as bits; the last one is for missing values"),
            "ends": Ends("whole", _MANY, "where each tree's nodes end; its root is the last", total="nodes", least=1),
            "set_ends": _ends("sets", "where each tree's sets end"),
            **more,
        },
        _check_regression_trees,
    )


HYPOTHESES: dict[str, ArrayGroup] = {
    "stump": _group(
        {
            "feature": _FEATURE,
            "threshold": Array("number", _MANY, "values above it are of the sign", infinite=True),
            "sign": _SIGN,
            "missing": _MISSING_SIGN,
        }
    ),
    "category_stump": _group(
        {
            "feature": _FEATURE,
            "plus": _categories("plus", "categories of which it says +1"),
            "plus_ends": _ends("plus", "where those of each end"),
            "minus": _categories("minus", "categories of which it says -1"),
            "minus_ends": _ends("minus", "where those of each end"),
            "missing": _MISSING_SIGN,
        }
    ),
    "tree": _group(
        {
            "kind": Array("whole", ("nodes",), "0 for a leaf, 1 for a cut, 2 for a set of categories", LEAF, SET),
            "value_or_feature": Array("whole", ("nodes",), "of a leaf -1 or +1, else the column that it looks at"),
            "threshold": Array("number", ("nodes",), "values above it go to the child above", infinite=True),
            "missing": Array("whole", ("nodes",), "whether missing values go above", 0, 1),
            "below": Array("whole", ("nodes",), "the child below", 0, "nodes"),
            "above": Array("whole", ("nodes",), "the child above", 0, "nodes"),
            "members": _categories("members", "categories that go above"),
            "ends": Ends("whole", ("nodes",), "where those of each node end", total="members"),
            "root": Array("whole", _MANY, "the root of each tree", 0, "nodes"),
        },
        _check_sign_trees,
    ),
    "regression_tree": _group(regression_trees(1.0).fields, _check_regression_trees),  # type: ignore[arg-type]
    "parity": _group(
        {
            "subset": Array("whole", ("subsets",), "columns whose product it is", 0, "columns"),
            "ends": _ends("subsets", "where those of each end"),
            "sign": _SIGN,
        }
    ),
    "linear": _group(
        {
            "weights": Array("number", ("hypotheses", "columns"), "of the columns", -1e100, 1e100),
            "offset": Array("number", _MANY, "added to the weighted sum", -1e100, 1e100),
        }
    ),
    "constant": _group({"value": Array("whole", _MANY, "what it always says", -1, 1)}),
}


def _check_tape(arrays: Arrays, sizes: Sizes) -> None:
    numbers = np.concatenate(
        [np.zeros(0, np.int64), *(arrays[f"{k}/number"] for k in HYPOTHESES if f"{k}/number" in arrays)]
    )
    if not np.array_equal(np.sort(numbers), np.arange(len(numbers))):
        raise SchemaError("hypotheses must be numbered 0, 1, ..., each once")
    which = arrays["which"]
    if len(which) and which.max() >= len(numbers):
        raise SchemaError("steps must name hypotheses that the file holds")
    if np.abs(arrays["coef"].astype(np.float64)).sum() > MOST_UNITS:
        raise SchemaError("the coefficients must have a sum within 64 bits")


TAPE = ArrayGroup(
    {
        "which": Array("whole", ("steps",), "the number of the hypothesis of each step; -1 for a case-B step", SHRINK),
        "coef": Array("whole", ("steps",), "the coefficient of each step, in units"),
        "limit": Array(
            "whole", ("steps",), "up to where margins are projected, in units, or -1", NO_LIMIT, optional=True
        ),
        **HYPOTHESES,
    },
    _check_tape,
    count="problems",
)


def tested_by_sets(arrays: Arrays) -> set[int]:
    """The columns of which a tape needs categories."""
    found: list[int] = arrays["category_stump/feature"].tolist() if "category_stump/feature" in arrays else []
    if "regression_tree/group" in arrays:
        found += arrays["regression_tree/feature"][arrays["regression_tree/group"] >= 0].tolist()
    if "tree/kind" in arrays:
        found += arrays["tree/value_or_feature"][arrays["tree/kind"] == SET].tolist()
    return set(found)
