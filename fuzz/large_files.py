"""Files that are made to take as much memory as they can: few bytes that stand for many objects and numbers.

Each shape takes a small file of a kind, and blows one part of it up to ``count`` entries. Its checksums fit.
"""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

from .archives import FACTS, MANIFEST
from .array_damage import packed

Facts = dict[str, Any]
Arrays = dict[str, np.ndarray]
Shape = Callable[[Facts, Arrays, int], None]


def _tape_of(arrays: Arrays, steps: int) -> None:
    """No hypotheses, so many steps, and the history of as many rounds."""
    for name in [name for name in arrays if name.startswith("tape0/")]:
        del arrays[name]
    arrays["tape0/which"] = np.zeros(steps, np.int64)
    arrays["tape0/coef"] = np.ones(steps, np.int64)
    for name, array in list(arrays.items()):
        if name.startswith("history0/"):
            arrays[name] = np.ones(steps, array.dtype)


def _steps(facts: Facts, arrays: Arrays, count: int) -> None:
    """Steps that add the same constant."""
    _tape_of(arrays, count)
    arrays |= {"tape0/constant/value": np.ones(1, np.int64), "tape0/constant/number": np.zeros(1, np.int64)}


def _stumps(facts: Facts, arrays: Arrays, count: int) -> None:
    """Stumps of different thresholds, which no step uses."""
    _tape_of(arrays, 1)
    for name in ("feature", "missing"):
        arrays[f"tape0/stump/{name}"] = np.zeros(count, np.int64)
    arrays["tape0/stump/sign"] = np.ones(count, np.int64)
    arrays["tape0/stump/threshold"] = np.arange(count) / 3.0
    arrays["tape0/stump/number"] = np.arange(count)


def _parities(facts: Facts, arrays: Arrays, count: int) -> None:
    """One parity of many columns."""
    _tape_of(arrays, 1)
    arrays["tape0/parity/subset"] = np.arange(count) % 3
    arrays["tape0/parity/ends"] = np.array([count])
    arrays["tape0/parity/sign"] = np.ones(1, np.int64)
    arrays["tape0/parity/number"] = np.zeros(1, np.int64)


def _leaves(count: int) -> Arrays:
    """Trees that are one leaf each."""
    return {
        **{name: np.zeros(count, np.int64) for name in ("feature", "below", "above")},
        "threshold": np.full(count, np.inf),
        "missing": np.zeros(count, bool),
        "value": np.zeros(count),
        "group": np.full(count, -1),
        "sets": np.zeros((0, 32), np.uint8),
        "ends": np.arange(1, count + 1),
        "set_ends": np.zeros(count, np.int64),
    }


def _level_by_level(count: int) -> Arrays:
    """One tree, as full as can be: the root last, children before their parents."""
    count |= 1
    place = np.arange(count)
    number = count - 1 - place  # from the root on
    inner = 2 * number + 2 < count
    below = np.where(inner, count - 1 - (2 * number + 1), place)
    above = np.where(inner, count - 1 - (2 * number + 2), place)
    one = {"ends": np.array([count]), "set_ends": np.zeros(1, np.int64)}
    return {**_leaves(count), "below": below, "above": above, **one}


def _regression(trees: Callable[[int], Arrays]) -> Shape:
    def change(facts: Facts, arrays: Arrays, count: int) -> None:
        _tape_of(arrays, 1)
        arrays |= {f"tape0/regression_tree/{name}": array for name, array in trees(count).items()}
        arrays["tape0/regression_tree/number"] = np.arange(len(arrays["tape0/regression_tree/ends"]))

    return change


def _engine(trees: Callable[[int], Arrays]) -> Shape:
    def change(facts: Facts, arrays: Arrays, count: int) -> None:
        for name in [name for name in arrays if name.startswith("booster0/")]:
            del arrays[name]
        arrays |= {f"booster0/{name}": array for name, array in trees(count).items()}
        nodes = len(arrays["booster0/below"])
        arrays |= {f"booster0/{name}": np.zeros(nodes) for name in ("gain", "cover")}
        arrays["booster0/count"] = np.zeros(nodes, np.int64)

    return change


def _with_sets(count: int) -> Arrays:
    """One tree of one leaf, and sets that no node uses."""
    return {**_leaves(1), "sets": np.zeros((count, 32), np.uint8), "set_ends": np.array([count])}


def _sign_tree(facts: Facts, arrays: Arrays, count: int) -> None:
    """One tree of signs, as full as can be, with another threshold at every node."""
    count |= 1
    _tape_of(arrays, 1)
    own = _level_by_level(count)
    inner = own["below"] != np.arange(count)
    arrays |= {
        "tape0/tree/kind": inner.astype(np.int64),
        "tape0/tree/value_or_feature": np.where(inner, 0, 1),
        "tape0/tree/threshold": np.arange(count) / 3.0,
        "tape0/tree/missing": np.zeros(count, np.int64),
        "tape0/tree/below": np.where(inner, own["below"], 0),
        "tape0/tree/above": np.where(inner, own["above"], 0),
        "tape0/tree/members": np.zeros(0, np.int64),
        "tape0/tree/ends": np.zeros(count, np.int64),
        "tape0/tree/root": np.array([count - 1]),
        "tape0/tree/number": np.zeros(1, np.int64),
    }


def _tried(facts: Facts, arrays: Arrays, count: int) -> None:
    """A curve of losses."""
    facts["choice"]["tried"] = [0.0]
    for name in [name for name in arrays if name.startswith("losses/")]:
        del arrays[name]
    arrays["losses/0"] = np.zeros(count)


def _forest(facts: Facts, arrays: Arrays, count: int) -> None:
    """Trees of one leaf in a forest."""
    start = "problem0/forest/"
    for name in ("feature", "low", "width", "child", "value", "group"):
        arrays[start + name] = np.zeros(count, arrays[start + name].dtype)
    arrays[f"{start}nodes"], arrays[f"{start}trees"] = np.arange(count + 1), np.array([0, count])


def _unseen(facts: Facts, arrays: Arrays, count: int) -> None:
    """Margins of many labeled rows."""
    arrays["unseen"], arrays["given"] = np.zeros(count), np.zeros((2, count), np.int64)


def _parameter(item: Any, bytes_each: int = 1) -> Shape:
    """A parameter that is a list of many."""

    def change(facts: Facts, arrays: Arrays, count: int) -> None:
        facts["parameters"]["categorical_features"] = {"list": [item] * (count // bytes_each)}

    return change


def _columns(facts: Facts, arrays: Arrays, count: int) -> None:
    """Many columns without names."""
    facts["n_features_in"], facts["columns"], facts["feature_names_in"] = count, {}, []
    for name in [name for name in arrays if name.startswith("columns/")]:
        del arrays[name]
    _steps(facts, arrays, 1)


def _names(facts: Facts, arrays: Arrays, count: int) -> None:
    """Many columns, each with a name."""
    _columns(facts, arrays, count)
    facts["feature_names_in"] = [f"{number:x}" for number in range(count)]


def _dates(facts: Facts, arrays: Arrays, count: int) -> None:
    """Many columns of dates."""
    _columns(facts, arrays, count)
    date = {"kind": "date", "first": "2024-01-31T00:00:00.000000", "varying": ["year", "month"], "way": None}
    facts["columns"] = {str(number): {**date, "zone": None} for number in range(count)}


def _members(facts: Facts, arrays: Arrays, count: int) -> None:
    """Many sums of a table model, a member each."""
    facts["sums"][0] = [{"kind": "linear", "intercept": 0.0}] * count
    own = {name: array for name, array in arrays.items() if name.startswith("problem0/sum")}
    width = next(array.shape[1] for array in own.values() if array.ndim == 2)
    for name in own:
        del arrays[name]
    arrays |= {f"problem0/sum{place}/coefficients": np.zeros(width) for place in range(count)}


SHAPES: dict[str, tuple[str, Shape]] = {
    "steps": ("stumps", _steps),
    "stumps": ("stumps", _stumps),
    "parities": ("stumps", _parities),
    "regression trees": ("regression trees", _regression(_leaves)),
    "a regression tree": ("regression trees", _regression(_level_by_level)),
    "a tree of signs": ("stumps", _sign_tree),
    "losses": ("regression trees", _tried),
    "trees of an engine": ("xgboost", _engine(_leaves)),
    "a tree of an engine": ("xgboost", _engine(_level_by_level)),
    "sets": ("regression trees", _regression(_with_sets)),
    "a forest": ("table, full", _forest),
    "unseen rows": ("table, full", _unseen),
    "numbers in a list": ("regression trees", _parameter(1.5)),
    "texts in a list": ("regression trees", _parameter("ab")),
    "lists in a list": ("regression trees", _parameter([])),
    "emojis in a list": ("regression trees", _parameter("x" * 2000 + "\N{SLIGHTLY SMILING FACE}", 500)),
    "names": ("stumps", _names),
    "columns": ("stumps", _columns),
    "dates": ("stumps", _dates),
    "sums": ("table, full", _members),
}


def made(content: bytes, shape: str, count: int, narrow: bool, pack: bool) -> bytes:
    """The file; ``narrow`` takes the shortest types of whole numbers, and ``pack`` compresses."""
    archive = zipfile.ZipFile(io.BytesIO(content))
    members = {name: archive.read(name) for name in archive.namelist()}
    facts, manifest = json.loads(members[FACTS]), json.loads(members[MANIFEST])
    arrays = {name.removesuffix(".npy"): np.load(io.BytesIO(own)) for name, own in members.items() if ".npy" in name}
    SHAPES[shape][1](facts, arrays, count)
    files = {FACTS: json.dumps(facts, ensure_ascii=False).encode()}
    files |= {f"{name}.npy": packed(_narrowed(array) if narrow else array) for name, array in arrays.items()}
    manifest["sha256"] = {name: hashlib.sha256(own).hexdigest() for name, own in files.items()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED if pack else zipfile.ZIP_STORED) as out:
        for name, own in {MANIFEST: json.dumps(manifest).encode(), **files}.items():
            out.writestr(name, own)
    return buffer.getvalue()


def _narrowed(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind not in "iu" or not array.size:
        return array
    return array.astype(np.promote_types(np.min_scalar_type(array.min()), np.min_scalar_type(array.max())))
