"""Sums of forests as one are what the forests say together."""

from dataclasses import replace

import numpy as np
import pytest

from agnoboost.kernels.binning import MISSING
from agnoboost.kernels.forest import Forest
from agnoboost.kernels.forest_sums import weighted_sum
from agnoboost.kernels.gradient_trees import TreeGrowth, grow

FEATURES, ROWS = 4, 400


@pytest.fixture(scope="module")
def codes():
    """Numbers with gaps in two columns, and categories in the others."""
    rng = np.random.default_rng(0)
    found = rng.integers(0, 40, size=(FEATURES, ROWS)).astype(np.uint8)
    found[rng.random(found.shape) < 0.1] = MISSING
    return found


def grown(codes, growth, runs, seed, base=None):
    rng = np.random.default_rng(seed)
    label = np.where((codes[0] > 20) ^ np.isin(codes[2] % 7, (1, 4)), 1.0, -1.0) + 0.3 * rng.normal(size=ROWS)
    counts = rng.poisson(1.0, size=(runs, ROWS))
    kinds = np.array([False, False, True, True])
    return grow(codes, np.ones(ROWS), label, counts, growth, categorical=kinds, base=base, compiled=False).forest


def total(curves, forest, codes):
    assert forest.runs == 1
    return sum(curve[column] for curve, column in zip(curves, codes, strict=True)) + forest.margins(codes)[0]


def some_forests(codes):
    stumps = grown(codes, TreeGrowth(rounds=8, leaves=2, depth=1), 3, 1, base=np.array([0.5, -0.25, 1.0]))
    trees = grown(codes, TreeGrowth(rounds=5, leaves=8), 2, 2, base=np.array([0.1, 0.2]))
    nothing = grown(codes, TreeGrowth(rounds=2, leaves=1), 1, 3)  # a single leaf each
    mixed = grown(codes, TreeGrowth(rounds=6, leaves=5, depth=2, least=20.0), 4, 4)
    return [stumps, trees, nothing, mixed]


def test_the_problem_has_trees_of_all_kinds(codes):
    stumps, trees, nothing, _ = some_forests(codes)
    assert set(np.diff(stumps.nodes)) == {3}
    assert set(np.diff(nothing.nodes)) == {1}
    assert np.diff(trees.nodes).max() > 3
    assert len(stumps.sets) > 0  # sets of categories, of single cuts and of others
    assert len(trees.sets) > 0


@pytest.mark.parametrize("chosen", [[0], [1], [2], [3], [0, 1], [1, 1], [3, 0, 2, 1]])
def test_sums_are_what_the_forests_say_together(codes, chosen):
    forests = [some_forests(codes)[place] for place in chosen]
    factors = [0.7, 2.0, 0.3, 1.1][: len(chosen)]
    expected = sum(f * one.margins(codes).mean(axis=0) for f, one in zip(factors, forests, strict=True))
    curves, forest = weighted_sum(FEATURES, forests, factors)
    np.testing.assert_allclose(total(curves, forest, codes), expected, atol=1e-12)
    assert forest.features == FEATURES
    assert (np.diff(forest.nodes) > 3).all()


def test_the_sum_is_a_forest_that_files_take(codes):
    _, forest = weighted_sum(FEATURES, some_forests(codes), [1.0, 2.0, 3.0, 4.0])
    back = Forest.from_arrays(forest.to_arrays())
    np.testing.assert_array_equal(back.margins(codes), forest.margins(codes))


def test_no_forests_are_nothing(codes):
    curves, forest = weighted_sum(FEATURES, [], [])
    assert not curves.any()
    assert (forest.runs, len(forest.value)) == (1, 0)
    np.testing.assert_array_equal(forest.margins(codes), np.zeros((1, ROWS)))


@pytest.mark.parametrize("rows", [1, 255, 256, 257, ROWS])  # compiled code works on 256 rows at a time
def test_trees_of_all_sizes_are_scored_as_they_are_walked(codes, rows):
    """Leaves are bits of a word of 32 or of 64, or rows walk: all in one forest."""
    sizes = (2, 31, 32, 33, 63, 64, 65, 100)
    grow_one = TreeGrowth(rounds=3, least=0.0, ridge=0.1, step=0.5)
    forests = [grown(codes, replace(grow_one, leaves=leaves), 1, leaves) for leaves in sizes]
    _, forest = weighted_sum(FEATURES, forests, [0.5] * len(forests))
    assert {2 * leaves - 1 for leaves in sizes[1:]} <= set(np.diff(forest.nodes))
    some = codes[:, :rows]
    for threads in (1, 2):
        np.testing.assert_array_equal(
            forest.margins(some, threads=threads, compiled=True), forest.margins(some, compiled=False)
        )
