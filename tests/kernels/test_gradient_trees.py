"""Boosted trees: every split against brute force, early stopping, files."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from agnoboost.basics.fact_schema import SchemaError
from agnoboost.kernels import dispatch, growing
from agnoboost.kernels.binning import MISSING
from agnoboost.kernels.forest import Forest
from agnoboost.kernels.gradient_trees import TreeGrowth, grow


def gain(left, rows, pulls, masses, ridge, least):
    """What a split gains, in fractions, or None if a side holds too little."""
    sides = [[row for row in rows if left[row]], [row for row in rows if not left[row]]]
    total = Fraction(0)
    for own, sign in ((sides[0], 1), (sides[1], 1), (rows, -1)):
        pull, mass = sum(pulls[row] for row in own), sum(masses[row] for row in own)
        if mass < max(least, 1):
            return None
        total += sign * Fraction(pull * pull, mass + ridge)
    return total


def all_splits(codes, categorical, rows):
    """Every way to divide rows by one feature."""
    for feature, column in enumerate(codes):
        known = sorted(set(column[rows].tolist()) - {MISSING})
        gap = column == MISSING
        if categorical[feature]:
            yield from (column == code for code in [*known, MISSING])
        else:
            for code in known:
                yield (column <= code) & ~gap
                yield (column <= code) | gap


@pytest.mark.parametrize("seed", range(12))
def test_every_split_is_the_best_by_brute_force(seed):
    """One tree, whole masses: no leaf has a better split, and the leaf with most to gain was divided first."""
    rng = np.random.default_rng(seed)
    rows, ridge, least = 40, 2, 3
    codes = rng.integers(0, 6, (3, rows)).astype(np.uint8)
    codes[rng.random(codes.shape) < 0.15 * (seed % 3)] = MISSING
    categorical = rng.random(3) < 0.4
    codes[categorical] = np.where(codes[categorical] < MISSING, codes[categorical] % 3, MISSING)  # few: one by one
    masses, pulls = rng.integers(1, 4, rows).tolist(), rng.integers(-5, 6, rows).tolist()
    growth = TreeGrowth(rounds=1, leaves=6, step=1.0, ridge=ridge, least=least, potential="huber")
    counts = np.ones((1, rows), dtype=int)
    tree = grow(codes, np.array(masses, float), np.array(pulls, float), counts, growth, categorical=categorical).forest
    members, best, own = {0: list(range(rows))}, {}, {}
    for node in range(len(tree.child)):
        inside = members[node]
        gains = (gain(left, inside, pulls, masses, ridge, least) for left in all_splits(codes, categorical, inside))
        best[node] = max((one for one in gains if one is not None), default=Fraction(0))
        child = tree.child[node]
        if child:
            left = ((codes[tree.feature[node]].astype(int) - tree.low[node]) & 255) <= tree.width[node]
            own[node] = gain(left, inside, pulls, masses, ridge, least)
            members[child] = [row for row in inside if left[row]]
            members[child + 1] = [row for row in inside if not left[row]]
        else:
            value = sum(pulls[row] for row in inside) / (sum(masses[row] for row in inside) + ridge)
            assert tree.value[node] == pytest.approx(value, rel=1e-12)
    assert all(float(own[node]) == pytest.approx(float(best[node])) for node in own)
    order = sorted(own, key=lambda node: tree.child[node])
    assert len(order) in range(1, 6)
    opened = {0}
    for node in order:
        assert float(best[node]) >= max(float(best[other]) for other in opened) - 1e-9
        opened = opened - {node} | {int(tree.child[node]), int(tree.child[node]) + 1}
    if len(order) < 5:  # it stopped because nothing was left to gain
        assert max(best[node] for node in opened) <= 1e-9


@pytest.mark.parametrize("seed", range(12))
def test_symmetric_trees_have_the_best_cut_of_every_level(seed):
    """All leaves of a level are divided alike, where both sides have enough; no other cut gains more in sum."""
    rng = np.random.default_rng(seed)
    rows, ridge, least = 60, 2, 3
    codes = rng.integers(0, 5, (3, rows)).astype(np.uint8)
    codes[rng.random(codes.shape) < 0.15 * (seed % 3)] = MISSING
    categorical = rng.random(3) < 0.4
    codes[categorical] = np.where(codes[categorical] < MISSING, codes[categorical] % 3, MISSING)  # few: one by one
    masses, pulls = rng.integers(1, 4, rows).tolist(), rng.integers(-5, 6, rows).tolist()
    growth = TreeGrowth(1, 8, 3, 1.0, ridge=ridge, least=least, potential="huber", symmetric=True)
    data = (codes, np.array(masses, float), np.array(pulls, float), np.ones((1, rows), dtype=int))
    tree = grow(*data, growth, categorical=categorical).forest

    def worth(left, leaves):
        """What a cut gains over all leaves."""
        return sum((gain(left, own, pulls, masses, ridge, least) or 0) for own in leaves.values())

    leaves, levels = {0: list(range(rows))}, 0
    for _ in range(3):
        best = max(worth(left, leaves) for left in all_splits(codes, categorical, np.arange(rows)))
        inner = sorted((node for node in leaves if tree.child[node]), key=lambda node: tree.child[node])
        if not inner:
            assert best <= 1e-9
            break
        levels += 1
        cuts = {node: (int(tree.feature[node]), int(tree.low[node]), int(tree.width[node])) for node in inner}
        feature, low, width = cuts[inner[0]]
        divided = [node for node in inner if cuts[node] == cuts[inner[0]]]  # others will be, at a later level
        left = ((codes[feature].astype(int) - low) & 255) <= width
        assert float(worth(left, leaves)) == pytest.approx(float(best))
        for node, own in list(leaves.items()):
            able = gain(left, own, pulls, masses, ridge, least) is not None
            assert able == (node in divided)
            if able:
                child = int(tree.child[node])
                leaves[child] = [row for row in own if left[row]]
                leaves[child + 1] = [row for row in leaves.pop(node) if not left[row]]
    assert levels > 1
    for node, own in leaves.items():
        if not tree.child[node]:
            value = sum(pulls[row] for row in own) / (sum(masses[row] for row in own) + ridge)
            assert tree.value[node] == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_sets_of_categories_are_the_best_of_all(seed):
    """Without ridge the best of all sets of categories is one of the first ones in the order of their means."""
    rng = np.random.default_rng(seed)
    column = rng.integers(0, 7, 60).astype(np.uint8)
    column[rng.random(60) < 0.1] = MISSING
    masses, pulls = rng.integers(1, 4, 60).tolist(), rng.integers(-5, 6, 60).tolist()
    growth = TreeGrowth(rounds=1, leaves=2, step=1.0, ridge=0.0, least=0.0, smooth=0.0, potential="huber")
    data = (column[None], np.array(masses, float), np.array(pulls, float), np.ones((1, 60), int))
    forest = grow(*data, growth, categorical=np.array([True])).forest
    found = sorted({float(value) for value in forest.margins(column[None])[0]})
    assert len(found) == 2
    kinds = [*range(7), MISSING]
    best = max(
        gain(np.isin(column, chosen), range(60), pulls, masses, 0, 0) or 0
        for size in range(1, 5)
        for chosen in combinations(kinds, size)
    )
    left = forest.margins(column[None])[0] == found[0]
    assert float(gain(left, range(60), pulls, masses, 0, 0)) == pytest.approx(float(best), rel=1e-6)
    side = [sum(masses[row] for row in range(60) if left[row] == which) for which in (True, False)]
    new = forest.margins(np.array([[200]], dtype=np.uint8))[0, 0]
    assert new == found[0 if side[0] > side[1] else 1]  # a new category follows the heavier side
    smooth = grow(*data, replace(growth, smooth=1e6), categorical=np.array([True])).forest
    assert len(smooth.child) == 1  # nothing to be believed of categories


def test_random_sets_of_categories(rng):
    column = rng.integers(0, 8, (1, 200)).astype(np.uint8)
    label = np.where(column[0] % 2, 1.0, -1.0)
    growth = TreeGrowth(rounds=30, leaves=2, least=0.0, random_cuts=True, potential="huber")
    forest = grow(column, np.ones(200), label, np.ones((1, 200), int), growth, categorical=np.array([True])).forest
    drawn = np.unpackbits(forest.sets.view(np.uint8), axis=1, bitorder="little")[:, :8]
    assert len(np.unique(drawn, axis=0)) > 15
    assert 0 < drawn.mean(axis=0).min() < drawn.mean(axis=0).max() < 1


def curved(rng, rows=400):
    codes = rng.integers(0, 40, (4, rows)).astype(np.uint8)
    label = np.where(rng.random(rows) < np.where(codes[0] + codes[1] > 40, 0.8, 0.2), 1.0, -1.0)
    return codes, np.ones(rows), label


@pytest.mark.parametrize("random_cuts", [True, False])
def test_the_order_in_which_nodes_are_made_does_not_matter(rng, random_cuts):
    """Trees of depth 3 that could have 8 leaves grow by level, those that could have 7 by gain."""
    codes, mass, label = curved(rng, 150)
    counts = rng.poisson(1.0, (6, 150))
    growth = TreeGrowth(rounds=6, depth=3, leaves=8, least=8.0, features=0.5, random_cuts=random_cuts)
    by_level, by_gain = (grow(codes, mass, label, counts, replace(growth, leaves=leaves)) for leaves in (8, 7))
    same = (np.diff(by_level.forest.nodes).reshape(6, 6) <= 13).all(axis=1)
    assert same.sum() > 2
    np.testing.assert_array_equal(by_level.margins[same], by_gain.margins[same])


def test_the_work_decides_what_is_compiled(rng, monkeypatch):
    def compiled(rows, **changes):
        codes, mass, label = curved(rng, rows)
        growth = TreeGrowth(rounds=60, depth=3, leaves=8, **changes)
        try:
            grow(codes, mass, label, np.ones((32, rows), int), growth)
        except ZeroDivisionError:
            return True
        return False

    monkeypatch.setattr(growing, "grow_runs", lambda *_: 1 / 0)
    monkeypatch.setattr(dispatch, "_spent", [0.0])
    assert not compiled(100)
    assert 0.0 < dispatch._spent[0] < dispatch.LOADING
    assert compiled(20_000)
    dispatch._spent[0] = 2 * dispatch.LOADING  # numpy has taken as long as loading kernels would have
    assert compiled(100)


def test_early_stopping_keeps_the_best_round(rng):
    codes, mass, label = curved(rng)
    counts = np.stack([np.arange(400) % 3 != fold for fold in range(3)])
    growth = TreeGrowth(rounds=60, leaves=8, step=0.4, patience=5)
    found = grow(codes, mass, label, counts, growth)
    everything = grow(codes, mass, label, counts, replace(growth, patience=0))
    for run in range(3):
        kept = found.kept[run]
        done = kept + 5
        assert 0 < kept < 60
        assert np.nanargmin(found.potential[run]) == kept
        np.testing.assert_array_equal(found.potential[run, : done + 1], everything.potential[run, : done + 1])
        assert np.isnan(found.potential[run, done + 1 :]).all()
        assert everything.kept[run] == 60
        assert found.forest.trees[run + 1] - found.forest.trees[run] == kept


@pytest.mark.parametrize("kind", ["huber", "logistic"])
def test_counts_are_copies_of_rows(rng, kind):
    codes, mass, label = curved(rng, 60)
    counts = rng.integers(0, 4, 60)
    growth = TreeGrowth(rounds=4, leaves=6, potential=kind)
    copies = np.repeat(np.arange(60), counts)
    once = grow(codes, mass, label, counts, growth).forest
    copied = grow(codes[:, copies], mass[copies], label[copies], np.ones(len(copies), int), growth).forest
    np.testing.assert_allclose(once.margins(codes), copied.margins(codes), rtol=1e-6)


def test_rounding_to_whole_numbers_costs_little(rng):
    """Leaves by sums of floats differ by some millionths, though masses differ a thousandfold."""
    codes = rng.integers(0, 50, (2, 1500)).astype(np.uint8)
    mass = 10.0 ** rng.uniform(-3, 0, 1500)
    label = mass * np.clip(np.sin(codes[0] / 8.0) + 0.3 * rng.normal(size=1500), -1, 1)
    growth = TreeGrowth(rounds=1, leaves=12, step=1.0, ridge=0.1, potential="logistic")
    margin = grow(codes, mass, label, np.ones((1, 1500), int), growth).forest.margins(codes)[0]
    leaves = np.unique(margin)
    assert len(leaves) == 12
    for leaf in leaves:
        own = margin == leaf
        assert leaf == pytest.approx(label[own].sum() / (0.5 * mass[own].sum() + 0.1), rel=1e-5)


def test_noise_is_not_learned(rng):
    codes, mass, _ = curved(rng)
    label = rng.choice([-1.0, 1.0], 400)
    counts = np.arange(400)[None] % 2 == 0
    found = grow(codes, mass, label, counts, TreeGrowth(leaves=31, step=1.0, least=0.0, patience=2))
    assert found.kept[0] == 0
    assert found.forest.margins(codes).tolist() == [[0.0] * 400]


def test_missing_values_that_training_never_saw_follow_the_heavier_side():
    codes = np.array([[0, 1, 1, 1]], dtype=np.uint8)
    label = np.array([-1.0, 1.0, 1.0, 1.0])
    for side, own in ((1, codes), (0, 1 - codes)):
        growth = TreeGrowth(rounds=1, leaves=2, ridge=0.0, least=0.0, potential="huber")
        forest = grow(own, np.ones(4), label, np.ones((1, 4), int), growth).forest
        missing, heavy = forest.margins(np.array([[MISSING, side]], dtype=np.uint8))[0]
        assert missing == heavy > 0


def test_shares_of_features_and_random_cuts_depend_on_the_seed(rng):
    codes, mass, label = curved(rng)
    counts = np.ones((2, 400), int)
    for change in ({"features": 0.5}, {"random_cuts": True}):
        growth = TreeGrowth(rounds=5, leaves=8, seed=1, **change)
        found, again, other = (
            grow(codes, mass, label, counts, one) for one in (growth, growth, replace(growth, seed=2))
        )
        np.testing.assert_array_equal(found.forest.margins(codes), again.forest.margins(codes))
        for different in (found.forest.margins(codes)[1], other.forest.margins(codes)[0]):
            assert (different != found.forest.margins(codes)[0]).any()
    with_half = grow(codes, mass, label, counts[:1], TreeGrowth(rounds=40, leaves=2, features=0.5)).forest
    assert set(with_half.feature[with_half.child > 0].tolist()) == {0, 1, 2, 3}


def test_files(rng):
    codes, mass, label = curved(rng)
    growth, categorical = TreeGrowth(rounds=3, leaves=5, smooth=0.0), np.array([False, True, False, False])
    forest = grow(codes, mass, label, np.ones((2, 400), int), growth, categorical=categorical).forest
    arrays = forest.to_arrays()
    assert len(arrays["sets"]) > 0
    np.testing.assert_array_equal(Forest.from_arrays(arrays).margins(codes), forest.margins(codes))
    for name, place, value in (
        ("child", 0, 10**6),
        ("child", 0, -1),
        ("child", 1, 1),  # back to itself
        ("child", 0, forest.nodes[1] - 1),  # its right child is in the next tree
        ("feature", 0, 4),
        ("feature", 0, -1),
        ("group", 0, len(forest.sets) + 1),
        ("group", 0, -1),
        ("nodes", 1, 0),
        ("nodes", 1, 10**6),
        ("nodes", -1, 10**6),
        ("trees", 1, 10**6),
        ("trees", 0, 1),
        ("value", 0, np.nan),
        ("base", 0, np.inf),
    ):
        damaged = {key: array.copy() for key, array in arrays.items()}
        damaged[name][place] = value
        with pytest.raises(SchemaError):
            Forest.from_arrays(damaged)
    nodes, trees = np.insert(arrays["nodes"], 1, 0), arrays["trees"] + np.array([0, 1, 1])
    with pytest.raises(SchemaError):  # a tree without nodes
        Forest.from_arrays(arrays | {"nodes": nodes, "trees": trees})
    for name in arrays:
        for wrong in ({}, {name: np.array(["x"])}, {name: arrays[name][..., None]}):
            with pytest.raises(SchemaError, match=name):
                Forest.from_arrays({key: array for key, array in arrays.items() if key != name} | wrong)
    for name, wrong in (
        ("value", arrays["value"][:-1]),
        ("nodes", arrays["nodes"][:-1]),
        ("nodes", arrays["nodes"][:0]),
        ("base", arrays["base"][:-1]),
        ("features", np.array(0)),
        ("features", np.array(2**16)),
        ("sets", arrays["sets"][:, :3]),
        ("low", arrays["low"].astype(int) + 256),
        ("width", arrays["width"].astype(int) - 256),
    ):
        with pytest.raises(SchemaError):
            Forest.from_arrays(arrays | {name: wrong})
    with pytest.raises(ValueError, match="features"):
        forest.margins(codes[:3])


def test_what_is_refused(rng):
    codes, mass, label = curved(rng)
    counts = np.ones((1, 400), int)
    good = {"codes": codes, "mass": mass, "label": label, "counts": counts}
    for name, wrong in (
        ("codes", codes.astype(int)),
        ("codes", codes[0]),
        ("codes", codes[:, :0]),
        ("mass", mass[:-1]),
        ("mass", -mass),
        ("label", np.full(400, np.nan)),
        ("counts", counts[:, :-1]),
        ("counts", -counts),
        ("counts", 0 * counts),
        ("counts", 0.5 * counts),
    ):
        with pytest.raises(ValueError, match=name):
            grow(**{**good, name: wrong}, growth=TreeGrowth())
    for name, wrong in (("categorical", np.zeros(3, bool)), ("base", np.zeros(2)), ("base", np.array([np.inf]))):
        with pytest.raises(ValueError, match=name):
            grow(**good, growth=TreeGrowth(), **{name: wrong})
    for name, wrong in (
        ("rounds", 0),
        ("leaves", 0),
        ("depth", -1),
        ("step", 0.0),
        ("ridge", -1.0),
        ("least", np.nan),
        ("smooth", -1.0),
        ("features", 0.0),
        ("features", 1.1),
        ("potential", "hinge"),
        ("patience", -1),
        ("seed", -1),
    ):
        with pytest.raises(ValueError, match=name):
            TreeGrowth(**{name: wrong})
