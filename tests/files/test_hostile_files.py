"""Files with right checksums that somebody has made up: each is refused with a sentence, and soon.

The cases are those that were found by hostile tests of earlier versions.
"""

import copy
import time
from pathlib import Path

import numpy as np
import pytest

import agnoboost as ab
from agnoboost import ModelFileError
from agnoboost.files.container import read, write

V1 = Path(__file__).parent / "v1"


def table():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(160, 4)), 2)
    X[:, 3] = rng.integers(0, 5, 160)
    X[::9, 1] = np.nan
    return X, (np.nan_to_num(X[:, 0] + X[:, 1]) + (X[:, 3] > 2) > 0.5).astype(int)


def fitted():
    X, y = table()
    settings = {"categorical_features": [3], "random_state": 0}
    boosting = {**settings, "n_rounds": 12, "step_size": 0.05, "validation_fraction": 0.5}
    yield "stump", ab.AgnosticBoostingClassifier(weak_learner="stump", **boosting).fit(X, y)
    plain = np.nan_to_num(X)
    yield "sign_tree", ab.AgnosticBoostingClassifier(weak_learner=ab.TreeLearner(2), n_rounds=6).fit(plain, y)
    yield "tree", ab.AgnosticBoostingClassifier(**boosting).fit(X, y)
    yield "table", ab.TableClassifier("fast", members=["stumps", "small trees", "gaussian"], **settings).fit(X, y)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Facts and arrays of each kind, and of old ones."""
    folder = tmp_path_factory.mktemp("hostile")
    found = {}
    for name, model in fitted():
        model.save(folder / f"{name}.agno")
        found[name] = read(folder / f"{name}.agno")
    for old in ("few-labels", "xgboost", "lightgbm", "policy"):
        found[old] = read(V1 / f"{old}.agno")
    return found


def fact(name, value):
    """Set a fact, by its path."""

    def change(facts, arrays):
        *path, last = name.split(".")
        for part in path:
            facts = facts[part]
        assert last in facts
        facts[last] = value

    return change


def array(name, make):
    def change(facts, arrays):
        arrays[name] = np.asarray(make(arrays[name]))

    return change


def entry(name, place, value):
    def change(facts, arrays):
        arrays[name] = arrays[name].copy()
        arrays[name][place] = value

    return change


def shared_nodes(levels):
    """A tree of few nodes and 2**levels ways through them, or of too many levels."""

    def change(facts, arrays):
        for name in [name for name in arrays if name.startswith(("tape0/", "history0/"))]:
            arrays[name] = arrays[name][:1] if name.startswith("history0/") else None
        own = {
            "kind": [0, 0] + [1] * levels,
            "value_or_feature": [-1, 1] + [1] * levels,
            "missing": [0] * (levels + 2),
            "below": [0, 0, *range(1, levels + 1)],
            "above": [0, 0, *range(1, levels + 1)],
            "ends": [0] * (levels + 2),
            "members": [],
            "root": [levels + 1],
            "number": [0],
        }
        arrays |= {f"tape0/tree/{name}": np.array(values, dtype=np.int64) for name, values in own.items()}
        arrays |= {"tape0/which": np.array([0]), "tape0/coef": np.array([1])}
        arrays["tape0/tree/threshold"] = np.zeros(levels + 2)

    return change


def text(kind, old, new):
    def change(facts, arrays):
        content = arrays["booster0"].tobytes()
        assert old in content
        arrays["booster0"] = np.frombuffer(content.replace(old, new), dtype=np.uint8)

    return change


CASES = {
    # numbers that are none, or too large
    ("stump", "cut"): fact("cut", 1e308),
    ("stump", "unit"): fact("units", [1e308]),
    ("stump", "negative unit"): fact("units", [-1.0]),
    ("stump", "NaN threshold"): entry("tape0/stump/threshold", 0, np.nan),
    ("stump", "sign 1000"): array("tape0/stump/sign", lambda a: 1000 * a),
    ("stump", "sign 0"): entry("tape0/stump/sign", 0, 0),
    ("stump", "coefficients at the edge"): array("tape0/coef", lambda a: np.full_like(a, 2**63 - 1)),
    ("stump", "the other edge"): array("tape0/coef", lambda a: np.full_like(a, -(2**63))),
    ("stump", "float coefficients"): array("tape0/coef", lambda a: a + 0.5),
    ("stump", "float steps"): array("tape0/which", lambda a: a.astype(float)),
    ("stump", "numbers twice"): array("tape0/stump/number", lambda a: 0 * a),
    ("stump", "another array"): lambda facts, arrays: arrays.update({"tape0/zzz": np.zeros(3)}),
    ("stump", "another tape"): lambda facts, arrays: arrays.update({"tape1/which": np.zeros(3, int)}),
    ("stump", "another fact"): lambda facts, arrays: facts.update({"zzz": 1}),
    # classes, columns and parameters
    ("stump", "huge type of classes"): fact("classes", {"dtype": "<U300000000", "values": ["a", "b"]}),
    ("stump", "large type of classes"): fact("classes", {"dtype": "<U5000000", "values": ["a", "b"]}),
    ("stump", "type with fields"): fact("classes", {"dtype": "i4,i4", "values": [0, 1]}),
    ("stump", "classes twice"): fact("classes", {"dtype": "object", "values": ["a", "a"]}),
    ("stump", "lists for classes"): fact("classes", {"dtype": "object", "values": [["a", "b"], ["c", "d"]]}),
    ("stump", "three classes"): fact("classes", {"dtype": "<i8", "values": [0, 1, 2]}),
    ("stump", "one class"): fact("classes", {"dtype": "<i8", "values": [0]}),
    ("stump", "classes that do not fit their type"): fact("classes", {"dtype": "|b1", "values": [0, 2]}),
    ("stump", "numbers as texts"): fact("classes", {"dtype": "<U5", "values": [0, 1]}),
    ("stump", "many columns"): fact("n_features_in", 10**8),
    ("stump", "columns as text"): fact("n_features_in", "4"),
    ("stump", "names of fewer columns"): fact("feature_names_in", ["a"]),
    ("stump", "a column that is not there"): fact("columns", {"99": {"kind": "category", "values": ["a"]}}),
    ("stump", "a list for a column"): fact("columns", {"3": ["a"]}),
    ("stump", "many categories"): fact("columns.3.values", list(range(1000))),
    ("stump", "categories twice"): fact("columns.3.values", [0, 0, 1, 2, 3]),
    ("stump", "lists for categories"): fact("columns.3.values", [[0], [1], [2], [3], [4]]),
    ("stump", "another parameter"): fact("parameters", {"zzz": 1}),
    ("stump", "a foreign learner"): fact("parameters.weak_learner", {"learner": "classifier", "fields": {}}),
    ("stump", "many threads"): fact("parameters.n_jobs", 10**9),
    ("stump", "a list for the kind"): fact("kind", ["x"]),
    ("stump", "another kind"): fact("kind", "TableClassifier"),
    # trees
    ("sign_tree", "shared nodes"): shared_nodes(24),
    ("sign_tree", "kind 9"): entry("tape0/tree/kind", -1, 9),
    ("sign_tree", "negative root"): array("tape0/tree/root", lambda a: -a - 1),
    ("sign_tree", "root out of range"): array("tape0/tree/root", lambda a: a + 10**6),
    ("sign_tree", "NaN"): array("tape0/tree/threshold", lambda a: a * np.nan),
    ("sign_tree", "leaves of 7"): entry("tape0/tree/value_or_feature", 0, 7),
    ("tree", "NaN"): array("tape0/regression_tree/value", lambda a: a * np.nan),
    ("tree", "children of others"): array("tape0/regression_tree/below", lambda a: np.zeros_like(a)),
    ("tree", "sets of numbers"): array("tape0/regression_tree/feature", lambda a: np.zeros_like(a)),
    ("tree", "shorter history"): array("history0/edge", lambda a: a[:1]),
    ("table", "NaN curves"): entry("problem0/curves", (0, 0), np.nan),
    ("table", "NaN rows"): entry("problem0/sum0/rows", (0, 0), np.nan),
    ("table", "infinite coefficients"): entry("problem0/sum0/coefficients", 0, np.inf),
    ("table", "shared nodes"): entry("problem0/forest/child", slice(1, 3), 3),
    ("table", "huge sizes"): fact("sizes", {"3": 10**8}),
    ("table", "far ranks"): array("ranks/3", lambda a: a + 10**9),
    ("table", "falling cuts"): fact("bins.cuts", [[3.0, 2.0, 1.0]] * 4),
    ("table", "many weights"): fact("weights", [{}, {}]),
    ("table", "classes of labels"): array("given", lambda a: a + 5),
    # old layouts
    ("few-labels", "no bags"): array("problem0/trees/bags", lambda a: 0),
    ("few-labels", "negative bags"): array("problem0/trees/bags", lambda a: -1),
    ("few-labels", "many bags"): array("problem0/trees/bags", lambda a: 2**40),
    ("few-labels", "one bag"): array("problem0/trees/bags", lambda a: 1),
    ("few-labels", "NaN leaves"): array("problem0/trees/leaves", lambda a: a * np.nan),
    ("few-labels", "NaN rows"): array("problem0/gaussian/rows", lambda a: a * np.nan),
    ("lightgbm", "a circle"): text("lightgbm", b"left_child=1", b"left_child=0"),
    ("lightgbm", "a child that is not there"): text("lightgbm", b"left_child=1", b"left_child=31"),
    ("lightgbm", "NaN"): text("lightgbm", b"leaf_value=", b"leaf_value=nan "),
    ("lightgbm", "nothing"): array("booster0", lambda a: a[:0]),
    ("xgboost", "cut short"): array("booster0", lambda a: a[:-100]),
    ("xgboost", "other children"): text("xgboost", b"left_children[$l#L", b"left_children[$d#L"),
    ("xgboost", "other names"): text("xgboost", b"left_children", b"Left_children"),
    # policies
    ("policy", "columns as text"): fact("n_features", "3"),
    ("policy", "half a column"): fact("n_features", 3.5),
    ("policy", "no columns"): fact("n_features", None),
    ("policy", "weights above 1"): fact("weights", [0.5, 0.5, 0.5]),
}


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_it_is_refused(kind, name, files, tmp_path):
    path = tmp_path / "hostile.agno"
    facts, arrays = copy.deepcopy(files[kind][0]), dict(files[kind][1])
    CASES[kind, name](facts, arrays)
    write(path, facts, {name: array for name, array in arrays.items() if array is not None})
    start = time.perf_counter()
    with pytest.raises(ModelFileError) as caught:
        ab.load(path)
    assert time.perf_counter() - start < 2.0
    assert len(str(caught.value)) < 600
    assert str(caught.value).endswith(".") or "pip install" in str(caught.value)


def test_they_were_good_before(files, tmp_path):
    for facts, arrays in files.values():
        write(tmp_path / "good.agno", facts, arrays)
        ab.load(tmp_path / "good.agno")
