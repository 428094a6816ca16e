"""The decision threshold by costs, and what is said of classes that are never predicted."""

import warnings

import numpy as np
import pytest
from partly_labeled import FAST, table
from sklearn.exceptions import NotFittedError
from sklearn.metrics import balanced_accuracy_score

import agnoboost as ab
from agnoboost.estimators.threshold import HeldOut, costs_of, tuned_cut
from agnoboost.evaluation.by_class import NeverPredictedWarning
from agnoboost.labels import FlipRates, NoiseMatrix, PositiveUnlabeled, SoftLabels

CLASSIFIERS = {
    "table": lambda **p: ab.TableClassifier(members=["linear"], random_state=0, **p),
    "boosting": lambda **p: ab.AgnosticBoostingClassifier(weak_learner="stump", **FAST, **p),
}


def held_out(margins, codes, weight=None):
    codes = np.asarray(codes)
    weight = np.ones(len(codes)) if weight is None else np.asarray(weight, dtype=float)
    return HeldOut(np.asarray(margins, dtype=float)[:, None], codes, 2.0 * codes[:, None] - 1.0, weight)


def cost(rows, cut, costs):
    """Row by row."""
    margins, total = rows.margins[:, 0], 0.0
    for margin, code, weight in zip(margins, rows.codes, rows.weight, strict=True):
        predicted = 1 if margin >= cut else 0
        total += weight * costs[code] * (predicted != code)
    return total


# -------------------------------------------------------------------- the cut


@pytest.mark.parametrize("costs", [(1.0, 1.0), (1.0, 20.0), (20.0, 1.0), (0.0, 1.0), (1.0, 0.0)])
def test_no_cut_costs_less(costs):
    rng = np.random.default_rng(0)
    for trial in range(40):
        size = int(rng.integers(1, 25))
        margins = rng.integers(-4, 5, size) / (1.0 if trial % 2 else 3.0)  # many are equal
        rows = held_out(margins, rng.integers(0, 2, size), rng.uniform(0, 3, size))
        found = tuned_cut(rows, np.array(costs))
        values = np.unique(margins)
        tried = [-99.0, 99.0, 0.0, *values, *(values[:-1] + values[1:]) / 2]
        assert cost(rows, found, costs) == pytest.approx(min(cost(rows, cut, costs) for cut in tried))


def test_among_equal_cuts_the_nearest_to_zero():
    codes = [0, 0, 1, 1]
    even = np.array([1.0, 1.0])
    assert tuned_cut(held_out([-2, -1, 1, 2], codes), even) == 0.0
    assert tuned_cut(held_out([1, 2, 4, 6], codes), even) == 3.0
    assert tuned_cut(held_out([-6, -4, -2, -1], codes), even) == -3.0
    assert tuned_cut(held_out([-1, 0, 0, 1], [0, 1, 1, 1]), even) == 0.0  # at the cut is above it
    assert tuned_cut(held_out([2, -1, 1, 3], [1, 1, 0, 0]), np.zeros(2)) == 0.0


def test_neighbours_in_floating_point_are_told_apart():
    low = 1.0
    high = np.nextafter(low, 2.0)
    cut = tuned_cut(held_out([low, high], [0, 1]), np.ones(2))
    assert (low >= cut, high >= cut) == (False, True)
    assert tuned_cut(held_out([low, low], [0, 0]), np.ones(2)) > low


def test_ranks_go_by_pairs():
    """As a double loop over rows says, of which each may stand for some of both classes."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(40):
        margins, targets = rng.integers(-3, 4, 12) / 1.0, rng.normal(size=(12, 1))
        rows = HeldOut(margins[:, None], np.zeros(12, dtype=int), targets, rng.uniform(0, 2, 12))
        pairs = [b * a * np.sign(h - g) for (_, b), h in zip(rows.masses, margins, strict=True)
                 for (a, _), g in zip(rows.masses, margins, strict=True)]  # fmt: skip
        assert rows.ranks == (sum(pairs) > 1e-12)
        found.append(rows.ranks)
    assert 0 < sum(found) < 40


def test_no_rows_no_change():
    assert tuned_cut(held_out(np.empty(0), np.empty(0, dtype=int)), np.ones(2)) == 0.0


def test_true_stands_for_balanced_accuracy():
    rng = np.random.default_rng(1)
    codes = (rng.random(300) < 0.1).astype(int)
    rows = held_out(rng.normal(size=300) + codes - 0.8, codes, rng.uniform(0.5, 2, 300))
    costs = costs_of(True, np.array([0, 1]), rows)
    margins = rows.margins[:, 0]

    def balanced(cut):
        return balanced_accuracy_score(codes, margins >= cut, sample_weight=rows.weight)

    assert balanced(tuned_cut(rows, costs)) == pytest.approx(max(balanced(cut) for cut in margins))
    one_class = held_out([1.0, 2.0], [1, 1])
    assert tuned_cut(one_class, costs_of(True, np.array([0, 1]), one_class)) == 0.0


def test_flipped_labels_are_counted_by_what_they_stand_for():
    """Of labels of which 30% are wrong, costs are estimated without bias: the cut is that of clean labels."""
    rng = np.random.default_rng(2)
    margins = rng.normal(size=40_000)
    truth = (rng.random(40_000) < 1 / (1 + np.exp(-3 * margins))).astype(int)
    flipped = np.where(rng.random(40_000) < 0.3, 1 - truth, truth)
    costs = np.array([1.0, 6.0])
    clean = tuned_cut(held_out(margins, truth), costs)
    targets = FlipRates(0.3).read(flipped, 40_000).targets
    stood_for = tuned_cut(HeldOut(margins[:, None], flipped, targets, np.ones(40_000)), costs)
    at_face_value = tuned_cut(held_out(margins, flipped), costs)
    assert clean == pytest.approx(-np.log(6) / 3, abs=0.1)
    assert stood_for == pytest.approx(clean, abs=0.25)
    assert at_face_value < clean - 0.5


# ------------------------------------------------------------ the classifiers


def rare(rows=1200):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 3))
    truth = np.where(1.5 * X[:, 0] + 0.7 * rng.normal(size=rows) > 1.6, "fraud", "fine")
    return X, truth


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_costs_move_decisions_the_right_way(kind, tmp_path):
    X, truth = rare()
    y, rest = truth[:500], truth[500:]

    def found(**parameters):
        model = CLASSIFIERS[kind](**parameters).fit(X[:500], y)
        said = model.predict(X[500:])
        missed, alarms = np.sum((rest == "fraud") & (said == "fine")), np.sum((rest == "fine") & (said == "fraud"))
        return model, missed, alarms

    plain, missed, alarms = found()
    careful, missed_less, more_alarms = found(tune_threshold={"fraud": 20, "fine": 1})
    assert missed_less < missed
    assert more_alarms > alarms
    assert 20 * missed_less + more_alarms < 20 * missed + alarms
    np.testing.assert_array_equal(careful.predict_proba(X), plain.predict_proba(X))
    _, _, no_alarms = found(tune_threshold={"fraud": 0, "fine": 1})
    assert no_alarms <= 0.01 * len(rest)
    careful.save(tmp_path / "m.agno")
    back = ab.load(tmp_path / "m.agno")
    assert back.tune_threshold == {"fraud": 20, "fine": 1}
    assert plain.threshold_ is None
    assert back.threshold_ == careful.threshold_ < 0.5
    said = np.where(back.predict_proba(X)[:, 1] >= back.threshold_, "fraud", "fine")
    np.testing.assert_array_equal(back.predict(X), said)
    with pytest.raises(NotFittedError):
        _ = CLASSIFIERS[kind]().threshold_
    np.testing.assert_array_equal(back.predict(X), careful.predict(X))


def test_costs_of_numbers_and_truth_values():
    X, truth = rare(300)
    for classes in ([0, 1], [0.0, 1.0], [False, True]):
        y = np.array(classes)[(truth == "fraud").astype(int)]
        costs = {classes[0]: 1.0, classes[1]: 12}
        model = CLASSIFIERS["table"](tune_threshold=costs).fit(X, y)
        assert model.predict(X).tolist().count(classes[1]) > np.sum(truth == "fraud")


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ({"fraud": 20}, r"must have a cost for each class, 'fine' and 'fraud'. Got \{'fraud': 20\}"),
        ({"fraud": 20, "fine": 1, "odd": 1}, r"must have a cost for each class"),
        ({0: 1, 1: 20}, r"must have a cost for each class"),
        ({}, r"must have a cost for each class"),
        ({"fraud": 20, "fine": -1}, r"must be numbers >= 0, and one > 0"),
        ({"fraud": 0, "fine": 0}, r"must be numbers >= 0, and one > 0"),
        ({"fraud": np.nan, "fine": 1}, r"must be numbers >= 0"),
        ({"fraud": "20", "fine": 1}, r"must be numbers >= 0"),
        ("balanced", r"tune_threshold must be True, False or a dict of costs. Got 'balanced'"),
        (None, r"tune_threshold must be True, False or a dict"),
    ],
)
def test_costs_that_do_not_fit_are_refused(kind, costs, message):
    X, truth = rare(200)
    with pytest.raises(ValueError, match=message):
        CLASSIFIERS[kind](tune_threshold=costs).fit(X, truth)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_costs_are_for_two_classes_and_stand_alone(kind):
    X, y, _ = table(classes=3)
    for costs in (True, {0: 1, 1: 1, 2: 1}):
        with pytest.raises(ValueError, match=r"tune_threshold is for two classes. Got 3"):
            CLASSIFIERS[kind](tune_threshold=costs).fit(X, y)
    X, truth = rare(200)
    with pytest.raises(ValueError, match="Leave one of them out"):
        CLASSIFIERS[kind](tune_threshold={"fraud": 2, "fine": 1}, class_weight="balanced").fit(X, truth)


# --------------------------------------------------- classes never predicted


def hidden(rows=400, tells=0.0):
    """One row in 16 is of a class that nothing tells of, or the first column by so much."""
    rng = np.random.default_rng(0)
    own = np.arange(rows) % 16 == 0
    return rng.normal(size=(rows, 3)) + tells * np.outer(own, [1, 0, 0]), np.where(own, "rare", "usual")


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_class_that_is_never_predicted_is_told_of_once(kind):
    X, y = hidden(tells=0.4)
    with pytest.warns(NeverPredictedWarning) as told:
        CLASSIFIERS[kind]().fit(X, y)
    assert len(told) == 1
    text = str(told[0].message)
    assert text.startswith("On rows left out: Class rare is never predicted, though 25 of the rows (6%) are of it")
    for way in ("class_weight='balanced'", "tune_threshold=True", "costs"):
        assert way in text
    assert issubclass(NeverPredictedWarning, UserWarning)


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize(
    "parameters",
    [{"tune_threshold": {"rare": 1, "usual": 1}}, {"class_weight": {"rare": 1, "usual": 2}}],
)
def test_who_minds_the_classes_is_not_told(kind, parameters):
    X, y = hidden()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CLASSIFIERS[kind](**parameters).fit(X, y)


def test_rows_that_are_ranked_the_wrong_way_move_no_threshold():
    """The best one would be at an end: everything would be of the rare class, or nothing."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(2300, 6)), (np.arange(2300) % 50 == 0).astype(int)
    stays = "tune_threshold: rows left out are ranked no better than by chance. The threshold stays where it is."
    with pytest.warns(NeverPredictedWarning) as told, pytest.warns(UserWarning, match=stays):
        model = CLASSIFIERS["table"](tune_threshold=True).fit(X[:300], y[:300])
    assert model.predict(X[300:]).mean() == 0.0
    (never,) = told
    assert "tune_threshold" not in str(never.message)
    assert never.filename == __file__


def test_a_rare_class_that_is_ranked_well_moves_the_threshold():
    """Also where rows are too few to be sure that it is more than chance."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2060, 3))
    y = (X[:, 0] + 0.7 * rng.normal(size=2060) > 1.9).astype(int)
    with pytest.warns(NeverPredictedWarning):
        plain = CLASSIFIERS["table"]().fit(X[:60], y[:60])
    model = CLASSIFIERS["table"](tune_threshold=True).fit(X[:60], y[:60])
    plain, tuned = (balanced_accuracy_score(y[60:], one.predict(X[60:])) for one in (plain, model))
    assert tuned > plain + 0.1


@pytest.mark.parametrize("labels", ["positives", "soft", "not this class"])
def test_thresholds_of_labels_that_name_no_class(labels):
    """Class numbers of rows are no truth there: what stands for labels decides."""
    rng = np.random.default_rng(0)
    X, noise = rng.normal(size=(2400, 3)), rng.normal(size=2400)
    truth = (X[:, 0] + noise > 1.3).astype(int)
    y = {
        "positives": np.where(truth & (rng.random(2400) < 0.5), 1.0, np.nan),
        "soft": np.where(truth, 0.45, 0.02),
        "not this class": np.where(rng.random(2400) < 0.9, 1 - truth, truth),
    }[labels]
    model = {
        "positives": PositiveUnlabeled(truth.mean(), together=True),
        "soft": SoftLabels(),
        "not this class": NoiseMatrix([[0.1, 0.9], [0.9, 0.1]]),
    }[labels]
    fitted = CLASSIFIERS["table"](label_model=model, tune_threshold=True).fit(X[:400], y[:400])
    assert balanced_accuracy_score(truth[400:], fitted.predict(X[400:])) > 0.7


def test_of_several_classes_those_are_named():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = np.where(rng.random(400) < 0.06, rng.integers(2, 4, 400), (X[:, 0] > 0).astype(int))
    with pytest.warns(NeverPredictedWarning) as told:
        CLASSIFIERS["table"]().fit(X, y)
    assert len(told) == 1
    text = str(told[0].message)
    assert "Class 2 is never" in text
    assert "Class 3 is never" in text
    assert "Class 0" not in text
    assert "tune_threshold" not in text  # it is for two classes
