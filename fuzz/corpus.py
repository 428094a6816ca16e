"""What earlier campaigns have found, as changes to fresh files: no finding may come back."""

import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np

from .archives import FACTS
from .array_damage import packed
from .fact_damage import DEEP, as_text

Members = dict[str, bytes]
Change = Callable[[Members], None]


def fact(*path: Any, value: Any) -> Change:
    """A fact gets another value."""

    def change(members: Members) -> None:
        facts = json.loads(members[FACTS])
        parent = facts
        for key in path[:-1]:
            parent = parent[key]
        parent[path[-1]] = value
        members[FACTS] = as_text(facts).encode()

    return change


def array(name: str, change: Callable[[np.ndarray], np.ndarray]) -> Change:
    """An array is replaced by what is made of it."""

    def apply(members: Members) -> None:
        members[name] = packed(change(np.load(io.BytesIO(members[name]))))

    return apply


def entry(name: str, value: Any) -> Change:
    """The last entry of an array gets another value."""

    def change(values: np.ndarray) -> np.ndarray:
        values = values.copy()
        values.reshape(-1)[-1] = value
        return values

    return array(name, change)


def raw(name: str, old: bytes, new: bytes) -> Change:
    """Some bytes of a member are others."""

    def change(members: Members) -> None:
        assert old in members[name]
        members[name] = members[name].replace(old, new, 1)

    return change


def together(*changes: Change) -> Change:
    """One change after the other."""

    def apply(members: Members) -> None:
        for change in changes:
            change(members)

    return apply


def missing(name: str) -> Change:
    return lambda members: members.pop(name) and None


STUMPS = "tape0/stump"

# name: (base, change)
MODELS: dict[str, tuple[str, Change]] = {
    "a count of infinity": ("stumps", fact("n_unlabeled", value=-float("inf"))),
    "lists without end": ("stumps", fact("columns", value=DEEP)),
    "a cut of NaN": ("table", fact("cut", value=float("nan"))),
    "an infinite cut": ("stumps", fact("cut", value=float("inf"))),
    "the same class twice": ("stumps", fact("classes", "values", value=["yes", "yes"])),
    "classes of 300 million letters": ("stumps", fact("classes", "dtype", value="<U300000000")),
    "a category that is a table": ("stumps", fact("columns", "1", "values", 0, value={"a": 1})),
    "a bin that is a text": ("table", fact("bins", "cuts", 0, 0, value="")),
    "a name of infinity": ("stumps", fact("feature_names_in", 3, value=-float("inf"))),
    "a learner of NaN": ("stumps", fact("parameters", "weak_learner", value=float("nan"))),
    "a unit of 1e308": ("stumps", fact("units", 0, value=1e308)),
    "a stump of sign 1000": ("stumps", entry(f"{STUMPS}/sign.npy", 1000)),
    "a threshold of NaN": ("stumps", entry(f"{STUMPS}/threshold.npy", np.nan)),
    "coefficients at the edge": ("stumps", entry("tape0/coef.npy", 2**63 - 1)),
    "coefficients that are no whole numbers": ("stumps", array("tape0/coef.npy", lambda coef: coef + 0.5)),
    "columns by fractions": ("stumps", array(f"{STUMPS}/feature.npy", lambda feature: feature.astype("f2"))),
    "dates for missing values": ("stumps", array(f"{STUMPS}/missing.npy", lambda missing: missing.astype("M8[s]"))),
    "a header without end": ("stumps", raw("tape0/coef.npy", b"}", b" ")),
    "a header of 10^12 numbers": ("stumps", raw("tape0/coef.npy", b"'shape': (", b"'shape': (1000000000000, ")),
    "a kernel row of NaN": ("table", entry("problem0/sum2/rows.npy", np.nan)),
    "a category of null": ("stumps", fact("columns", "1", "values", 0, value=None)),
    "a truth among texts": ("table", fact("columns", "1", "values", 0, value=True)),
    "a truth among classes that are texts": (
        "stumps",
        fact("classes", value={"dtype": "object", "values": ["no", True]}),
    ),
    "a class of null": ("stumps", fact("classes", value={"dtype": "object", "values": [None, "yes"]})),
    "the same name twice": ("stumps", fact("feature_names_in", 0, value="word")),
    "no learner": ("stumps", fact("parameters", "weak_learner", value=None)),
    "a policy of three as a text": ("policy", fact("n_features", value="3")),
    "a cut at the end of all numbers": ("table", fact("bins", "cuts", 0, 0, value=-1e308)),
    "a billion directions of nothing": (
        "table",
        together(
            array("columns/3/places.npy", lambda places: places[:0]),
            array("columns/3/rarity.npy", lambda rarity: rarity[:0]),
            array("columns/3/directions.npy", lambda _: np.zeros((10**9, 0))),
        ),
    ),
    "a billion stumps of nothing": ("stumps", array(f"{STUMPS}/feature.npy", lambda _: np.zeros((10**9, 0), int))),
}

# name: (base, change, depth): whether the seal was made again
CHECKPOINTS: dict[str, tuple[str, Change, str]] = {
    "another coefficient": ("reuse", entry("tape/coef.npy", 3), "structural"),
    "another generator": ("reuse", fact("generator", "state", "state", value=1), "structural"),
    "another number of rows": ("reuse", fact("drawn", value=[50, 1]), "sealed"),
    "no tape": ("reuse", missing("tape/which.npy"), "sealed"),
    "no generator": ("numpy", fact("generator", value={}), "sealed"),
    "a generator that is a list": ("numpy", fact("generator", value=[]), "sealed"),
    "rows that do not sum to one": ("fresh rows", entry("state/sample/mass.npy", 0.9), "sealed"),
    "an order with gaps": ("pab", entry("order0.npy", 0), "sealed"),
    "generations without end": ("reuse", array("state/inner/generations.npy", lambda _: np.array(10**9)), "sealed"),
    "a vector that is too short": ("parities", array("state/walsh/0.npy", lambda vector: vector[:-1]), "sealed"),
    "more label than mass": ("reuse", entry("state/inner/15/signed.npy", 0.3), "sealed"),
    "rows of another type": ("gs24", array("state/12/X.npy", lambda X: X.astype("i1")), "sealed"),
    "an unknown engine": ("stream", fact("engine", value="gpu"), "sealed"),
    "lists without end": ("numpy", fact("start", value=DEEP), "structural"),
    "a column that there is not": (
        "numpy",
        together(fact("features", value=None), entry("tape/stump/feature.npy", 10**6)),
        "sealed",
    ),
    "a generator of two billion letters": (
        "numpy",
        fact("generator", "state", value={"array": ["x"], "dtype": "S2000000000"}),
        "sealed",
    ),
}
