"""Labels through a channel, as users meet them: classifiers that learn from them, corrected probabilities, errors."""

import numpy as np
import pytest
from sklearn.base import clone

import agnoboost as ab
from agnoboost.integrations import LGBMAgnosticClassifier, XGBAgnosticClassifier
from agnoboost.labels import (
    Chain,
    ComplementaryLabels,
    FlipRates,
    NoiseMatrix,
    RandomisedResponse,
    SeenChance,
    SoftLabels,
    chance_weights,
)

CLASSIFIERS = {
    "core": lambda **p: ab.AgnosticBoostingClassifier(n_rounds=60, step_size=0.1, random_state=0, **p),
    "few": lambda **p: ab.FewLabelClassifier(random_state=0, **p),
    "table": lambda **p: ab.TableClassifier(random_state=0, effort="fast", **p),
    "xgboost": lambda **p: XGBAgnosticClassifier(40, random_state=0, n_jobs=1, **p),
    "lightgbm": lambda **p: LGBMAgnosticClassifier(40, random_state=0, n_jobs=1, **p),
}
NAMES = np.array(["a", "b", "c"])
ASYMMETRIC = NoiseMatrix([[0.5, 0.5, 0.0], [0.0, 0.8, 0.2], [0.1, 0.0, 0.9]])


def three_classes(rows=1500, seed=0):
    """Sectors of the plane, not quite sure."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    scores = 4.0 * np.column_stack([X[:, 0], -0.5 * X[:, 0] + X[:, 1], -0.5 * X[:, 0] - X[:, 1]])
    return X, NAMES[np.argmax(scores + rng.gumbel(size=scores.shape), axis=1)]


@pytest.mark.parametrize(
    ("kind", "channel", "least"),
    [
        *((kind, ASYMMETRIC, 0.75) for kind in CLASSIFIERS),
        ("few", ComplementaryLabels(), 0.7),
        ("lightgbm", ComplementaryLabels(), 0.7),
        ("few", RandomisedResponse(1.5), 0.72),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_classifiers_learn_three_classes_from_what_is_seen(kind, channel, least):
    X, truth = three_classes()
    seen = channel.draw(truth[:600], 0)
    model = CLASSIFIERS[kind](label_model=channel).fit(X[:600], seen)
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.score(X[600:], truth[600:]) > least


def two_classes(rows=1500, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    p = 1 / (1 + np.exp(-2 * (X[:, 0] + 0.5 * X[:, 1])))
    return X, np.where(rng.random(rows) < p, "yes", "no"), p, rng


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_labels_seen_by_chance_are_weighed(kind):
    """Flipped, and positives are seen five times as often: probabilities are those of the population."""
    X, truth, p, _ = two_classes()
    channel = FlipRates(0.05).then(SeenChance({"no": 0.1, "yes": 0.5}))
    seen = channel.draw(truth, 0)
    known = np.flatnonzero([label is not None for label in seen])
    model = CLASSIFIERS[kind](label_model=channel).fit(X, seen)
    plain = CLASSIFIERS[kind]().fit(X, seen)
    assert model.n_labeled_ == len(known)
    errors = [np.mean((one.predict_proba(X)[:, 1] - p) ** 2) for one in (model, plain)]
    assert errors[0] < 0.5 * errors[1]


@pytest.mark.parametrize("kind", ["core", "few", "lightgbm"])
def test_rows_seen_by_a_chance_of_their_own_are_weighed(kind):
    """The label of a row is seen where x is large: weights bring back the regions in which few are."""
    X, truth, p, rng = two_classes()
    channel = FlipRates(0.1)
    chance = np.where(X[:, 2] > 0, 0.5, 0.05)
    seen = np.where(rng.random(len(X)) < chance, channel.draw(truth, 0), None)
    weight = chance_weights(seen, chance)
    model = CLASSIFIERS[kind](label_model=channel).fit(X, seen, weight)
    assert np.mean((model.predict_proba(X)[:, 1] - p) ** 2) < 0.035


def test_flips_are_a_matrix():
    y = ["no", "yes", "yes", None]
    flips, matrix = FlipRates(positive=0.3, negative=0.1), NoiseMatrix([[0.9, 0.1], [0.3, 0.7]])
    np.testing.assert_array_equal(flips.read(y, 4).targets, matrix.read(y, 4).targets)
    np.testing.assert_allclose(flips.clean([0.1, 0.4, 0.7]), [0.0, 0.5, 1.0], atol=1e-12)
    np.testing.assert_allclose(flips.clean([[0.9, 0.1], [0.3, 0.7]]), np.eye(2), atol=1e-12)


def test_names_may_come_in_any_order():
    """Rows and columns of the matrix go with their names; classes are sorted."""
    given = np.array([[0.7, 0.3], [0.1, 0.9]])
    forth, back = NoiseMatrix(given, ["no", "yes"]), NoiseMatrix(given[::-1, ::-1], ["yes", "no"])
    np.testing.assert_array_equal(forth.matrix(), back.matrix())
    y = ["yes", "no", None]
    np.testing.assert_array_equal(forth.read(y, 3).targets, back.read(y, 3).targets)
    seen = NoiseMatrix(given[:, ::-1], ["no", "yes"], ["likely", "doubtful"])
    assert seen.read(["doubtful", "likely"], 2).targets.tolist() == forth.read(["no", "yes"], 2).targets.tolist()


def test_a_class_that_y_lacks_may_be_named():
    found = ComplementaryLabels(classes=["c", "a", "b"]).read(["a", "b", None], 3)
    assert found.classes.tolist() == ["a", "b", "c"]
    assert found.targets.tolist() == [[-3.0, 1.0, 1.0], [1.0, -3.0, 1.0]]
    assert not ComplementaryLabels().names_classes
    assert not FlipRates(0.1).then(ComplementaryLabels()).names_classes


def test_clean_probabilities_of_several_classes():
    truth = np.array([[0.2, 0.5, 0.3], [1.0, 0.0, 0.0]])
    np.testing.assert_allclose(ASYMMETRIC.clean(truth @ ASYMMETRIC.matrix(3)), truth, atol=1e-12)


def test_gaps_stay_gaps_when_labels_are_drawn():
    drawn = RandomisedResponse(1.0).draw([0, 1, None, np.nan, 1], 3)
    assert [value is None for value in drawn] == [False, False, True, True, False]
    assert set(drawn[[0, 1, 4]]) <= {0, 1}
    assert (
        RandomisedResponse(1.0).draw([0, 1] * 50, 3).tolist() == RandomisedResponse(1.0).draw([0, 1] * 50, 3).tolist()
    )


def test_a_single_label_is_hidden_among_the_classes_that_are_named():
    drawn = [RandomisedResponse(0.1).draw(["b"], seed, classes=["c", "a", "b"])[0] for seed in range(300)]
    assert min(drawn.count(name) for name in NAMES) > 70  # about a third each


def test_channels_are_compared_and_cloned():
    chain = FlipRates(0.1).then(NoiseMatrix(np.eye(2)))
    assert chain == Chain([FlipRates(0.1), NoiseMatrix([[1, 0], [0, 1]])])
    assert clone(ab.TableClassifier(label_model=chain)).label_model == chain


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NoiseMatrix([0.9, 0.1]), "must be a table of probabilities"),
        (lambda: NoiseMatrix([["a", 0.1], [0.1, 0.9]]), "must be a table of probabilities.* Got .*'a'"),
        (lambda: NoiseMatrix([[0.9, 0.1]]), "a row for each of at least two classes"),
        (lambda: NoiseMatrix(np.full((2, 3), 1 / 3)), "classes and seen must both be named"),
        (lambda: NoiseMatrix(np.eye(2), seen=["x", "y"]), "classes and seen must both be named"),
        (lambda: NoiseMatrix(np.eye(2), classes=["x", "x"]), "classes must hold at least two different names"),
        (lambda: NoiseMatrix(np.eye(2), classes=["x", 1]), "all texts or all numbers"),
        (lambda: NoiseMatrix(np.eye(2), classes=["x", "y", "z"]), "classes must name 2 different things"),
        (lambda: NoiseMatrix([[0.9, 0.2], [0.1, 0.9]]), "with a sum of 1, or less"),
        (lambda: NoiseMatrix([[1.1, -0.1], [0.1, 0.9]]), "numbers >= 0"),
        (lambda: NoiseMatrix(np.full((2, 2), 0.5)), "must tell the classes apart"),
        (lambda: NoiseMatrix(np.eye(3)).read([0, 1], 2), r"Got 3 rows for 2 classes. If y does not hold all"),
        (lambda: NoiseMatrix(np.eye(2), [0, 1]).read([0, 2], 2), r"y must hold only \[0, 1\], and gaps. Got 2"),
        (lambda: NoiseMatrix(np.eye(2), [0, 1]).read([None, None], 2), "y must have labels. Got none"),
        (lambda: NoiseMatrix(np.eye(2), [0, 1]).worth(3), "is for 2 classes. Got 3"),
        (lambda: FlipRates(0.1).worth(shares=[0.5, 0.6]), "with a sum of 1"),
        (lambda: FlipRates(0.1).worth(1), "at least two classes. Got 1"),
        (lambda: FlipRates(0.1).worth(2.5), "classes must be a whole number of at least 1. Got 2.5"),
        (lambda: FlipRates(0.1).worth(shares=[np.nan, np.nan]), r"with a sum of 1. Got \[nan, nan\]"),
        (lambda: FlipRates(0.1).worth(shares=[[0.5, 0.5]]), "must be those of the classes"),
        (lambda: FlipRates(0.1).worth(shares=["x", "y"]), r"shares must hold numbers.* Got \['x', 'y'\]"),
        (lambda: FlipRates(0.1).worth(3, shares=[0.5, 0.5]), "shares must be those of 3 classes. Got 2 of them"),
        (lambda: FlipRates(0.1).clean([0.5, 1.5]), r"probability must lie in \[0, 1\]. Got values from 0.5 to 1.5"),
        (lambda: FlipRates(0.1).clean([np.nan]), r"probability must lie in \[0, 1\]. Got values from nan"),
        (lambda: FlipRates(0.1).clean("much"), "probability must hold numbers.* Got 'much'"),
        (lambda: FlipRates(0.1).clean(0.3), r"must be a column or a table. Got shape \(\)"),
        (lambda: NoiseMatrix(np.eye(3), NAMES).clean([0.3]), r"each of the 3 things .* Got shape \(1,\)"),
        (lambda: NoiseMatrix(np.eye(2), [0, 1]).clean(np.eye(3)), r"or be a column .* Got shape \(3, 3\)"),
        (lambda: FlipRates(0.1).draw([0, 1], "a"), "random_state must be a whole number .* Got 'a'"),
        (lambda: RandomisedResponse(0.0), "epsilon must be in"),
        (lambda: RandomisedResponse(1.0).draw(["yes"]), r"at least two classes. Got \['yes'\]. Name all of them"),
        (lambda: FlipRates(0.1).draw(["c"], classes=["a", "b"]), r"must hold only \['a', 'b'\].* Got 'c'"),
        (lambda: ComplementaryLabels("abc"), "classes must hold at least two different names.* Got 'abc'"),
        (lambda: SoftLabels(classes=[["a"], ["b"]]), "classes must hold at least two different names"),
        (lambda: SoftLabels(classes=["a", "a"]), "classes must hold at least two different names"),
        (lambda: SeenChance([0.2, 0.3]), r"chance must be a dict .* Got \[0.2, 0.3\]"),
        (lambda: SeenChance({0: 0.5}), "chance must hold at least two different names"),
        (lambda: SeenChance({0: 0.0, 1: 1.0}), r"chance\[0\] must be in"),
        (lambda: SeenChance({0: 0.01, 1: 1.0}).then(FlipRates(0.4)).read([0, 1], 2), "count less than nothing"),
        (lambda: FlipRates(0.1).then(SoftLabels()), "made of label channels"),
        (lambda: SeenChance({0: 0.5, 1: 1}).then(SeenChance({1: 0.5, 2: 1})), "must be the classes of the next"),
        (lambda: NoiseMatrix.of_bags(["a", "b"], {"a": 0.1}), "Got none for 'b'"),
        (lambda: NoiseMatrix.of_bags(["a", "b"], {"a": 0.1, "b": 1.2}), "between 0 and 1"),
        (lambda: NoiseMatrix.of_bags(["a", "b"], {"a": 0.1, "b": np.nan}), "between 0 and 1"),
        (lambda: NoiseMatrix.of_bags([1, 2], {1: [0.5, 0.3, 0.2], 2: 0.5}), r"one number for every .*Got \[0.5, 0.3"),
        (lambda: NoiseMatrix.of_bags([1, 2], {1: "x", 2: 0.4}), "one number for every bag, .*Got 'x', 0.4"),
        (lambda: NoiseMatrix.of_bags(["a", "b"], {"a": 0.0, "b": 0.0}), "Got a class with none"),
        (lambda: NoiseMatrix.of_bags(["a", "b"], {"a": 0.3, "b": 0.3}).worth(), "must tell the classes apart"),
        (lambda: chance_weights([0, None], [0.0, 0.5]), "above 0 for rows that have one"),
        (lambda: chance_weights([0, None], [0.5, 1.0]), "below 1 for the others"),
        (lambda: chance_weights([0, None], [0.5]), "for each of 2 rows"),
    ],
)
def test_what_cannot_be(make, message):
    with pytest.raises(ValueError, match=message):
        make()
