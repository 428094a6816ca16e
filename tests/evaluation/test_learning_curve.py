"""What more labels are worth."""

import tracemalloc

import numpy as np
import pytest
from partly_labeled import table
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from agnoboost.evaluation import learning_curve
from agnoboost.evaluation.learning_curve import LabelingCurve, labeling_curve, power_law
from agnoboost.evaluation.learning_curve_display import LabelingCurveDisplay


def made(rng, rows, a, b, c):
    """Errors of rows whose share of errors follows a power law, the same luck at all sizes."""
    sizes = np.array([64, 95, 142, 212, 318])  # as a curve has them
    luck = rng.random(rows)
    return LabelingCurve(400, sizes, (luck[:, None] < a + b * sizes**-c).astype(float))


@pytest.mark.parametrize("power", [0.25, 0.5, 1.0])
def test_a_power_law_is_found_again(power):
    sizes = np.array([20, 40, 80, 160])
    curve = power_law(sizes, 0.1 + 0.5 * sizes[None] ** -power, np.array([power]))
    assert np.allclose(curve([500, 1000]), 0.1 + 0.5 * np.array([[500, 1000]]) ** -power)


def test_the_power_zero_is_a_logarithm_and_every_row_has_its_power():
    sizes = np.array([20, 40, 80, 160])
    errors = np.array([0.9 - 0.1 * np.log(sizes), 0.2 + 2.0 / sizes])
    curves = power_law(sizes, errors, np.array([0.0, 1.0]))
    assert np.allclose(curves([400]), [[0.9 - 0.1 * np.log(400)], [0.2 + 2.0 / 400]])


def test_curves_never_rise_and_errors_are_never_negative():
    sizes, powers = np.array([10, 20, 40, 80]), np.array([0.0, 0.5, 1.0])
    rising = power_law(sizes, np.tile([0.1, 0.2, 0.3, 0.4], (3, 1)), powers)
    assert np.allclose(rising([80, 800]), 0.25)
    steep = power_law(sizes, np.tile([0.4, 0.1, 0.0, 0.0], (3, 1)), powers)
    assert (steep([1e4]) >= 0.0).all()


def test_the_gain_of_made_curves_is_in_the_interval(rng):
    held, estimates = [], []
    truth = 0.8 * (400**-0.5 - 800**-0.5)
    for _ in range(40):
        found = made(rng, 400, 0.1, 0.8, 0.5).worth(400)
        held.append(found.interval[0] <= truth <= found.interval[1])
        estimates.append(found.gain)
    assert np.mean(held) >= 0.95
    assert abs(np.mean(estimates) - truth) < 0.3 * truth


def test_the_interval_is_wider_than_that_of_resampled_rows(rng, monkeypatch):
    """Rows say nothing of what other labels would have made."""
    curve = made(rng, 400, 0.1, 0.8, 0.5)
    as_set = np.diff(curve.worth(400).interval)
    monkeypatch.setattr(learning_curve, "WIDER", 1.0)
    assert as_set > 1.05 * np.diff(curve.worth(400).interval)


def test_the_labels_at_hand_have_luck_on_top(rng):
    """The more labels come, the more luck; and the more labels there were, the less."""

    def luck(found):
        return np.diff(found.own_interval)[0]

    flat = np.tile(rng.random((400, 1)) < 0.3, 5).astype(float)
    few, many = (LabelingCurve(labels, np.array([20, 40, 60, 70, 80]), flat) for labels in (100, 400))
    found = few.worth(100)
    assert found.interval == pytest.approx((0.0, 0.0))
    expected = 2 * 1.96 * 0.7 * np.sqrt(0.3 * 0.7 / 200)  # 1/100 - 1/200
    assert luck(found) == pytest.approx(expected, rel=0.15)
    assert luck(few.worth(10)) < luck(found) < luck(few.worth(1000))
    assert luck(many.worth(100)) < luck(found)
    steep = made(rng, 400, 0.1, 0.8, 0.5).worth(400)
    assert steep.own_interval[0] < steep.interval[0] < steep.gain < steep.interval[1] < steep.own_interval[1]


def test_where_nothing_is_learned_more_labels_bring_nothing(rng):
    found = LabelingCurve(100, np.array([20, 40, 80]), np.tile(rng.random((100, 1)) < 0.3, 3).astype(float)).worth(100)
    assert found.gain == pytest.approx(0.0)
    assert str(found).startswith(
        "100 more labels are worth about +.000 accuracy on average (95% interval +.000 to +.000)"
    )
    assert "for these very labels, with their luck, -." in str(found)


def test_a_curve_is_measured_on_rows_left_out_with_gaps_in_between():
    X, y, _ = table(rows=200, labeled=120, classes=3)
    ticks = []
    curve = labeling_curve(GaussianGaps(), X, y, tick=lambda: ticks.append(1))
    assert len(ticks) == 50
    assert curve.labels == 120
    assert curve.errors.shape == (120, 5)
    assert curve.sizes[-1] <= 96
    assert curve.accuracies[-1] > curve.accuracies[0]
    assert curve.worth(100).gain > 0
    again = labeling_curve(GaussianGaps(), X, y)
    assert again.errors.tolist() == curve.errors.tolist()
    assert labeling_curve(GaussianGaps(), X, y, random_state=1).errors.tolist() != curve.errors.tolist()


class GaussianGaps(GaussianNB):
    """Leaves rows without label out."""

    def fit(self, X, y):
        known = ~np.isnan(y)
        return super().fit(X[known], y[known])


def test_models_get_the_machine_labels_of_their_own_rows():
    X, y, _ = table(rows=200, labeled=120)
    numbers, seen = np.arange(200), []

    class Beside(GaussianGaps):
        def fit(self, X, y, machine_labels):
            seen.append((X[:, 0], machine_labels))
            return super().fit(X, y)

    labeling_curve(Beside(), np.column_stack([numbers, X]), y, machine_labels=numbers)
    assert len(seen) == 50
    assert all((own == said).all() for own, said in seen)
    assert all(set(numbers[120:]) <= set(said) for _, said in seen)


def test_labels_by_chance_are_not_learned(rng):
    """Somebody who has seen the test rows would do better than chance."""
    X, y = rng.normal(size=(150, 2)), rng.integers(2, size=150)
    curve = labeling_curve(KNeighborsClassifier(1), X, y)
    assert abs(curve.accuracies.mean() - 0.5) < 0.1


def test_no_model_has_seen_the_rows_that_it_is_judged_on(rng):
    X = np.arange(80.0)[:, None]
    labeling_curve(RemembersRows(), X, rng.integers(2, size=80))


class RemembersRows(BaseEstimator, ClassifierMixin):
    """Fails when it is asked about a row that it was trained on."""

    def fit(self, X, y):
        self.seen_ = set(X[:, 0])
        return self

    def predict(self, X):
        assert self.seen_.isdisjoint(X[:, 0])
        return np.zeros(len(X))


def test_every_part_holds_all_classes_however_many():
    codes = np.random.default_rng(0).permutation(np.repeat(np.arange(40), 5))
    seen = []

    class Remembering(GaussianNB):
        def fit(self, X, y):
            seen.append(len(set(y)))
            return super().fit(X, y)

    labeling_curve(Remembering(var_smoothing=1.0), codes[:, None].astype(float), codes)
    assert set(seen) == {40}


def test_many_labels_take_little_memory():
    errors = (np.random.default_rng(0).random((50_000, 5)) < 0.2).astype(float)
    curve = LabelingCurve(50_000, np.array([8000, 13_000, 20_000, 28_000, 39_000]), errors)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(learning_curve, "RESAMPLES", 50)
        tracemalloc.start()
        curve.worth(1000)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 5 * errors.nbytes


def test_too_few_labels_are_refused():
    X, y, _ = table(rows=100, labeled=40)
    with pytest.raises(ValueError, match=r"needs 50 labels, and 5 of each class\. Got 40"):
        labeling_curve(GaussianGaps(), X, y)
    y = np.append(np.zeros(97), [1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="3 of class 1"):
        labeling_curve(GaussianGaps(), X, y)


def test_the_picture(rng):
    pytest.importorskip("matplotlib").use("agg")
    drawn = LabelingCurveDisplay(made(rng, 200, 0.1, 0.8, 0.5), more=200).plot()
    assert drawn.ax_.get_xlabel() == "labels"
    assert drawn.ax_.get_xlim()[1] >= 600
    (low, high) = drawn.curve.band([600])[1:]
    assert low[0] <= drawn.curve.band([600])[0][0] <= high[0]
    drawn.figure_.clear()


def test_a_class_that_is_never_found_is_told():
    class Always(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.full(len(X), "common")

    y = np.array(["common"] * 72 + ["rare"] * 8)
    found = labeling_curve(Always(), np.zeros((80, 1)), y).worth(20)
    assert found.not_found == ("rare",)
    assert "But no model predicted any row of rare right, so that accuracy cannot show what more labels" in str(found)
    curve = labeling_curve(GaussianNB(), np.arange(80.0)[:, None], y)
    assert curve.not_found == ()
    assert "But" not in str(curve.worth(20))
