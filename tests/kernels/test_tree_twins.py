"""Boosted trees of all kinds: compiled code and threads against plain numpy, and margins against the trees."""

from dataclasses import replace

import numpy as np
import pytest

from agnoboost.kernels import growing, plain_tree_cuts
from agnoboost.kernels.binning import MISSING
from agnoboost.kernels.gradient_trees import TreeGrowth, grow
from agnoboost.kernels.plain_gradient_trees import potential


def problem(seed):
    """Few and many bins, gaps, categories, constant columns, bags and folds, masses that are 0 or far apart."""
    rng = np.random.default_rng(seed)
    rows, features, runs = (
        int(rng.choice([2, 3, rng.integers(4, 100)], p=[0.05, 0.05, 0.9])),
        int(rng.choice([1, 2, 3, 4, 5, 12])),
        int(rng.integers(1, 6)),
    )
    codes = rng.integers(0, int(rng.choice([1, 2, 5, 12, 255], p=[0.05, 0.15, 0.3, 0.35, 0.15])), (features, rows))
    codes[rng.random(codes.shape) < rng.choice([0.0, 0.2, 0.9], p=[0.4, 0.5, 0.1])] = MISSING
    codes[rng.random(features) < 0.1] = rng.choice([0, 7, MISSING])
    if seed % 4 == 1:
        codes[:, rows // 2 :] = codes[:, : rows - rows // 2]
    mass = [np.ones(rows), rng.random(rows), 10.0 ** rng.uniform(-6, 6, rows), rng.integers(0, 2, rows)][seed % 4]
    score = np.sin(3.0 * codes).sum(axis=0) + 0.5 * rng.normal(size=rows)
    target = np.sign(score) if seed % 3 else np.clip(score, -1, 1)
    counts = rng.integers(0, 3, (runs, rows)) if seed % 2 else rng.random((runs, rows)) < 0.8
    counts[:, 0] = 1
    growth = TreeGrowth(
        rounds=int(rng.integers(1, 9)),
        leaves=int(rng.choice([1, 2, 3, 8, 31], p=[0.05, 0.1, 0.2, 0.35, 0.3])),
        depth=int(rng.choice([0, 0, 1, 3])),
        step=float(rng.choice([0.1, 1.0])),
        ridge=float(rng.choice([0.0, 0.5, 3.0])),
        least=float(rng.choice([0.0, 1.0, 3.0])),
        smooth=float(rng.choice([0.0, 2.0])),
        potential=str(rng.choice(["huber", "logistic"])),
        features=float(rng.choice([1.0, 1.0, 0.5, 0.3])),
        random_cuts=bool(rng.random() < 0.3),
        patience=int(rng.choice([0, 1, 2])),
        seed=seed,
    )
    if seed % 3 == 0:
        growth = replace(growth, together=True)
    if seed % 5 in (2, 4):
        depth = 1 + seed // 5 % 5
        growth = replace(growth, symmetric=True, random_cuts=False, features=1.0, depth=depth, leaves=2**depth)
    categorical = rng.random(features) < 0.3
    base = rng.normal(size=runs) if seed % 5 == 0 else None
    data = (codes.astype(np.uint8), mass.astype(float), mass * target, counts)
    return data, growth, {"categorical": categorical, "base": base}


def assert_same(one, other):
    for name, array in one.forest.to_arrays().items():
        np.testing.assert_array_equal(array, other.forest.to_arrays()[name], err_msg=name)
    for name in ("kept", "margins", "potential"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize("seed", range(80))
def test_compiled_runs_are_the_plain_ones(seed):
    data, growth, options = problem(seed)
    found = [grow(*data, growth, compiled=compiled, threads=1, **options) for compiled in (True, False)]
    assert_same(*found)
    codes = np.random.default_rng(seed).integers(0, 256, (len(data[0]), 300)).astype(np.uint8)
    compiled, plain = (found[0].forest.margins(codes, compiled=compiled) for compiled in (True, False))
    np.testing.assert_array_equal(compiled, plain)


def test_the_problems_cover_what_they_should():
    runs = [(grow(*data, growth, compiled=False, **options), data) for data, growth, options in map(problem, range(80))]
    forests = [run.forest for run, _ in runs]
    assert sum(len(forest.child) > len(forest.nodes) for forest in forests) > 40  # trees that split
    assert any((forest.low[forest.child > 0] == MISSING).any() for forest in forests)
    assert any(((forest.low > 0) & (forest.low < MISSING)).any() for forest in forests)  # a category
    assert sum(len(forest.sets) > 0 for forest in forests) > 5
    assert any((run.kept < len(run.potential[0]) - 1).any() for run, _ in runs)  # stopped early
    assert any(np.isnan(run.potential[:, -1]).any() and (run.kept > 0).any() for run, _ in runs)
    together = [run for run, _ in runs if len(run.potential) < len(run.kept)]
    assert sum((run.kept < run.potential.shape[1] - 1).any() for run in together) > 5


@pytest.mark.parametrize("seed", range(0, 80, 4))
def test_nodes_are_judged_one_by_one_as_well(seed, monkeypatch):
    data, growth, options = problem(seed)
    found = grow(*data, growth, compiled=False, **options)
    monkeypatch.setattr(plain_tree_cuts, "CELLS", 1)
    assert_same(found, grow(*data, growth, compiled=False, **options))


@pytest.mark.parametrize("seed", range(0, 80, 4))
def test_margins_outside_are_those_of_the_trees(seed):
    (codes, mass, label, counts), growth, options = problem(seed)
    found = grow(codes, mass, label, counts, growth, **options)
    outside = counts == 0
    np.testing.assert_array_equal(found.margins[outside], found.forest.margins(codes)[outside])
    assert np.isnan(found.margins[~outside]).all()
    mean = [found.margins[own, row].mean() if (own := outside[:, row]).any() else np.nan for row in range(len(mass))]
    np.testing.assert_allclose(found.outside(), mean)
    for run, kept in enumerate([] if growth.together else found.kept):
        own = outside[run]
        expected = potential(found.margins[run, own], mass[own], label[own], growth.huber)
        if own.any():
            assert found.potential[run, kept] == expected


@pytest.mark.parametrize("seed", [0, 1, 2, 5])
def test_threads_do_not_matter(seed, monkeypatch):
    """Neither over runs nor, where a run has threads to itself, over the rows of a node."""
    data, growth, options = problem(seed)
    alone = grow(*data, growth, compiled=True, threads=1, **options)
    monkeypatch.setattr(growing, "MANY", 3)
    for threads in (2, 3, 7):
        assert_same(alone, grow(*data, growth, compiled=True, threads=threads, **options))
        np.testing.assert_array_equal(
            alone.forest.margins(data[0], threads, True), alone.forest.margins(data[0], 1, True)
        )
