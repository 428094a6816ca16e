import numpy as np
import pytest

from agnoboost import labels
from agnoboost.estimators.table import label_estimates
from agnoboost.estimators.table.label_estimates import FlipRateEstimate, best_bin
from agnoboost.labels import FlipRates, PositiveUnlabeled, estimate_flip_rates, estimate_prior


def test_estimated_flip_rates_are_a_diagnosis_that_says_so():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 4))
    truth = (X[:, 0] > 0).astype(int)  # classes do not overlap
    y = np.where(rng.random(1000) < np.where(truth == 1, 0.3, 0.1), 1 - truth, truth).astype(float)
    y[800:] = np.nan
    found = estimate_flip_rates(X, y)
    assert found.positive == pytest.approx(0.3, abs=0.12)
    assert found.negative == pytest.approx(0.1, abs=0.12)
    assert "cannot be told from flips" in str(found)
    assert "Where the class is surest" in str(found)
    p = 1 / (1 + np.exp(-3 * (X[:, 0] + 0.5 * X[:, 1])))
    overlap = estimate_flip_rates(X[:800], (rng.random(800) < p[:800]).astype(int))
    assert max(overlap.positive, overlap.negative) < 0.2  # no flips at all: what is found is overlap


def test_estimated_rates_differ_by_class_only_where_that_is_clear():
    """Otherwise the threshold would move by chance."""
    apart = FlipRateEstimate(0.4, 0.05, (0.3, 0.5), (0.01, 0.1), 80)
    assert apart.label_model == FlipRates(positive=0.3, negative=0.01)
    other = FlipRateEstimate(0.05, 0.4, (0.01, 0.1), (0.3, 0.5), 80)
    assert other.label_model == FlipRates(positive=0.01, negative=0.3)
    touching = FlipRateEstimate(0.3, 0.1, (0.15, 0.49), (0.02, 0.27), 30)
    assert touching.label_model == FlipRates(0.02)


def test_labels_that_a_classifier_cannot_tell_have_no_flip_rates():
    """Whatever is returned, FlipRates takes it; coin flips are refused where rates would sum to 1 or more."""
    refused = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(80, 3)), rng.integers(2, size=80)
        try:
            found = estimate_flip_rates(X, y)
        except ValueError as error:
            refused += "wrong as often as right there" in str(error)
            continue
        assert FlipRates(positive=found.positive, negative=found.negative)
        assert found.label_model
    assert refused >= 2


def test_prior_is_estimated_within_its_error():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    truth = rng.random(3000) < 0.3
    X[truth] += [3.0, 2.0, 0.0]
    found = estimate_prior(X[:1000][truth[:1000]], X[1000:])
    assert abs(found.prior - 0.3) < 4 * found.error + 0.02
    assert found.prior <= 0.3 <= found.at_most < 0.6
    assert "cannot be told" in str(found)
    assert "if the labeled positives are a random sample of all positives" in str(found)
    assert found.label_model == PositiveUnlabeled(found.prior)
    with pytest.raises(ValueError, match="at least 10 rows of each kind"):
        estimate_prior(X[:3], X[1000:])


def test_the_upper_bound_on_the_prior_holds():
    """Scores that are known: a quarter of the unlabeled ones is like the positives, the rest is below or between."""
    below = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        positives, truth = rng.normal(1.0, size=100), rng.random(400) < 0.25
        found = best_bin(positives, np.where(truth, rng.normal(1.0, size=400), rng.normal(-2.0, size=400)))
        below += found.at_most < 0.25
        assert found.prior <= found.at_most <= 1.0
    assert below / 300 < 0.1


def test_columns_of_frames_go_by_their_names():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=400), "b": 5 + rng.normal(size=400)})
    found = estimate_prior(frame[:100], frame[100:])
    assert found == estimate_prior(frame[:100], frame[100:][["b", "a"]])
    with pytest.raises(ValueError, match=r"X_unlabeled must have the columns of the first table. It lacks 'b'"):
        estimate_prior(frame[:100], frame[100:][["a"]].assign(c=1.0))


def test_labels_hands_out_the_names():
    for name in ("FlipRateEstimate", "PriorEstimate", "estimate_flip_rates", "estimate_prior"):
        assert getattr(labels, name) is getattr(label_estimates, name)
        assert name in dir(labels)
    with pytest.raises(AttributeError, match="no attribute 'estimate_weather'"):
        labels.estimate_weather  # noqa: B018


def test_the_bound_on_the_prior_leaves_room_for_both_counts():
    """(share of unlabeled rows + slack) / (share of positives - slack), each two-sided with half of the risk."""
    unlabeled = np.repeat([1.0, 0.0], [60, 140])
    found = best_bin(np.ones(50), unlabeled, confidence=0.9)
    slack = [np.sqrt(np.log(2 / 0.05) / (2 * count)) for count in (50, 200)]
    assert found.prior == pytest.approx(0.3)
    assert found.at_most == pytest.approx((0.3 + slack[1]) / (1.0 - slack[0]))
