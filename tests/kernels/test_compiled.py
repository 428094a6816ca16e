"""Every compiled kernel against its numpy twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agnoboost.core.learners import Stump
from agnoboost.kernels import binning, cells
from agnoboost.kernels.binning import Bins
from agnoboost.kernels.cells import Layout
from agnoboost.kernels.compiled import best_stump as choice
from agnoboost.kernels.compiled import histograms, panels
from agnoboost.kernels.replay import replayed


@pytest.fixture
def compiled(compile_from):
    compile_from(0)


def tables(rng):
    X = rng.normal(size=(400, 5))
    X[:, 1] = rng.integers(0, 3, 400)
    X[:, 2] = rng.integers(0, 255, 400)
    X[:, 4] = 7.0
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_encoding(rng, compile_from, dtype, order):
    X = np.asarray(tables(rng), dtype=dtype, order=order)
    bins = Bins.from_data(X, categorical=[2])
    values = np.concatenate([X, np.full((1, 5), 3.0), np.array([bins.cuts[0][:5]]).reshape(1, 5)]).astype(dtype)
    values[:, 2] = np.where(np.isnan(values[:, 2]), np.nan, np.round(np.abs(values[:, 2])))
    compile_from(1e18)
    expected = bins.encode(values)
    compile_from(0)
    assert np.array_equal(bins.encode(values), expected)


def test_cuts_of_large_tables(rng, compiled, monkeypatch):
    monkeypatch.setattr(binning, "SAMPLE_ROWS", 300)
    few = rng.integers(0, 40, 5000) / 8
    few[4321] = 1e6  # a value that a sample of 300 rows would hardly show
    many = rng.normal(size=5000)
    nearly_few = np.where(np.arange(5000) < 4600, 0.0, np.arange(5000))  # few values in the sample, many in the whole
    X = np.column_stack([few, many, nearly_few, np.full(5000, np.nan)])
    bins = Bins.from_data([X[:1000], X[1000:]])
    assert bins.cuts[0] == Bins.from_data(X[:, :1]).cuts[0]
    assert bins.cuts[0][-1] > 1000
    counts = np.bincount(bins.encode(X)[1], minlength=255)
    assert counts.min() > 0
    assert counts.max() < 5000 / 255 * 10  # quantiles of 300 rows are rough
    assert 1 <= len(bins.cuts[2]) < 255
    assert bins.cuts[3] == ()
    assert bins.cuts == Bins.from_data([X[:3000], X[3000:]]).cuts  # where the tables are split does not matter


def test_numpy_twin_of_cuts(rng, compile_from, monkeypatch):
    compile_from(1e18)
    monkeypatch.setattr(binning, "SAMPLE_ROWS", 300)
    X = np.column_stack([rng.integers(0, 40, 3000) / 8, rng.normal(size=3000)])
    slow = Bins.from_data(X).cuts
    compile_from(0)
    assert Bins.from_data(X).cuts == slow


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.booleans())
def test_sums_and_choice(seed, huge):
    rng = np.random.default_rng(seed)
    X = tables(rng)[:, : rng.integers(1, 6)]
    categorical = [c for c in (1, 2) if c < X.shape[1]]
    layout = Layout.of(Bins.from_data(X, categorical=categorical), [X])
    codes = layout.encode([X])
    values = rng.integers(-(2**52 if huge else 5), 2**52 if huge else 5, len(X))
    expected = np.zeros(layout.size, dtype=np.int64)
    for feature in range(X.shape[1]):
        np.add.at(expected, layout.start[feature] + codes[:, feature].astype(int), values)
    found = np.zeros(layout.size, dtype=np.int64)
    histograms.add_rows(codes, layout.start, values, found, 0, len(X))
    assert np.array_equal(found, expected)
    assert np.array_equal(cells.cell_sums(codes, layout.start, values), expected)
    labels = cells.label_edges(
        cells.cell_sums(codes, layout.start, rng.integers(-1, 2, len(X))), layout.start, layout.categorical, 1e-3
    )
    factor = 2.0**-60 if huge else rng.choice([0.0, 1e-4, 3e-3])
    for min_gain in (0.0, 0.05):
        total = 1e-3 * rng.integers(-5, 5)
        best = cells.best_stump(layout, found, labels, factor, total, min_gain)
        table = np.zeros(256, dtype=np.int8)
        answer = choice.best_stump(found, labels, factor, layout.start, layout.categorical, total, min_gain, table)
        assert answer == (best.feature, best.position, best.sign, best.edge)
        assert np.array_equal(table, best.table)


def test_panels_hold_the_columns_even_where_lanes_must_be_emptied(rng):
    rows = 150_000  # more than 16-bit lanes can count
    codes = np.zeros((rows, 3), dtype=np.uint8)
    codes[:, 1] = rng.integers(0, 4, rows)
    codes[rng.random(rows) < 0.3, 2] = 1
    start = np.array([0, 2, 7, 10])
    margins, weight = rng.integers(-6, 7, rows).astype(np.int32), rng.integers(0, 2, rows).astype(np.int8)
    features = rng.integers(0, 3, panels.LANES)
    tables = rng.integers(-1, 2, size=(panels.LANES, 256)).astype(np.int8)
    tables[1] = 1  # two units a row in one cell: the most that a lane can get
    tables[-1] = 0
    shared = (codes, start, margins, weight, 5, features, tables)
    packed = np.zeros((10, panels.LANES), dtype=np.int32)
    panels.add_equal(*shared, packed, 0, rows)
    wide = np.zeros((10, panels.WORDS), dtype=np.int64)
    panels.add_different(*shared, wide, 0, rows)
    active = weight * (np.abs(margins) <= 5).astype(np.int64)
    for lane in range(panels.LANES - 1):
        column = cells.cell_sums(codes, start, active * tables[lane, codes[:, features[lane]]])
        assert np.array_equal(packed[:, lane] - packed[:, -1], column)
        assert lane >= panels.WORDS or np.array_equal(wide[:, lane], column)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_prediction_by_look_up(rng, compiled, dtype):
    X = tables(rng).astype(dtype)
    grid = np.quantile(rng.normal(size=100), np.linspace(0, 1, 20))
    stumps = [
        Stump(
            int(rng.integers(5)),
            float(rng.choice([-np.inf, *grid])),
            int(rng.choice([-1, 1])),
            int(rng.integers(3)) - 1,
        )
        for _ in range(300)
    ]
    coefs = rng.integers(1, 50, 300).tolist()
    expected = sum(coef * stump.predict(X) for stump, coef in zip(stumps, coefs, strict=True))
    assert np.array_equal(Stump.weighted_sum(stumps, coefs, X), expected)


def test_more_thresholds_than_bins_are_summed_up_by_numpy(rng, compiled):
    X = rng.normal(size=(50, 1))
    stumps = [Stump(0, float(cut), 1) for cut in rng.normal(size=400)]
    expected = sum(stump.predict(X) for stump in stumps)
    assert np.array_equal(Stump.weighted_sum(stumps, [1] * 400, X), expected)


def test_rows_without_the_columns_of_stumps_are_left_to_numpy(monkeypatch):
    """Compiled code would read beyond them."""
    monkeypatch.setattr("agnoboost.kernels.replay.pays", lambda seconds: True)
    function = (np.array([0.0]), np.array([-1, 1]), 0)
    total = np.zeros(4, dtype=np.int64)
    assert replayed(np.ones((4, 3)), {2: function}, total)
    assert total.tolist() == [1, 1, 1, 1]
    assert not replayed(np.ones((4, 3)), {3: function}, total)
    with pytest.raises(IndexError):
        Stump.weighted_sum([Stump(10**6, 0.0, 1)], [1], np.ones((4, 3)))
