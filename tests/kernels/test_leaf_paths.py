"""Ways to leaves: a leaf is reached if nothing fails, and only then."""

import numpy as np
import pytest

from agnoboost.kernels import leaf_paths as module
from agnoboost.kernels.forest_sums import weighted_sum
from agnoboost.kernels.gradient_trees import TreeGrowth, grow
from agnoboost.kernels.leaf_paths import leaf_paths


def forest(rng, leaves=6, categorical=True):
    codes = rng.integers(0, 20, (4, 300)).astype(np.uint8)
    codes[:, ::9] = 255
    y = np.where((codes[0] < 8) ^ np.isin(codes[3], [1, 5, 6, 11]), 1.0, -1.0)
    kinds = np.array([False, False, False, categorical])
    grown = grow(
        codes,
        np.ones(300),
        y,
        np.ones((2, 300), dtype=np.int64),
        TreeGrowth(rounds=10, leaves=leaves, step=0.3, seed=1, random_cuts=leaves > 20),
        categorical=kinds,
        base=np.zeros(2),
        threads=1,
    )
    return weighted_sum(4, [grown.forest], [1.0])[1], rng.integers(0, 20, (4, 50)).astype(np.uint8)


@pytest.mark.parametrize("leaves", [6, 40])
@pytest.mark.parametrize("together", [1, 30, 10**6])
def test_the_sum_of_reached_leaves_is_the_margin(leaves, together, rng, monkeypatch):
    monkeypatch.setattr(module, "NODES_AT_A_TIME", together)
    trees, codes = forest(rng, leaves)
    assert len(trees.value)
    total = np.zeros(50)
    for paths in leaf_paths(trees, np.arange(4)):
        total += ((paths.failed(codes) == 0) * paths.value[:, None]).sum(axis=0)
    np.testing.assert_allclose(total, trees.margins(codes, compiled=False)[0], atol=1e-9)


def test_bits_are_groups_of_columns(rng):
    """The group of columns 1 and 3 fails if and only if exchanging both of them could mend it."""
    trees, codes = forest(rng)
    other = rng.permuted(codes, axis=1)
    groups = np.array([0, 1, 2, 1])
    mixed = codes.copy()
    mixed[[1, 3]] = other[[1, 3]]
    for paths in leaf_paths(trees, groups):
        assert paths.slots.max() <= 3
        before, new, after = (paths.failed(each) for each in (codes, other, mixed))
        for slot in range(paths.groups.shape[1]):
            own = paths.groups[:, slot] == 1
            bit = 1 << slot
            np.testing.assert_array_equal(after[own] & bit, new[own] & bit)
            np.testing.assert_array_equal(after[own] & ~bit, before[own] & ~bit)
