"""Which members there are, on which rows they are grown, and what trees say of rows that they have not seen."""

from dataclasses import replace

import numpy as np
import pytest

from agnoboost.basics.content_luck import content_keys
from agnoboost.estimators.table.members import (
    BOOSTED,
    EFFORTS,
    FOREST,
    MEMBERS,
    TREES,
    Runs,
    chosen,
    growths,
    names_for,
    runs_for,
)
from agnoboost.estimators.table.trees import SUREST, TreeFitter
from agnoboost.kernels.gradient_trees import TreeGrowth

RNG = np.random.default_rng
SIZES = [1, 2, 30, 100, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 150_000, 500_000, 2_000_000]
KINDS = [Runs(bags=7), Runs(folds=5, used=5), Runs(folds=5, used=2), Runs(folds=10, used=1)]


def keys_of(rows, seed=0):
    return content_keys(RNG(seed).normal(size=(rows, 2)))


# ------------------------------------------------------------------------ runs


@pytest.mark.parametrize("runs", KINDS, ids=str)
def test_luck_belongs_to_the_content_of_a_row(runs):
    keys = keys_of(200)
    counts = runs.counts(keys, 3)
    order = RNG(1).permutation(200)
    np.testing.assert_array_equal(runs.counts(keys[order], 3), counts[:, order])
    np.testing.assert_array_equal(runs.counts(keys[:50], 3), counts[:, :50])  # whatever the other rows are
    np.testing.assert_array_equal(runs.counts(np.repeat(keys, 2), 3), np.repeat(counts, 2, axis=1))
    assert not np.array_equal(runs.counts(keys, 4), counts)


@pytest.mark.parametrize("runs", KINDS, ids=str)
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_every_run_holds_a_row(runs, rows):
    for seed in range(30):
        counts = runs.counts(keys_of(rows, seed), seed)
        assert counts.shape == (runs.bags or runs.used, rows)
        assert counts.any(axis=1).all()


def test_folds_are_a_partition():
    left_out = ~Runs(folds=5, used=5).counts(keys_of(5000), 0)
    np.testing.assert_array_equal(left_out.sum(axis=0), 1)
    np.testing.assert_allclose(left_out.mean(axis=1), 0.2, atol=0.03)
    some = ~Runs(folds=5, used=2).counts(keys_of(5000), 0)
    np.testing.assert_array_equal(some, left_out[:2])


def test_bags_are_draws_with_replacement():
    counts = Runs(bags=40).counts(keys_of(2000), 0)
    assert counts.mean() == pytest.approx(1.0, abs=0.02)
    assert (counts == 0).mean() == pytest.approx(np.exp(-1), abs=0.01)
    assert abs(np.corrcoef(counts)[np.triu_indices(40, 1)].mean()) < 0.01  # each bag has its own luck


# --------------------------------------------------------------------- choices


@pytest.mark.parametrize("effort", EFFORTS)
@pytest.mark.parametrize("rows", SIZES)
def test_every_size_has_members_runs_and_ways_to_grow(rows, effort):
    names = names_for(rows, effort)
    assert names == tuple(name for name in MEMBERS if name in names)  # in the order of all
    assert len(names) >= 2
    assert set(names) & set(TREES)
    runs = runs_for(rows, effort)
    assert (runs.bags >= 2) if runs.bags else (1 <= runs.used <= runs.folds)
    full = runs_for(rows, "full")
    assert (runs.bags, runs.used) <= (full.bags, full.used)
    for huber in (False, True):
        plans = growths(rows, 7, huber, "full")
        assert set(plans) == set(TREES)
        assert {plans[name].huber for name in BOOSTED} == {huber}
        assert plans[FOREST].huber  # its leaves are means
        assert all(plans[name].together or plans[name].patience for name in BOOSTED)  # rounds: by rows left out
        assert plans[FOREST].rounds == 1
        assert all(0 < plan.features <= 1 for plan in growths(rows, 1, huber, "fast").values())


def test_members_come_once_and_in_order():
    assert chosen(["linear", "stumps", "linear"], 100, "full") == ("stumps", "linear")
    assert chosen("linear", 100, "full") == ("linear",)
    assert chosen(np.array(["gaussian"]), 100, "full") == ("gaussian",)
    assert chosen("auto", 100, "fast") == names_for(100, "fast")


# ----------------------------------------------------------------------- trees


def rows_for_trees(rows=40, seed=0):
    rng = RNG(seed)
    codes = rng.integers(0, 6, size=(3, rows)).astype(np.uint8)
    psi = rng.uniform(0.5, 2.0, rows)
    pull = psi * np.where(rng.random(rows) < np.where(codes[0] > 2, 0.9, 0.2), 1.0, -1.0)
    return codes, np.array([False, True, False]), psi, pull


def grown(growth, counts, pull=None, seed=0):
    codes, categorical, psi, own = rows_for_trees(counts.shape[1])
    found = TreeFitter(codes, categorical, psi, own if pull is None else pull, None).grow(counts, growth, seed)
    (forest,) = found.forests
    return forest, found.unseen


GROWTHS = [
    TreeGrowth(rounds=8, leaves=4, step=0.2, together=True, features=0.5),
    TreeGrowth(rounds=8, leaves=4, step=0.2, patience=3, random_cuts=True),
    TreeGrowth(rounds=8, leaves=4, step=0.2, together=True, potential="huber"),
]


@pytest.mark.parametrize("growth", GROWTHS, ids=["together", "patient", "huber"])
def test_margins_are_means_over_the_runs_without_the_row(growth):
    counts = RNG(1).poisson(1.0, size=(8, 40))
    counts[:, 5] = 1
    forest, unseen = grown(growth, counts)
    each = forest.margins(rows_for_trees()[0])
    for row in range(40):
        outside = counts[:, row] == 0
        expected = each[outside, row].mean() if outside.any() else np.nan
        np.testing.assert_allclose(unseen[row], expected)
    assert np.isnan(unseen[5])


@pytest.mark.parametrize("growth", GROWTHS, ids=["together", "patient", "huber"])
def test_runs_start_from_the_mean_label_of_their_own_rows(growth):
    counts = RNG(2).poisson(1.0, size=(6, 40))
    forest, _ = grown(growth, counts)
    _, _, psi, pull = rows_for_trees()
    for run, base in zip(counts, forest.base, strict=True):
        mean = (run @ pull) / (run @ psi)
        assert base == pytest.approx(mean if growth.huber else np.log((1 + mean) / (1 - mean)))
    sure, _ = grown(growth, counts, pull=psi)  # all labels +1
    np.testing.assert_allclose(sure.base, SUREST if growth.huber else np.log((1 + SUREST) / (1 - SUREST)))


@pytest.mark.parametrize("growth", GROWTHS, ids=["together", "patient", "huber"])
def test_the_label_of_a_row_does_not_move_what_is_said_of_it_unseen(growth):
    """Exactly so for trees, up to the number of rounds, which is chosen by all rows: here it is fixed."""
    fixed = replace(growth, rounds=1, together=False, patience=0)
    counts = RNG(3).poisson(1.0, size=(9, 40))
    counts[0] = 1
    counts[0, ::2] = 0
    _, _, _, pull = rows_for_trees()
    _, before = grown(fixed, counts)
    for row in (0, 8, 22):
        flipped = np.where(np.arange(40) == row, -pull, pull)
        _, after = grown(fixed, counts, pull=flipped)
        assert after[row] == pytest.approx(before[row], abs=1e-6)  # sums are rounded by their total
        assert not np.allclose(after, before, equal_nan=True)


def test_luck_of_trees_is_in_the_seed():
    counts = RNG(4).poisson(1.0, size=(5, 40))
    one, again, other = (grown(GROWTHS[0], counts, seed=seed)[1] for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert not np.allclose(one, other, equal_nan=True)


def test_runs_are_added_one_by_one():
    """What one run leaves out and then the others is what they all leave out; every run counts the same."""
    codes, categorical, psi, pull = rows_for_trees()
    growth = TreeGrowth(rounds=6, leaves=4, patience=2)
    fitter = TreeFitter(codes, categorical, psi, pull, None)
    counts = np.arange(40) % 4 != np.arange(4)[:, None]
    first, others = fitter.grow(counts[:1], growth, 0), fitter.grow(counts[1:], growth, 1)
    both = first + others
    assert np.isnan(first.unseen).sum() == 30
    assert not np.isnan(both.unseen).any()
    np.testing.assert_array_equal(both.unseen[::4], first.unseen[::4])
    runs = np.concatenate([forest.margins(codes) for forest in both.forests])
    mean = sum(share * forest.margins(codes).mean(axis=0) for forest, share in both.shares())
    np.testing.assert_allclose(mean, runs.mean(axis=0))


def test_rows_that_several_turns_leave_out_have_the_mean_of_all():
    """Bags of a forest: as if they had been grown in one turn."""
    growth = growths(40, 3, False, "full")[FOREST]
    codes, categorical, psi, pull = rows_for_trees()
    fitter = TreeFitter(codes, categorical, psi, pull, None)
    counts = RNG(6).poisson(1.0, size=(9, 40))
    counts[:, 7] = 1
    turns = fitter.grow(counts[:2], growth, 0) + fitter.grow(counts[2:], growth, 1)
    each = np.concatenate([forest.margins(codes) for forest in turns.forests])
    for row in range(40):
        outside = counts[:, row] == 0
        np.testing.assert_allclose(turns.unseen[row], each[outside, row].mean() if outside.any() else np.nan)
    assert np.isnan(turns.unseen[7])
