import numpy as np
import pytest

from agnoboost import labels
from agnoboost.estimators.table import label_estimates
from agnoboost.labels import FlipRates, PositiveUnlabeled, estimate_flip_rates, estimate_prior


def test_estimated_flip_rates_are_upper_bounds_that_say_so():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 4))
    truth = (X[:, 0] > 0).astype(int)  # classes do not overlap
    y = np.where(rng.random(1000) < np.where(truth == 1, 0.3, 0.1), 1 - truth, truth).astype(float)
    y[800:] = np.nan
    found = estimate_flip_rates(X, y)
    assert found.positive == pytest.approx(0.3, abs=0.12)
    assert found.negative == pytest.approx(0.1, abs=0.12)
    assert "cannot be told from flips" in str(found)
    assert isinstance(found.label_model, FlipRates)
    p = 1 / (1 + np.exp(-3 * (X[:, 0] + 0.5 * X[:, 1])))
    overlap = estimate_flip_rates(X[:800], (rng.random(800) < p[:800]).astype(int))
    assert max(overlap.positive, overlap.negative) < 0.2  # no flips at all: what is found is overlap


def test_prior_is_estimated_within_its_error():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    truth = rng.random(3000) < 0.3
    X[truth] += [3.0, 2.0, 0.0]
    found = estimate_prior(X[:1000][truth[:1000]], X[1000:])
    assert abs(found.prior - 0.3) < 4 * found.error + 0.02
    assert "cannot be told" in str(found)
    assert found.label_model == PositiveUnlabeled(found.prior)
    with pytest.raises(ValueError, match="at least 10 rows of each kind"):
        estimate_prior(X[:3], X[1000:])


def test_labels_hands_out_the_names():
    for name in ("FlipRateEstimate", "PriorEstimate", "estimate_flip_rates", "estimate_prior"):
        assert getattr(labels, name) is getattr(label_estimates, name)
        assert name in dir(labels)
    with pytest.raises(AttributeError, match="no attribute 'estimate_weather'"):
        labels.estimate_weather  # noqa: B018
