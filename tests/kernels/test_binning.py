import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agnoboost.kernels.binning import MISSING, Bins, histograms, midpoints


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
    bins = Bins.from_data(X, max_bins)
    cuts, codes = [np.array(c) for c in bins.cuts], bins.encode(X)
    for feature in range(4):
        expected = (X[:, feature][:, None] > cuts[feature]).sum(axis=1)
        assert np.array_equal(codes[feature], expected)
        assert len(cuts[feature]) < max_bins or max_bins == 2
        assert len(np.unique(codes[feature])) == len(cuts[feature]) + 1  # no bin is empty
    assert len(cuts[2]) == 0


def test_few_values_are_kept_apart_and_many_are_cut_evenly(rng):
    X = np.column_stack([rng.integers(40, size=5000), rng.normal(size=5000)])
    codes = Bins.from_data(X, 50).encode(X)
    assert len(np.unique(codes[0])) == 40
    counts = np.bincount(codes[1])
    assert counts.min() > 50
    assert counts.max() < 150


def test_a_heavy_value_does_not_break_quantiles(rng):
    X = np.where(rng.random(3000) < 0.9, 0.0, rng.normal(size=3000))[:, None]
    codes = Bins.from_data(X, 32).encode(X)
    zero = codes[0][X[:, 0] == 0.0]
    assert len(np.unique(zero)) == 1
    assert len(np.unique(codes[0])) > 2


def test_missing_values_have_a_bin_of_their_own(rng):
    X = np.column_stack([np.where(rng.random(300) < 0.3, np.nan, rng.normal(size=300)), rng.integers(5, size=300)])
    X[0, 1] = np.nan
    bins = Bins.from_data(X, categorical=[1])
    codes = bins.encode(X)
    assert np.array_equal(codes == MISSING, np.isnan(X.T))
    assert np.array_equal(codes[1, 1:], X[1:, 1])
    nothing = Bins.from_data(np.full((3, 1), np.nan))
    assert nothing.cuts == ((),)
    assert (nothing.encode(np.array([[1.0], [np.nan]])) == [[0, MISSING]]).all()


def test_histograms_equal_their_definition(rng):
    codes = rng.integers(256, size=(3, 500)).astype(np.uint8)
    signed = np.rint(rng.normal(size=500) * 100) / 2**20
    expected = np.array([[signed[row == b].sum() for b in range(256)] for row in codes])
    assert np.array_equal(histograms(codes, signed), expected)


def test_the_top_quantile_is_not_an_empty_bin():
    X = np.concatenate([np.arange(300.0), np.full(200, 1000.0)])[:, None]  # the largest value is a quantile itself
    codes = Bins.from_data(X, 20).encode(X)
    assert (np.bincount(codes[0]) > 0).all()
    assert (codes[0][-200:] == codes[0].max()).all()


def test_tables_come_alone_or_together_and_in_any_form(rng):
    pd = pytest.importorskip("pandas")
    X = rng.normal(size=(100, 3))
    cuts = Bins.from_data(X).cuts
    assert Bins.from_data([X[:30], X[30:]]).cuts == cuts
    assert Bins.from_data((X[:30].tolist(), X[30:].tolist())).cuts == cuts
    assert Bins.from_data(X.tolist()).cuts == cuts
    assert Bins.from_data(pd.DataFrame(X)).cuts == cuts
    with pytest.raises(ValueError, match="features"):
        Bins.from_data([X, X[:, :2]])
