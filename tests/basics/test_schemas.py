"""Schemas take what they describe, and refuse everything else with a sentence."""

import numpy as np
import pytest

from agnoboost.basics.array_schema import Array, ArrayGroup, Ends
from agnoboost.basics.fact_schema import (
    Flag,
    ListOf,
    MapOf,
    Maybe,
    NamedSize,
    Number,
    OneOf,
    PlainValue,
    Record,
    SchemaError,
    Text,
    Whole,
)
from agnoboost.basics.tree_shape import DEEPEST, check_trees

INFINITY = float("inf")

FACTS = {
    "number": (Number(0.0, 1.0), [0, 1, 0.5], [float("nan"), INFINITY, -0.1, 1.1, "0.5", True, None, [0.5], 10**400]),
    "any number": (Number(), [-5, 1e299], [INFINITY, -INFINITY, float("nan"), 10**400]),
    "positive": (Number(positive=True), [1e-300], [0.0, -1.0]),
    "whole": (Whole(0, 9), [0, 9], [-1, 10, 3.0, True, "3", None]),
    "index": (Whole(0, "columns"), [0, 2], [3, -1]),
    "size": (NamedSize(1, 9, "columns"), [3], [0, 2, 10, 3.0]),
    "flag": (Flag(), [True, False], [0, 1, "true", None]),
    "text": (Text(3), ["", "abc"], ["abcd", 3, None, b"abc"]),
    "one of": (OneOf(("a", "b")), ["a"], ["c", ["a"], None]),
    "known": (PlainValue(gap=False), [True, 3, 0.5, "x"], [None, INFINITY]),
    "plain": (PlainValue(), [None, True, 3, 0.5, "x"], [INFINITY, [], {}, "x" * 20_000]),
    "maybe": (Maybe(Whole()), [None, 3], ["x", -1]),
    "list": (ListOf(Whole(), "columns"), [[1, 2, 3]], [[1, 2], [1, 2, 3, 4], (1, 2, 3), "abc", [1, 2, -3], None]),
    "distinct": (ListOf(PlainValue(), distinct=True), [["a", 1]], [["a", "a"], [1, True], [1, 1.0], [[1], [1]]]),
    "map": (
        MapOf(Flag(), "columns"),
        [{"2": True}, {}],
        [{"3": True}, {"02": True}, {"2": 1}, {"-1": True}, [], {"²": True}],
    ),
    "record": (
        Record({"a": Whole(), "b": Flag()}, frozenset({"b"})),
        [{"a": 1}, {"a": 1, "b": True}],
        [{}, {"b": True}, {"a": 1, "c": 2}, {"a": -1}, [], None],
    ),
}


@pytest.mark.parametrize(("schema", "good", "bad"), FACTS.values(), ids=FACTS)
def test_facts(schema, good, bad):
    assert schema.words
    for value in good:
        schema.check(value, "it", {"columns": 3})
    for value in bad:
        with pytest.raises(SchemaError, match="it"):
            schema.check(value, "it", {"columns": 3})


def test_errors_are_short_and_say_where():
    schema = Record({"weights": ListOf(Number(0.0))})
    with pytest.raises(SchemaError, match=r"^weights\[1\] must be a number >= 0, not 'x+\.\.\.x+'$"):
        schema.check({"weights": [1.0, "x" * 1000]}, "", {})


def test_the_first_list_of_a_name_says_how_long_the_others_are():
    schema = Record({"names": ListOf(Text(), "columns"), "means": ListOf(Number(), "columns")})
    schema.check({"names": ["a"], "means": [1.0]}, "", {})
    with pytest.raises(SchemaError, match="means must have 1 columns, not 2"):
        schema.check({"names": ["a"], "means": [1.0, 2.0]}, "", {})


def ints(*values):
    return np.array(values, dtype=np.int64)


ARRAYS = {
    "whole": (
        Array("whole", ("rows",), "", 0, "columns"),
        [ints(0, 2), ints(1, 1).astype("u1")],
        [ints(3, 0), ints(-1, 0), ints(0), ints(0, 0)[None], np.zeros(2), np.zeros(2, bool), np.zeros(2, "c16")],
    ),
    "whole, any": (
        Array("whole", ("rows",), ""),
        [ints(2**63 - 1, -(2**63))],
        [np.array([2**63, 0], np.uint64)],  # which would become negative
    ),
    "bits": (Array("bits", ("rows",), ""), [np.array([2**63, 0], np.uint64)], [ints(0, 1)]),
    "number": (
        Array("number", ("rows", None), "", -1.0, 1.0),
        [np.zeros((2, 7)), np.ones((2, 0), "f4")],
        [np.full((2, 1), np.nan), np.full((2, 1), np.inf), np.full((2, 1), 1.5), np.zeros((3, 1)), np.zeros(2)],
    ),
    "infinite": (Array("number", (), "", infinite=True), [np.array(-np.inf)], [np.array(np.nan), np.zeros(1)]),
    "flag": (Array("flag", ("rows",), ""), [np.zeros(2, bool)], [ints(0, 1), np.zeros(2)]),
    "byte": (
        Array("byte", ("rows", 4), ""),
        [np.zeros((2, 4), "u1")],
        [np.zeros((2, 4), "u8"), np.zeros((2, 5), "u1")],
    ),
    "ends": (
        Ends("whole", ("rows",), "", total="nodes", least=1),
        [ints(1, 5), ints(4, 5).astype("u8")],
        [ints(0, 5), ints(5, 5), ints(6, 5), ints(1, 6), ints(-1, 5), ints(2**63 - 1, 5), np.array([2**63, 5], "u8")],
    ),
    "offsets": (
        Ends("whole", (None,), "", total="nodes", parts="rows"),
        [ints(0, 5, 5)],
        [ints(), ints(1, 5), ints(0, 4)],
    ),
}


@pytest.mark.parametrize(("schema", "good", "bad"), ARRAYS.values(), ids=ARRAYS)
def test_arrays(schema, good, bad):
    assert schema.words
    for array in good:
        schema.check(array, "it", {"rows": 2, "columns": 3, "nodes": 5})
    for array in bad:
        with pytest.raises(SchemaError, match="it"):
            schema.check(array, "it", {"rows": 2, "columns": 3, "nodes": 5})


def refuse_negative(arrays, sizes):
    if arrays["total"] < 0:
        raise SchemaError("negative total")


PARTS = ArrayGroup(
    {
        "all": Array("number", ("rows",), ""),
        "run{}": ArrayGroup(
            {"steps": Array("whole", ("steps",), ""), "limit": Array("whole", ("steps",), "", optional=True)},
            count="runs",
        ),
        "curve{}": Array("number", (None,), "", count="runs"),
        "total": Array("whole", (), ""),
        "extra": ArrayGroup({"x": Array("whole", ("rows",), "")}, optional=True),
    },
    refuse_negative,
)


def whole():
    return {
        "all": np.zeros(3),
        "run0/steps": ints(1, 2),
        "run1/steps": ints(1),
        "run1/limit": ints(5),
        "curve0": np.zeros(2),
        "curve1": np.zeros(4),
        "total": np.array(1),
    }


def test_parts_have_sizes_of_their_own_and_may_be_left_out():
    PARTS.check(whole(), "", {"runs": 2})
    PARTS.check(whole() | {"extra/x": ints(1, 2, 3)}, "", {"runs": 2})


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"all": None}, "all is missing"),
        ({"run1/steps": None}, "run1/steps is missing"),
        ({"run0/steps": None}, "run0 is missing"),
        ({"run2/steps": ints(1)}, "has run2, which no such file has"),
        ({"run0/other": ints(1)}, "has run0/other, which"),
        ({"run0/steps/deep": ints(1)}, "both an array and a group"),
        ({"run0": ints(1)}, "both an array and a group"),
        ({"extra": ints(1)}, "extra must be several arrays"),
        ({"curve0": None, "curve0/x": ints(1)}, "curve0 must be an array"),
        ({"extra/x": ints(1, 2)}, "extra/x must have 3 rows, not 2"),
        ({"run1/limit": ints(5, 6)}, "run1/limit must have 1 steps, not 2"),
        ({"total": np.array(-1)}, "negative total"),
    ],
)
def test_parts_that_do_not_fit_are_refused(change, match):
    arrays = {name: array for name, array in (whole() | change).items() if array is not None}
    with pytest.raises(SchemaError, match=match):
        PARTS.check(arrays, "", {"runs": 2})


def chain(levels):
    """A tree that is a row of cuts: node 2k + 1 is the leaf beside node 2k."""
    inner = np.arange(2 * levels + 1) % 2 == 0
    inner[-1] = False
    place = np.arange(len(inner))
    return place + 1, place + 2, inner, ints(0)


def test_trees():
    check_trees(*chain(3))
    check_trees(*chain(DEEPEST - 1))
    check_trees(ints(0, 0), ints(0, 0), np.zeros(2, bool), ints(0, 1))  # two trees of a leaf each


@pytest.mark.parametrize(
    ("below", "above", "inner", "roots", "match"),
    [
        ([1, 0], [1, 0], [True, False], [0], "reached once"),  # both children are the same
        ([1, 2, 0], [1, 2, 0], [True, True, False], [0], "reached once"),  # 2**levels ways
        ([0, 0, 0], [0, 0, 0], [False] * 3, [0], "reached once"),  # nodes of no tree
        ([0, 2, 1, 1], [0, 3, 0, 0], [False, True, True, False], [0], "reached once"),
        ([0, 1], [0, 1], [False, False], [0, 0], "reached once"),  # a root of two trees
        ([0, 2, 1, 0, 0], [0, 3, 4, 0, 0], [False, True, True, False, False], [0], "from its root"),  # a circle
        (*chain(DEEPEST)[:2], *chain(DEEPEST)[2:], "at most 256 levels"),
    ],
)
def test_what_is_no_tree_is_refused(below, above, inner, roots, match):
    with pytest.raises(SchemaError, match=match):
        check_trees(np.array(below), np.array(above), np.array(inner), np.array(roots))
