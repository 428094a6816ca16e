"""Learners over bins: given, or placed by the rows of a run."""

import numpy as np
import pytest

import agnoboost as ab

KINDS = [ab.HistogramStumpLearner, ab.HistogramTreeLearner]


@pytest.mark.parametrize("kind", KINDS)
def test_bins_of_a_run_are_those_of_all_its_rows(rng, kind):
    X = rng.normal(size=(200, 3))
    y = np.where(X[:, 0] > 0.3, 1, -1)
    booster = ab.algorithm1((X[:80], y[:80]), X[80:])
    own = ab.boost(booster, kind(), rounds=20, rng=0)
    assert own.tape == ab.boost(booster, kind.from_data([X[:80], X[80:]]), rounds=20, rng=0).tape


@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_come_late_place_no_bins(kind):
    stream = ab.Stream(lambda n, rng: (rng.normal(size=(n, 2)), rng.choice([-1, 1], n)), labeled=True)
    with pytest.raises(ValueError, match=rf"Got streams only. Make it with {kind.__name__}.from_data"):
        ab.boost(ab.labeled_only(stream, rows=20), kind(), rounds=3, rng=0)


@pytest.mark.parametrize("kind", KINDS)
def test_what_they_print(rng, kind):
    assert repr(kind()) == f"{kind.__name__}()"
    X = rng.integers(0, 3, size=(20, 2)).astype(float)
    assert repr(kind.from_data(X, categorical=[1])) == f"{kind.__name__}(2 features, 1 categorical)"
