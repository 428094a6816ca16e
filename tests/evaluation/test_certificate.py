"""Certificates: coverage by simulation on distributions that are known exactly."""

from itertools import product

import numpy as np
import pytest

from agnoboost import (
    AgnosticBoostingClassifier,
    HistogramStumpLearner,
    ParityLearner,
    StumpLearner,
    TreeLearner,
    certify,
)
from agnoboost.basics.intervals import binomial_low
from agnoboost.evaluation.certificate import Certificate, _chosen_rule_at_least, _rademacher
from agnoboost.evaluation.held_out_labels import all_classes

LEVELS = 6


class World:
    """Points of a grid, each with a probability of the label +1; everything about it can be added up."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.points = np.array(list(product(range(LEVELS), repeat=2)), dtype=float)
        self.mass = rng.dirichlet(np.ones(len(self.points)))
        self.positive = np.clip(0.5 + 0.3 * np.sign(self.points @ rng.normal(size=2)) + rng.normal(0, 0.15, 36), 0, 1)
        self.answers = np.where(rng.random(36) < 0.8, self.positive > 0.5, rng.random(36) < 0.5)
        self.classes_ = np.array([-1, 1])

    def accuracy(self, up):
        return float(self.mass @ np.where(up, self.positive, 1.0 - self.positive))

    def best_stump(self):
        cuts = [self.points[:, feature] > cut for feature in range(2) for cut in range(-1, LEVELS)]
        return max(max(self.accuracy(up), self.accuracy(~up)) for up in cuts)

    def predict(self, X):
        """A model like any other: some of its answers are wrong."""
        rows = (X[:, 0] * LEVELS + X[:, 1]).astype(int)
        return np.where(self.answers[rows], 1, -1)

    def sample(self, count, rng):
        rows = rng.choice(36, count, p=self.mass)
        return self.points[rows], np.where(rng.random(count) < self.positive[rows], 1, -1)


@pytest.mark.parametrize("unlabeled", [0, 600])
def test_the_bounds_hold_as_often_as_they_say(unlabeled):
    rng, repetitions, confidence = np.random.default_rng(0), 1000, 0.7
    wrong = np.zeros(3)
    for number in range(repetitions):
        world = World(number % 20)
        X, y = world.sample(120, rng)
        more = world.sample(unlabeled, rng)[0] if unlabeled else None
        found = certify(world, X, y, X_unlabeled=more, confidence=confidence, sign_draws=1, rng=rng)
        best = world.best_stump()
        wrong += [
            world.accuracy(world.answers) < found.model_at_least,
            best > found.rules_at_most,
            best < found.best_rule_at_least,
        ]
    allowed = 0.1 + 3 * np.sqrt(0.1 * 0.9 / repetitions)
    assert (wrong / repetitions <= allowed).all()
    assert wrong[0] / repetitions > 0.04  # the bound on the model is exact, not idle


def test_the_bound_on_rules_is_nearly_exact_for_a_class_of_two():
    """Constants only: then the count of the best rule is that of the more frequent class."""
    rng, wrong = np.random.default_rng(0), 0
    for _ in range(1000):
        y = np.where(rng.random(200) < 0.7, 1, -1)
        X = rng.choice([-1.0, 1.0], (200, 2))
        found = certify(Always(), X, y, base=ParityLearner(0), confidence=0.7, sign_draws=1, rng=rng)
        wrong += found.rules_at_most < 0.7
    assert 0.05 < wrong / 1000 < 0.13


class Always:
    classes_ = np.array([-1, 1])

    def predict(self, X):
        return np.ones(len(X), dtype=int)


def test_the_complexity_of_two_constants_is_known():
    """R = E|mean of n coins|: 3/8 for n = 4."""
    X = np.ones((40_000, 1))
    found, slack = _rademacher(ParityLearner(0), X, 4, 1, 0.05, np.random.default_rng(0))
    assert found == pytest.approx(0.375, abs=0.01)
    assert slack == pytest.approx(np.sqrt(4 * np.log(20) / 40_000))


def test_larger_classes_have_a_larger_complexity():
    X = np.random.default_rng(0).choice([-1.0, 1.0], (2000, 6))
    values = [_rademacher(ParityLearner(d), X, 200, 3, 0.05, np.random.default_rng(0))[0] for d in range(4)]
    assert values == sorted(values)
    assert values[3] > 2 * values[0]


def test_a_model_that_beats_all_stumps():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (6000, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, 1, 0)
    model = AgnosticBoostingClassifier(random_state=0).fit(X[:1000], y[:1000])
    found = certify(model, X[1000:3000], y[1000:3000], X_unlabeled=X[3000:])
    assert found.model_beats_all_rules
    assert found.rules_at_most < 0.6
    text = str(found)
    assert "With 95% confidence, from 2,000 held-out labels" in text
    assert "better than every single rule" in text


def test_few_labels_say_little_and_it_is_said():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4, 5)), np.array([1, 1, -1, -1])
    found = certify(Always(), X, y)
    assert found.rules_at_most == 1.0
    assert found.best_rule_at_least == 0.5
    text = str(found)
    assert "cannot be said from so few held-out labels" in text
    assert "100.0%" not in text.split("\n", 2)[2]
    assert "50.0%" not in text.split("\n", 2)[2]


def test_several_classes_have_a_bound_on_the_model_only():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    model = AgnosticBoostingClassifier(random_state=0).fit(X[:150], y[:150])
    found = certify(model, X[150:], y[150:])
    assert found.rules_at_most is None
    assert not found.model_beats_all_rules
    assert 0.5 < found.model_at_least < found.model_accuracy
    assert "Of single rules nothing is said" in str(found)


def test_other_base_classes():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((400, 3)) < 0.1, np.nan, rng.normal(size=(400, 3)))
    y = np.where(np.nan_to_num(X[:, 0]) > 0, 1, -1)
    bins = HistogramStumpLearner.from_data(X[:100])
    found = certify(Always(), X[100:], y[100:], base=bins)
    assert found.rules_at_most > 0.95
    with pytest.raises(ValueError, match=r"takes no missing ones"):
        certify(Always(), X[100:], y[100:], base=StumpLearner())


def test_the_best_rule_is_found_to_be_good_with_some_200_labels():
    """By half of them, which the rule that was chosen on the others has not seen."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 20))
    y = np.where((X[:, 3] > 0) ^ (rng.random(200) < 0.1), 1, -1)
    found = certify(Always(), X, y)
    assert 0.7 < found.best_rule_at_least < 0.9
    assert f"some rule is right on at least {found.best_rule_at_least:.1%}" in str(found)


@pytest.mark.parametrize("side", [-1, 1])
def test_empty_cells_may_be_on_either_side_of_a_rule(side):
    """The label is that side where the cell is empty, and the sign of the number elsewhere: one rule gets all of it."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=300), rng.normal(size=300)])
    X[::3, 0] = np.nan
    y = np.where(np.isnan(X[:, 0]), side, np.where(X[:, 0] > 0, 1, -1))
    found = certify(Always(), X, y)
    assert found.rule_accuracy == 1.0
    assert found.best_rule_at_least > 0.95
    X[:, 0] = np.nan  # nothing at all in it
    assert certify(Always(), X, np.where(X[:, 1] > 0, 1, -1)).rule_accuracy == 1.0


def test_columns_that_are_not_numbers_leave_the_bound_on_the_model():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=100), "word": rng.choice(["a", "b"], 100)})
    y = rng.choice([-1, 1], 100)
    found = certify(Always(), frame, y)
    assert found.rules_at_most is None
    assert found.model_at_least > certify(Always(), frame[["x"]], y).model_at_least  # it has all of the risk
    with pytest.raises(ValueError, match=r"needs columns of numbers. Got word"):
        certify(Always(), frame, y, base=StumpLearner())


def test_unlabeled_rows_go_by_the_names_of_their_columns():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"flat": np.zeros(400), "fine": rng.normal(size=400)})
    y = rng.choice([-1, 1], 100)
    settings = {"base": HistogramStumpLearner.from_data(frame.to_numpy())}
    same = certify(Always(), frame[:100], y, X_unlabeled=frame[100:], **settings)
    assert same == certify(Always(), frame[:100], y, X_unlabeled=frame[100:][["fine", "flat"]], **settings)
    with pytest.raises(ValueError, match=r"X_unlabeled must have the columns of the first table. It lacks 'flat'"):
        certify(Always(), frame[:100], y, X_unlabeled=frame[100:].rename(columns={"flat": "other"}))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["-1", "1"] * 25, r"name the classes as the model does: -1, 1. Got '-1', '1'.*y.astype\(int\)"),
        (np.array(["-1", "1"] * 25), r"name the classes as the model does"),
        ([0, 1] * 25, r"name the classes as the model does: -1, 1. Got 0, 1"),
        ([1, -1] * 24 + [None, 1], r"Got 1 row\(s\) without one"),
        ([1.0, -1.0] * 24 + [np.nan, 1.0], r"Got 1 row\(s\) without one"),
    ],
)
def test_labels_of_another_kind_are_refused(y, message):
    X = np.random.default_rng(0).normal(size=(50, 2))
    with pytest.raises(ValueError, match=message):
        certify(Always(), X, y)


def test_numbers_against_texts_are_refused_with_many_classes_too():
    own = np.arange(40)
    with pytest.raises(ValueError, match=r"name the classes as the model does: 0, 1, 2, 3, 4, \.\.\."):
        all_classes(own, own.astype(str))


def test_a_rule_is_not_tested_on_the_rows_that_it_was_chosen_on():
    """Coin flips, many columns: no rule is better than one half, and the best on its own rows would look like it."""
    above = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X, signs = rng.normal(size=(60, 30)), rng.choice([-1.0, 1.0], 60)
        above += _chosen_rule_at_least(StumpLearner(), X, signs, 0.1, rng) > 0.5
    assert above / 200 <= 0.1 + 3 * np.sqrt(0.1 * 0.9 / 200)


def test_labels_that_mean_the_same_give_the_same():
    X = np.random.default_rng(0).normal(size=(50, 2))
    y = np.array([-1, 1] * 25)
    first = certify(Always(), X, y)
    assert first.model_accuracy == 0.5
    for same in (y.tolist(), y.astype(float), y.astype(object)):
        assert certify(Always(), X, same) == first


def test_a_class_that_the_model_does_not_know_counts_as_wrong():
    X = np.random.default_rng(0).normal(size=(50, 2))
    assert certify(Always(), X, [1] * 30 + [-1] * 10 + [7] * 10).model_accuracy == 0.6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": np.ones(3)}, r"a label for each of the 50 rows"),
        ({"y": np.full(50, np.nan)}, r"labels only. Got 50 row"),
        ({"confidence": 1.0}, r"confidence"),
        ({"sign_draws": 0}, r"sign_draws"),
        ({"base": TreeLearner(2)}, r"base must find the best rule exactly"),
        ({"X_unlabeled": np.zeros((5, 9))}, r"X_unlabeled"),
    ],
)
def test_bad_input(change, message):
    rng = np.random.default_rng(0)
    settings = {"X": rng.normal(size=(50, 2)), "y": rng.choice([-1, 1], 50), **change}
    with pytest.raises(ValueError, match=message):
        certify(Always(), **settings)


def test_the_same_seed_gives_the_same_certificate():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.choice([-1, 1], 80)
    assert certify(Always(), X, y, rng=1) == certify(Always(), X, y, base=StumpLearner(), rng=1)
    assert isinstance(certify(Always(), X, y), Certificate)


def test_machine_labels_give_a_higher_bound_that_holds():
    """Approximate, but here about as often as it says; and a useless machine changes little."""
    rng, repetitions, confidence = np.random.default_rng(8), 120, 0.8
    wrong, gains = 0, []
    for number in range(repetitions):
        world = World(number % 20)
        X, y = world.sample(150, rng)
        more, other_labels = world.sample(800, rng)
        labels = np.concatenate([y, other_labels])
        machine = np.where(rng.random(950) < 0.07, -labels, labels)
        found = certify(world, X, y, X_unlabeled=more, machine_labels=machine, confidence=confidence, sign_draws=1)
        wrong += world.accuracy(world.answers) < found.model_at_least_by_machine
        gains.append(found.model_at_least_by_machine - found.model_at_least)
    share = (1 - confidence) / 4  # of the four statements
    assert wrong / repetitions < share + 3 * np.sqrt(share * (1 - share) / repetitions)
    assert np.mean(gains) > 0.01
    assert "with the help of machine labels: on at least" in str(found)
    assert "approximate" in str(found)


def test_every_statement_has_its_share_of_the_risk():
    """Three without a machine, four with one; where nothing is said of rules, one and two."""
    rng = np.random.default_rng(10)
    y = rng.choice([-1, 1], 100)
    numbers = np.column_stack([np.where(rng.random(100) < 0.9, y, -y), rng.normal(size=100)])
    words = np.column_stack([numbers[:, 0].astype(str), np.full(100, "word")]).astype(object)

    class Reads:
        classes_ = np.array([-1, 1])

        def predict(self, X):
            return np.asarray(X)[:, 0].astype(float).astype(int)

    right = int(np.sum(Reads().predict(numbers) == y))
    for X, machine, statements in ((numbers, None, 3), (numbers, y, 4), (words, None, 1), (words, y, 2)):
        found = certify(Reads(), X, y, machine_labels=machine, confidence=0.9, sign_draws=1)
        assert found.model_at_least == pytest.approx(binomial_low(right, 100, 0.1 / statements))
        assert (found.rules_at_most is None) == (X is words)
        if machine is not None:  # all rows are gold, so that a machine is of no help
            assert found.model_at_least_by_machine == pytest.approx(found.model_at_least)


def test_the_bound_by_the_complexity(monkeypatch):
    """corr(best rule) >= M - 2 (R + slack) - sqrt(2 ln(1/risk)/n), with a quarter of the statement's risk."""
    monkeypatch.setattr("agnoboost.evaluation.certificate._chosen_rule_at_least", lambda *_: 0.0)
    monkeypatch.setattr("agnoboost.evaluation.certificate._rademacher", lambda *_: (0.1, 0.02))
    X = np.linspace(-1.0, 1.0, 500)[:, None]
    found = certify(Always(), X, np.where(X[:, 0] > 0.5, 1, -1), confidence=0.7)
    luck = 2 * 0.12 + np.sqrt(2 * np.log(4 / 0.1) / 500)
    assert found.best_rule_at_least == pytest.approx((1 + 1 - luck) / 2)


def test_machine_labels_of_several_classes():
    rng = np.random.default_rng(9)
    y = rng.integers(3, size=1000)

    class Mostly:
        classes_ = np.arange(3)

        def predict(self, X):
            return np.where(X[:, 0] < 0.8, X[:, 1].astype(int), 0)

    X = np.column_stack([rng.random(1000), y])
    given = {"X_unlabeled": X[200:], "machine_labels": y}
    found = certify(Mostly(), X[:200], y[:200], **given)
    assert found.model_at_least < found.model_at_least_by_machine < np.mean(Mostly().predict(X) == y)
    assert certify(Mostly(), X[:200], y[:200]).model_at_least_by_machine is None
    odd = np.where(np.arange(200) < 3, 9, y[:200])  # a class that model and machine do not know
    soft = {"X_unlabeled": X[200:], "machine_labels": np.eye(3)[y]}
    assert certify(Mostly(), X[:200], odd, **soft).model_at_least_by_machine > 0.5
    with pytest.raises(ValueError, match="for each of the 1000 rows"):
        certify(Mostly(), X[:200], y[:200], X_unlabeled=X[200:], machine_labels=y[:200])
