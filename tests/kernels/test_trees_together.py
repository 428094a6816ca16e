"""Runs of boosted trees that keep the same number of rounds."""

from dataclasses import replace

import numpy as np
import pytest

from agnoboost.kernels import growing
from agnoboost.kernels.gradient_trees import TreeGrowth, grow
from agnoboost.kernels.plain_gradient_trees import potential


def noisy(rng, rows):
    codes = rng.integers(0, 40, (4, rows)).astype(np.uint8)
    return codes, np.ones(rows), np.where(rng.random(rows) < np.where(codes[0] > 20, 0.7, 0.4), 1.0, -1.0)


@pytest.mark.parametrize("kind", ["huber", "logistic"])
@pytest.mark.parametrize("compiled", [True, False])
def test_they_keep_the_best_round_of_their_mean(rng, kind, compiled):
    """As found by growing 1, 2, ... rounds one after the other."""
    codes, mass, label = noisy(rng, 80)
    counts = rng.poisson(1.0, (5, 80))
    counts[:, 0], counts[:, 1] = 1, 0  # one row is never outside, one always
    outside = counts == 0
    judged = outside.any(axis=0)
    growth = TreeGrowth(rounds=15, leaves=4, step=0.5, potential=kind, together=True)
    base = rng.normal(size=5)

    def grown(**changes):
        return grow(codes, mass, label, counts, replace(growth, **changes), base=base, compiled=compiled)

    def judge(margins):
        return potential(margins[judged], mass[judged], label[judged], growth.huber)

    found = grown()
    start = np.array([base[own].mean() if own.any() else 0.0 for own in outside.T])
    expected = [judge(start), *(judge(grown(rounds=rounds, together=False).outside()) for rounds in range(1, 16))]
    np.testing.assert_allclose(found.potential, [expected])
    kept = 1 + int(np.argmin(expected[1:]))
    assert 1 <= kept < 15
    assert found.kept.tolist() == [kept] * 5
    alone = grown(rounds=kept, together=False)
    np.testing.assert_array_equal(found.margins, alone.margins)
    for name, array in found.forest.to_arrays().items():
        np.testing.assert_array_equal(array, alone.forest.to_arrays()[name])
    assert found.potential[0, kept] == judge(found.outside())
    assert np.isnan(found.outside()[~judged]).all()


def test_runs_that_hold_all_rows_keep_all_rounds(rng):
    codes, mass, label = noisy(rng, 60)
    found = grow(codes, mass, label, np.ones((2, 60), int), TreeGrowth(rounds=4, leaves=3, together=True))
    assert found.kept.tolist() == [4, 4]
    assert np.isnan(found.potential).all()


def test_one_round_is_kept_at_least(rng):
    codes, mass, _ = noisy(rng, 60)
    inside = np.arange(60)[None] % 2 == 0
    misled = np.where(codes[0] > 20, 1.0, -1.0) * np.where(inside[0], 1.0, -1.0)  # rows outside say the contrary
    found = grow(codes, mass, misled, inside, TreeGrowth(rounds=4, leaves=3, together=True))
    assert found.kept.tolist() == [1]
    assert np.argmin(found.potential[0]) == 0


def test_the_first_of_equal_rounds_is_kept(rng):
    """Nothing to learn: no tree moves anything."""
    codes, inside = np.zeros((1, 20), dtype=np.uint8), np.arange(20)[None] % 2 == 0
    found = grow(codes, np.ones(20), np.tile([1.0, 1.0, -1.0, -1.0], 5), inside, TreeGrowth(rounds=4, together=True))
    assert len(set(found.potential[0].tolist())) == 1
    assert found.kept.tolist() == [1]


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("patience", [1, 2, 5])
def test_they_lose_patience_together(rng, patience, compiled):
    """They keep the best round before the first so many without a better one; what comes after is never looked at."""
    codes, mass, label = noisy(rng, 80)
    counts = rng.poisson(1.0, (5, 80))
    growth = TreeGrowth(rounds=30, leaves=4, step=0.5, together=True)
    whole, hasty = (
        grow(codes, mass, label, counts, one, compiled=compiled) for one in (growth, replace(growth, patience=patience))
    )
    best = 1
    while (
        best + patience <= 30
        and (later := whole.potential[0, best + 1 : best + 1 + patience]).min(initial=np.inf)
        < (whole.potential[0, best])
    ):
        best += 1 + int(np.argmax(later < whole.potential[0, best]))
    assert hasty.kept.tolist() == [best] * 5
    assert best + patience < 30
    seen = best + patience + 1
    np.testing.assert_array_equal(hasty.potential[0, :seen], whole.potential[0, :seen])
    assert np.isnan(hasty.potential[0, seen:]).all()


def test_rounds_at_once_do_not_matter(rng, monkeypatch):
    codes, mass, label = noisy(rng, 80)
    counts = rng.poisson(1.0, (5, 80))
    growth = TreeGrowth(rounds=17, leaves=4, step=0.5, together=True, patience=3)
    found = []
    for rounds in (1, 3, 8, 100):
        monkeypatch.setattr(growing, "TOGETHER", rounds)
        found += [grow(codes, mass, label, counts, growth, compiled=True, threads=threads) for threads in (1, 3)]
    for other in found[1:]:
        np.testing.assert_array_equal(found[0].margins, other.margins)
        np.testing.assert_array_equal(found[0].potential, other.potential)
