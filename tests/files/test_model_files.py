import hashlib
import io
import json
import os
import zipfile

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import agnoboost
from agnoboost import AgnosticBoostingClassifier, HistogramTreeLearner, ModelFileError, ParityLearner, Tape, TreeLearner
from agnoboost.basics import atomic as _files
from agnoboost.core.learners import Stump, Tree
from agnoboost.core.learners.tree import Cut, Leaf, Split
from agnoboost.core.tape import Add, Shrink
from agnoboost.files.hypotheses import pack_tape, unpack_tape

pd = pytest.importorskip("pandas")


@pytest.fixture
def mixed(rng):
    """Numbers with holes, text categories, half of the labels missing."""
    X = pd.DataFrame({"a": rng.normal(size=120), "b": rng.choice(["x", "y", "z"], 120), "c": rng.integers(3, size=120)})
    X.loc[::7, "a"] = np.nan
    X.loc[3, "b"] = None
    y = np.where((X["b"] == "x") | (X["a"] > 0), "yes", "no").astype(object)
    y[60:] = None
    return X, y


def roundtrip(model, path):
    model.save(path)
    return agnoboost.load(path)


def test_predictions_are_the_same_to_the_bit(mixed, tmp_path):
    X, y = mixed
    model = AgnosticBoostingClassifier(
        n_rounds=40, random_state=0, threshold=0.3, validation_fraction=0.25, class_weight={"no": 2.0, "yes": 1.0}
    ).fit(X, y)
    again = roundtrip(model, tmp_path / "m.agno")
    assert np.array_equal(model.decision_function(X), again.decision_function(X))
    assert np.array_equal(model.predict_proba(X), again.predict_proba(X))
    assert np.array_equal(model.predict(X), again.predict(X))
    assert any(isinstance(step, Shrink) for step in model.tape_.steps)
    assert again.get_params() == model.get_params()
    assert again.classes_.tolist() == ["no", "yes"]
    assert again.feature_names_in_.tolist() == ["a", "b", "c"]
    assert (again.n_labeled_, again.n_unlabeled_, again.n_rounds_) == (60, 60, model.n_rounds_)
    assert again.history_.choice.reason == model.history_.choice.reason
    assert np.array_equal(again.history_.runs[0]["edge"], model.history_.runs[0]["edge"])
    assert np.array_equal(again.history_.runs[0]["branch"], model.history_.runs[0]["branch"])
    assert np.array_equal(again.feature_importances_, model.feature_importances_)
    assert np.array_equal(again.history_.choice.held_out.margins, model.history_.choice.held_out.margins)
    refit = again.fit(X, y)
    assert np.array_equal(refit.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("learner", ["stump", "tree", TreeLearner(1)])
def test_every_learner_and_number_of_classes(tmp_path, classes, learner):
    X, y = make_classification(150, n_informative=5, n_classes=classes, random_state=0)
    model = AgnosticBoostingClassifier(weak_learner=learner, n_rounds=15, random_state=0).fit(X, y)
    again = roundtrip(model, tmp_path / "m.agno")
    assert np.array_equal(model.decision_function(X), again.decision_function(X))
    assert again.classes_.dtype == model.classes_.dtype
    assert again.get_params() == model.get_params()


def test_parities_and_bins_as_parameters(rng, tmp_path):
    X = rng.choice([-1.0, 1.0], size=(80, 4))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    for learner in (ParityLearner(2), HistogramTreeLearner.from_data(X, 2)):
        model = AgnosticBoostingClassifier(weak_learner=learner, n_rounds=5, step_size=0.2).fit(X, y)
        again = roundtrip(model, tmp_path / "m.agno")
        assert np.array_equal(model.decision_function(X), again.decision_function(X))
        assert again.weak_learner == learner


def test_a_foreign_estimator_is_refused_with_advice(tmp_path):
    X, y = make_classification(60, random_state=0)
    for learner in (DecisionTreeClassifier(max_depth=1), agnoboost.ProbabilityLearner(LogisticRegression())):
        model = AgnosticBoostingClassifier(weak_learner=learner, n_rounds=3).fit(X, y)
        with pytest.raises(ValueError, match=r"skops"):
            model.save(tmp_path / "m.agno")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def saved(tmp_path):
    X, y = make_classification(60, random_state=0)
    path = tmp_path / "m.agno"
    AgnosticBoostingClassifier(n_rounds=5, random_state=0).fit(X, y).save(path)
    return path


def test_a_file_cut_short_anywhere_is_refused(saved):
    content = saved.read_bytes()
    for length in [0, 1, 10, 100, *range(200, len(content), 997), len(content) - 1]:
        saved.write_bytes(content[:length])
        with pytest.raises(ModelFileError):
            agnoboost.load(saved)


def test_a_changed_byte_is_found_or_harmless(saved, rng):
    X, _ = make_classification(60, random_state=0)
    content = saved.read_bytes()
    expected = agnoboost.load(saved).decision_function(X)
    found = 0
    for place in rng.integers(len(content), size=150):
        changed = bytearray(content)
        changed[place] ^= 0x55
        saved.write_bytes(bytes(changed))
        try:
            model = agnoboost.load(saved)
        except ModelFileError:
            found += 1
        else:  # bytes that zip does not look at, such as time stamps
            assert np.array_equal(model.decision_function(X), expected)
    assert found > 100


def rewrite(path, change):
    """Change members and bring the checksums up to date, as somebody with a zip tool could."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def test_tampering_a_later_version_and_other_archives_are_refused(saved, tmp_path):
    kept = saved.read_bytes()

    def tamper(members):
        members["model.json"] = members["model.json"].replace(b'"n_labeled": 60', b'"n_labeled": 61')

    rewrite(saved, tamper)
    with pytest.raises(ModelFileError, match=r"checksum of model.json differs"):
        agnoboost.load(saved)

    saved.write_bytes(kept)

    def later(members):
        members["manifest.json"] = json.dumps({**json.loads(members["manifest.json"]), "version": 99}).encode()

    rewrite(saved, later)
    with pytest.raises(ModelFileError, match=r"format version 99.*pip install -U agnoboost"):
        agnoboost.load(saved)

    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("hello.txt", "hello")
    text = tmp_path / "text.agno"
    text.write_text("hello")
    for path in (other, text):
        with pytest.raises(ModelFileError, match=r"must be a model file of agnoboost"):
            agnoboost.load(path)
    with pytest.raises(FileNotFoundError):
        agnoboost.load(tmp_path / "nothing.agno")


def test_pickles_inside_are_never_opened(saved):
    class Bomb:
        def __reduce__(self):
            return (os._exit, (3,))

    def plant(members):
        buffer = io.BytesIO()
        np.save(buffer, np.array([Bomb()], dtype=object), allow_pickle=True)
        members["tape0/coef.npy"] = buffer.getvalue()
        manifest = json.loads(members["manifest.json"])
        manifest["sha256"]["tape0/coef.npy"] = hashlib.sha256(members["tape0/coef.npy"]).hexdigest()
        members["manifest.json"] = json.dumps(manifest).encode()

    rewrite(saved, plant)
    with pytest.raises(ValueError, match="plain numbers"):
        agnoboost.load(saved)


def test_a_failed_write_leaves_the_old_file(saved, monkeypatch):
    kept = saved.read_bytes()

    def fail(*arguments):
        raise OSError("disk full")

    monkeypatch.setattr(_files.os, "replace", fail)
    model = agnoboost.load(saved)
    with pytest.raises(OSError, match="disk full"):
        model.save(saved)
    assert saved.read_bytes() == kept
    assert [p.name for p in saved.parent.iterdir()] == ["m.agno"]


def test_equal_steps_of_a_long_tape_are_one_object(rng):
    """That is what makes loading quick: 500 stumps are made, not 100,000."""
    stumps = [Stump(int(rng.integers(20)), float(rng.normal()), 1) for _ in range(500)]
    steps = [Shrink(1) if i % 50 == 0 else Add(stumps[i % 500], 1) for i in range(100_000)]
    again = unpack_tape(pack_tape(Tape.of(0.01, steps)), 0.01, 20)
    assert again.steps == steps
    assert len({id(step.hypothesis) for step in again.steps if isinstance(step, Add)}) <= 500


def test_equal_tests_of_many_trees_are_one_object(rng):
    cuts = [Cut(int(rng.integers(20)), float(rng.normal())) for _ in range(400)]

    def grow(depth):
        if not depth:
            return Leaf(int(rng.choice([-1, 1])))
        return Split(cuts[rng.integers(400)], grow(depth - 1), grow(depth - 1))

    def tests(node):
        return [] if isinstance(node, Leaf) else [node.test, *tests(node.below), *tests(node.above)]

    steps = [Add(Tree(grow(3)), 1) for _ in range(2_000)]
    again = unpack_tape(pack_tape(Tape.of(0.01, steps)), 0.01, 20)
    assert again.steps == steps
    assert len({id(test) for step in again.steps for test in tests(step.hypothesis.root)}) <= 400


def test_missing_values_of_category_splits_survive(tmp_path, rng):
    X = pd.DataFrame({"c": rng.choice(["a", "b", "c"], 300), "n": rng.normal(size=300)})
    X.loc[::4, "c"] = None
    y = np.where(X["c"].isna() | (X["c"] == "a"), 1, 0)
    model = AgnosticBoostingClassifier(n_rounds=10, step_size=0.1, random_state=0).fit(X, y)
    again = roundtrip(model, tmp_path / "m.agno")
    gone = X.assign(c=None)
    assert np.array_equal(model.decision_function(gone), again.decision_function(gone))
    assert again.tape_ == model.tape_


@pytest.mark.parametrize(
    ("member", "change"),
    [
        ("tape0/regression_tree/feature.npy", lambda a: a + 99),
        ("tape0/regression_tree/below.npy", lambda a: a - 50),
        ("tape0/regression_tree/above.npy", lambda a: a[::-1].copy()),
        ("tape0/regression_tree/value.npy", lambda a: 3.0 * a),
        ("tape0/regression_tree/value.npy", lambda a: np.full_like(a, np.nan)),
        ("tape0/regression_tree/group.npy", lambda a: a + 1),
        ("tape0/regression_tree/ends.npy", lambda a: a + 1),
        ("tape0/regression_tree/set_ends.npy", lambda a: a[:-1]),
        ("tape0/regression_tree/threshold.npy", lambda a: a[:-1]),
        ("tape0/which.npy", lambda a: a + 10**6),
        ("tape0/coef.npy", lambda a: a[:-1]),
    ],
)
def test_numbers_that_make_no_sense_are_refused(saved, member, change):
    plant(saved, member, change)
    with pytest.raises(ModelFileError):
        agnoboost.load(saved)


@pytest.mark.parametrize(("column", "by"), [("value_or_feature", 99), ("below", -50)])
def test_numbers_of_sign_valued_trees_that_make_no_sense_are_refused(tmp_path, column, by):
    X, y = make_classification(60, random_state=0)
    path = tmp_path / "m.agno"
    AgnosticBoostingClassifier(weak_learner=TreeLearner(2), n_rounds=5, random_state=0).fit(X, y).save(path)
    plant(path, f"tape0/tree/{column}.npy", lambda a: a + by)
    with pytest.raises(ModelFileError):
        agnoboost.load(path)


def plant(path, member, change):
    """Change an array of a file, and the file's own account of it."""

    def change_members(members):
        buffer = io.BytesIO()
        np.save(buffer, change(np.load(io.BytesIO(members[member]))))
        members[member] = buffer.getvalue()
        manifest = json.loads(members["manifest.json"])
        manifest["sha256"][member] = hashlib.sha256(members[member]).hexdigest()
        members["manifest.json"] = json.dumps(manifest).encode()

    rewrite(path, change_members)


def test_labels_of_odd_types_are_refused(tmp_path):
    X, y = make_classification(60, random_state=0)
    when = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]")[y]
    try:
        model = AgnosticBoostingClassifier(n_rounds=3).fit(X, when)
    except (ValueError, TypeError):
        return
    with pytest.raises(ValueError, match="numbers and texts only"):
        model.save(tmp_path / "m.agno")
