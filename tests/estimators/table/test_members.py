"""Members against brute force: trees node by node, leave-one-out by leaving one out, blends by their own condition."""

import numpy as np
import pytest
from agnoboost.estimators.table.bagged_trees import Growth, grow
from scipy.optimize import minimize

from agnoboost.core.potentials import Huber
from agnoboost.estimators.data import Data, split_rows
from agnoboost.estimators.table import bagged_trees, kernel_ridge
from agnoboost.estimators.table.blending import EQUAL_ROWS, blend, slope
from agnoboost.estimators.table.columns import WIDTH, Coder, Scores
from agnoboost.estimators.table.terms import Terms
from agnoboost.labels import PositiveUnlabeled

RNG = np.random.default_rng


def rows(seed=0, count=40, features=5):
    rng = RNG(seed)
    codes = rng.integers(0, 6, size=(features, count))
    psi = rng.uniform(0.5, 2.0, count)
    pull = 4.0 * np.where(codes[0] > 2, 1.0, -1.0) + 2.0 * rng.normal(size=count)  # margins leave [-1, 1]
    return codes, np.arange(features) == 2, psi, pull


def naive_tree(codes, categorical, members, weight, residual, depth, growth, candidates, node=0, level=0):
    """One bag's tree by recursion: {leaf number: rows}, and its leaves' values; splits are tried one by one."""
    if level == depth:
        total = weight[members].sum() + growth.ridge
        return {node: (members, growth.step * residual[members].sum() / total)}

    def gain(part):
        return residual[part].sum() ** 2 / (weight[part].sum() + growth.ridge)

    best = None
    for feature in candidates[level][node]:
        for bound in range(WIDTH):
            left = codes[feature, members] == bound if categorical[feature] else codes[feature, members] <= bound
            one, other = members[left], members[~left]
            if min(weight[one].sum(), weight[other].sum()) < growth.least * (1 - 1e-9):
                continue
            found = gain(one) + gain(other)
            if best is None or found > best[0] * (1 + 1e-12):
                best = (found, feature, bound)
    if best is None or best[0] <= gain(members) * (1 + 1e-9) + 1e-12:
        feature = candidates[level][node][0]  # all rows go one way
        right = np.full(len(members), bool(categorical[feature]))
    else:
        _, feature, bound = best
        right = codes[feature, members] != bound if categorical[feature] else codes[feature, members] > bound
    parts = {}
    for side, chosen in ((0, ~right), (1, right)):
        arguments = (codes, categorical, members[chosen], weight, residual, depth, growth, candidates)
        parts |= naive_tree(*arguments, 2 * node + side, level + 1)
    return parts


@pytest.mark.parametrize("depth", [1, 3])
def test_trees_are_those_of_a_search_over_all_splits(depth, monkeypatch):
    codes, categorical, psi, pull = rows()
    growth = Growth(depth, bags=3, rounds=4)
    counts = RNG(1).poisson(1.0, size=(3, len(psi))).astype(float)
    drawn = []
    candidates = bagged_trees._candidates

    def recorded(features, nodes, rng):
        drawn.append(candidates(features, nodes, rng))
        return drawn[-1]

    monkeypatch.setattr(bagged_trees, "_candidates", recorded)
    ensemble, _ = grow(codes, categorical, psi, pull, counts, growth, RNG(2))
    for bag in range(3):
        margin = np.zeros(len(psi))
        weight, force = counts[bag] * psi, counts[bag] * pull
        for number, trees in enumerate(ensemble.rounds):
            levels = drawn[number * depth : (number + 1) * depth]
            own = [level[bag * 2**k : (bag + 1) * 2**k] for k, level in enumerate(levels)]
            residual = force - weight * np.clip(margin, -1, 1)
            inside = np.flatnonzero(counts[bag])
            leaves = naive_tree(codes, categorical, inside, weight, residual, depth, growth, own)
            place = trees.leaf_of(codes, categorical, np.full(len(psi), bag), np.arange(len(psi)))
            for members, value in leaves.values():
                if len(members):
                    np.testing.assert_allclose(trees.leaves[place[members]], value, atol=1e-12)
            margin += trees.leaves[place]


def test_out_of_bag_margins_are_means_over_bags_without_the_row():
    codes, categorical, psi, pull = rows(count=30)
    counts = RNG(3).poisson(1.0, size=(8, 30)).astype(float)
    ensemble, unseen = grow(codes, categorical, psi, pull, counts, Growth(2, bags=8, rounds=10), RNG(0))
    each = np.zeros((8, 30))
    for trees in ensemble.rounds:
        for bag in range(8):
            each[bag] += trees.leaves[trees.leaf_of(codes, categorical, np.full(30, bag), np.arange(30))]
    for row in range(30):
        outside = counts[:, row] == 0
        assert unseen[row] == pytest.approx(each[outside, row].mean() if outside.any() else 0.0)
    np.testing.assert_allclose(ensemble.margin(codes), each.mean(axis=0))


def test_a_row_that_a_bag_does_not_hold_does_not_move_it():
    """Otherwise out-of-bag margins would be a fraud."""
    codes, categorical, psi, pull = rows(count=30)
    counts = RNG(4).poisson(1.0, size=(6, 30)).astype(float)
    counts[:, 7] = 0
    growth = Growth(3, bags=6, rounds=3)
    other = pull.copy()
    other[7] = -9.0 * other[7]
    one, two = (grow(codes, categorical, psi, b, counts, growth, RNG(0))[0] for b in (pull, other))
    for first, second in zip(one.rounds, two.rounds, strict=False):
        np.testing.assert_array_equal(first.leaves, second.leaves)


def test_rounds_have_the_lowest_out_of_bag_potential():
    codes, categorical, psi, _ = rows(count=60)
    pull = psi * np.where(RNG(0).random(60) < 0.5, 1.0, -1.0)  # nothing to learn: stop early
    counts = RNG(5).poisson(1.0, size=(16, 60)).astype(float)
    growth = Growth(3, bags=16, rounds=40)
    stopped, unseen = grow(codes, categorical, psi, pull, counts, growth, RNG(0))

    def potential(margin):
        return np.sum(psi * Huber().psi(margin) - pull * margin)

    assert len(stopped.rounds) < 40
    for rounds in range(1, 41):
        shorter = Growth(3, bags=16, rounds=rounds)
        _, margin = grow(codes, categorical, psi, pull, counts, shorter, RNG(0))
        assert potential(unseen) <= potential(margin) + 1e-12


@pytest.mark.parametrize("kernel", kernel_ridge.KERNELS)
def test_leave_one_out_is_leaving_one_out(kernel):
    rng = RNG(0)
    scores, psi, pull = rng.normal(size=(20, 3)), rng.uniform(0.5, 2, 20), rng.normal(size=(20, 2))
    psi[4] = 0.0  # a row that pulls, and has no psi part
    matrix = 1.0 + kernel_ridge.KERNELS[kernel](scores, scores, 0.5)
    _, left_out = kernel_ridge.Solver(matrix, psi, pull).solve(0.3)
    for row in range(20):
        kept = np.arange(20) != row
        part = matrix[np.ix_(kept, kept)]
        system = 0.3 * np.eye(19) + part * psi[kept]
        margins = np.linalg.solve(system, part @ pull[kept])
        coefficients = (pull[kept] - psi[kept][:, None] * margins) / 0.3
        np.testing.assert_allclose(left_out[row], matrix[row, kept] @ coefficients, atol=1e-9)


@pytest.mark.parametrize("kernel", kernel_ridge.KERNELS)
def test_kernel_ridge_minimises_its_quadratic(kernel):
    rng = RNG(1)
    scores, psi = rng.normal(size=(25, 3)), rng.uniform(0.5, 2, 25)
    pull = psi * np.where(scores[:, 0] > 0, 1.0, -1.0)
    (model, left_out) = kernel_ridge.fit(kernel, scores, psi, pull[:, None])[0]
    matrix = 1.0 + kernel_ridge.KERNELS[kernel](scores, scores, model.width)

    def objective(c):
        margin = matrix @ c
        return 0.5 * psi @ margin**2 - pull @ margin + 0.5 * model.ridge * c @ margin

    start = objective(model.coefficients)
    for _ in range(50):
        assert objective(model.coefficients + 1e-3 * rng.normal(size=25)) >= start
    np.testing.assert_allclose(model.margin(scores), matrix @ model.coefficients)
    assert np.mean(left_out * pull > 0) > 0.7


def test_blend_is_the_constrained_minimum():
    rng = RNG(2)
    unseen, psi = rng.normal(size=(50, 4)), rng.uniform(0.5, 2, 50)
    pull = psi * np.sign(unseen[:, 0] - 0.4 * unseen[:, 1] + 0.2 * rng.normal(size=50))

    def objective(x):
        margin = unseen @ x
        return 0.5 * psi @ margin**2 - pull @ margin + 0.5 * EQUAL_ROWS * np.sum((x - 0.25) ** 2)

    found = minimize(objective, np.full(4, 0.25), bounds=[(0, None)] * 4, tol=1e-12)
    weights = blend(unseen, psi, pull)
    np.testing.assert_allclose(weights, found.x, atol=1e-4)
    assert weights[1] == 0.0  # it would like to be negative


def test_slope_recovers_the_log_odds():
    rng = RNG(3)
    margin = rng.uniform(-1, 1, 100_000)
    y = np.where(rng.random(100_000) < 1 / (1 + np.exp(-3.0 * margin)), 1.0, -1.0)
    assert slope(margin, np.ones(len(y)), y) == pytest.approx(3.0, abs=0.1)


def terms_of(X, y, weight):
    return Terms.of(Data(X, (y > 0).astype(int), y[:, None], weight))


def test_equal_rows_are_one_unit():
    rng = RNG(4)
    X, y = rng.integers(0, 2, size=(60, 9)).astype(float), rng.choice([-1.0, 1.0], 60)
    X[:5] = X[5:10]
    X[X == 0] = -0.0  # the same zero
    X[0, 0] = np.nan
    weight = rng.uniform(0.5, 1.5, 60)
    weight *= 60 / weight.sum()
    terms = terms_of(X, y, weight)
    assert len(terms.X) == len({tuple(map(str, row)) for row in X + 0.0}) < 60
    np.testing.assert_allclose(terms.psi.sum(), weight.sum())
    np.testing.assert_allclose(terms.pull.sum(), (weight * y).sum())
    np.testing.assert_array_equal(terms.by_row(np.arange(len(terms.X), dtype=float)).round(), _place(terms, X))


def _place(terms, X):
    return [next(k for k, unit in enumerate(terms.X) if np.array_equal(unit, row, equal_nan=True)) for row in X]


def test_crowded_rows_are_a_unit_each():
    rng = RNG(5)
    X, y = rng.integers(0, 2, size=(60, 2)).astype(float), rng.choice([-1.0, 1.0], 60)
    terms = terms_of(X, y, np.ones(60))
    assert len(terms.X) == len(np.unique(terms.keys)) == 60
    np.testing.assert_allclose(terms.psi, 1.0)
    np.testing.assert_allclose(np.sort(terms.pull[:, 0]), np.sort(y))
    weight = rng.integers(1, 4, 60)
    heavy = terms_of(X, y, weight.astype(float))
    copied = terms_of(np.repeat(X, weight, axis=0), np.repeat(y, weight), np.ones(weight.sum()))
    for part in ("X", "psi", "pull", "keys"):
        np.testing.assert_allclose(getattr(heavy, part), getattr(copied, part))


def test_scores_are_normal_ranks_and_bounded():
    rng = RNG(5)
    X = np.exp(4 * rng.normal(size=(3000, 1)))  # however skewed
    scores = Scores.of(X, np.ones(3000), [])
    found = scores.transform(X)[:, 1]
    assert abs(found.mean()) < 0.01
    assert found.std() == pytest.approx(1.0, abs=0.02)
    assert np.all(np.diff(found[np.argsort(X[:, 0])]) >= 0)
    beyond = scores.transform(np.array([[-1e300], [1e300], [np.nan]]))[:, 1]
    assert np.isfinite(beyond).all()
    assert np.abs(beyond).max() < 4


def test_scores_of_weighted_rows_are_those_of_repeated_rows():
    X, weight = RNG(6).normal(size=(20, 2)), RNG(7).integers(1, 4, 20)
    one, two = (
        Scores.of(X, weight.astype(float), []),
        Scores.of(np.repeat(X, weight, axis=0), np.ones(weight.sum()), []),
    )
    np.testing.assert_allclose(one.transform(X), two.transform(X))


def test_rare_categories_share_a_bin_and_frequent_ones_do_not():
    rng = RNG(8)
    column = np.concatenate([np.repeat([50.0, 51.0], 400), rng.integers(0, 50, 200)])
    coder = Coder.of(column[:, None], [0])
    codes = coder.encode(np.array([[50.0], [51.0], [np.nan]]))[0]
    assert codes.tolist() == [1, 2, 0]
    assert coder.encode(column[:, None]).max() < WIDTH


def test_positives_pull_and_unlabeled_rows_carry_psi():
    """Phi = E_U[psi(H)] - 2 pi E_P[H] + E_U[H], in units of labels."""
    rng = RNG(9)
    X, prior = rng.normal(size=(50, 3)), 0.3
    y = np.where(np.arange(50) < 10, 1.0, np.nan)
    model = PositiveUnlabeled(prior)
    data, _ = split_rows(X, model, model.read(y, 50), np.ones(50), None)
    terms = Terms.of(data)
    H = terms.X @ [0.5, -1.0, 0.2]
    positive, loose = X[:10] @ [0.5, -1.0, 0.2], X[10:] @ [0.5, -1.0, 0.2]
    expected = Huber().psi(loose).mean() - 2 * prior * positive.mean() + loose.mean()
    found = np.sum(terms.psi * Huber().psi(H) - terms.pull[:, 0] * H)
    assert found == pytest.approx(data.label_count * expected)


def test_members_that_are_all_wrong_count_equally():
    unseen = -RNG(10).uniform(0.5, 1.0, size=(500, 3))
    np.testing.assert_array_equal(blend(unseen, np.ones(500), np.ones(500)), np.full(3, 1 / 3))
