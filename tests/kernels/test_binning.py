import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agnoboost.kernels.binning import bin_rows, feature_cuts, midpoints


@settings(deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=30, unique=True))
def test_midpoints_separate(values):
    sorted_values = np.unique(np.array(values))
    cuts = midpoints(sorted_values)
    assert (sorted_values[:-1] <= cuts).all()
    assert (cuts < sorted_values[1:]).all()


@pytest.mark.parametrize("max_bins", [2, 16, 255])
def test_bins_are_counts_of_cuts_below(rng, max_bins):
    X = np.column_stack([rng.normal(size=2000), rng.integers(3, size=2000), np.zeros(2000), rng.exponential(size=2000)])
    cuts = feature_cuts(X, max_bins)
    codes = bin_rows(X, cuts)
    for feature in range(4):
        expected = (X[:, feature][:, None] > cuts[feature]).sum(axis=1)
        assert np.array_equal(codes[feature], expected)
        assert len(cuts[feature]) < max_bins or max_bins == 2
        assert len(np.unique(codes[feature])) == len(cuts[feature]) + 1  # no bin is empty
    assert len(cuts[2]) == 0


def test_few_values_are_kept_apart_and_many_are_cut_evenly(rng):
    X = np.column_stack([rng.integers(40, size=5000), rng.normal(size=5000)])
    codes = bin_rows(X, feature_cuts(X, 50))
    assert len(np.unique(codes[0])) == 40
    counts = np.bincount(codes[1])
    assert counts.min() > 50
    assert counts.max() < 150


def test_a_heavy_value_does_not_break_quantiles(rng):
    X = np.where(rng.random(3000) < 0.9, 0.0, rng.normal(size=3000))[:, None]
    codes = bin_rows(X, feature_cuts(X, 32))
    zero = codes[0][X[:, 0] == 0.0]
    assert len(np.unique(zero)) == 1
    assert len(np.unique(codes[0])) > 2
