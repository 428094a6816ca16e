import numpy as np
import pytest

from agnoboost import Batch, bernoulli, bootstrap, fractional
from agnoboost.basics.conventions import GRID
from agnoboost.core.batch import mix


def make(rng, rows=30):
    return Batch(rng.normal(size=(rows, 2)), rng.uniform(-1, 1, rows), rng.dirichlet(np.ones(rows)))


def test_correlation_is_the_mean_of_label_times_prediction(rng):
    batch = make(rng)
    h = rng.choice([-1.0, 1.0], 30)
    assert batch.corr(h) == pytest.approx(float(np.sum(batch.mass * batch.target * h)), abs=1e-13)


def test_sums_on_the_grid_do_not_depend_on_order(rng):
    batch = make(rng, 10_000)
    signs = rng.choice([-1.0, 1.0], 10_000)
    sums = {float(np.cumsum((batch.signed * signs)[rng.permutation(10_000)])[-1]) for _ in range(20)}
    assert sums == {batch.corr(signs)}
    assert (batch.signed * GRID == np.rint(batch.signed * GRID)).all()


def test_mixing(rng):
    a, b = make(rng), make(rng)
    h = rng.choice([-1.0, 1.0], 60)
    mixed = mix(a, b, 0.25)
    assert mixed.corr(h) == pytest.approx(0.25 * a.corr(h[:30]) + 0.75 * b.corr(h[30:]), abs=1e-13)


def test_fractional_keeps_the_batch_or_draws_rows_with_their_mean_labels(rng):
    batch = make(rng)
    assert fractional()(batch, rng) is batch
    drawn = fractional(7)(batch, rng)
    assert len(drawn) == 7
    assert set(drawn.target) <= set(batch.target)


@pytest.mark.parametrize("realize", [fractional(200_000), bernoulli(200_000)])
def test_realisations_are_unbiased(rng, realize):
    batch = make(rng)
    h = rng.choice([-1.0, 1.0], 30)
    drawn = realize(batch, rng)
    rows = np.array([np.flatnonzero((x == batch.X).all(axis=1))[0] for x in drawn.X[:2000]])
    assert (np.bincount(rows, minlength=30)[batch.mass * 2000 > 60] > 0).all()
    lookup = {tuple(x): value for x, value in zip(batch.X, h, strict=True)}
    predictions = np.array([lookup[tuple(x)] for x in drawn.X])
    assert drawn.corr(predictions) == pytest.approx(batch.corr(h), abs=5 / np.sqrt(200_000))


def test_bernoulli_labels_are_hard(rng):
    drawn = bernoulli(50)(make(rng), rng)
    assert set(drawn.target) <= {-1.0, 1.0}
    extremes = Batch(np.zeros((2, 1)), np.array([1.0, -1.0]), np.array([1.0, 0.0]))
    assert (bernoulli(1000)(extremes, rng).target == 1.0).all()


def test_bad_batches_are_refused():
    X, half = np.zeros((2, 1)), np.array([0.5, 0.5])
    with pytest.raises(ValueError, match=r"target must be a mean label in \[-1, 1\]. Got values up to 2"):
        Batch(X, np.array([2.0, 0.0]), half)
    with pytest.raises(ValueError, match="mass must be nonnegative and sum to 1"):
        Batch(X, np.zeros(2), np.array([0.5, 0.6]))
    with pytest.raises(ValueError, match="one value for each"):
        Batch(X, np.zeros(3), half)
    with pytest.raises(ValueError, match="target must be"):
        Batch(X, np.array([np.nan, 0.0]), half)
    for bad in (0, -1, 2.5, True):
        with pytest.raises(ValueError, match="m must be a whole number"):
            bernoulli(bad)


def test_bootstrap_draws_poisson_multiplicities(rng):
    X = rng.normal(size=(20_000, 2))
    batch = Batch(X, np.zeros(20_000), np.full(20_000, 1 / 20_000))
    drawn = bootstrap()(batch, rng)
    unit = drawn.mass[drawn.mass > 0].min()
    counts = np.bincount(np.rint(drawn.mass / unit).astype(int))
    assert counts[:4] / 20_000 == pytest.approx(np.exp(-1) / np.array([1, 1, 2, 6]), abs=0.015)
    second = bootstrap()(batch, rng)
    assert abs(np.corrcoef(drawn.mass, second.mass)[0, 1]) < 0.03


def test_bootstrap_depends_on_content_not_on_place(rng):
    X, target = rng.normal(size=(50, 3)), rng.uniform(-1, 1, 50)
    X[3, 1], X[4, 1] = np.nan, 0.0
    batch = Batch(X, target, np.full(50, 1 / 50))
    order = rng.permutation(50)
    moved = Batch(X[order], target[order], batch.mass)
    first = bootstrap()(batch, np.random.default_rng(1))
    second = bootstrap()(moved, np.random.default_rng(1))
    assert first.mass[order] == pytest.approx(second.mass)
    doubled = Batch(np.concatenate([X, X[:10]]), np.concatenate([target, target[:10]]), np.full(60, 1 / 60))
    heavy = Batch(X, target, np.where(np.arange(50) < 10, 2, 1) / 60)
    a, b = bootstrap()(doubled, np.random.default_rng(2)), bootstrap()(heavy, np.random.default_rng(2))
    assert a.mass[:10] + a.mass[50:] == pytest.approx(b.mass[:10])
    X[4, 1] = -0.0
    assert np.array_equal(bootstrap()(Batch(X.copy(), target, batch.mass), np.random.default_rng(1)).mass, first.mass)
