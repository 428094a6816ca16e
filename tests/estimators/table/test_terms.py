"""What members minimise: units of rows, their order and their margins by row."""

import numpy as np
import pytest

from agnoboost import TableClassifier
from agnoboost.basics.content_luck import content_keys
from agnoboost.core.potentials import Huber
from agnoboost.core.sources import Pool
from agnoboost.estimators.data import Data, split_rows
from agnoboost.estimators.table.terms import Terms, thinned
from agnoboost.labels import PositiveUnlabeled

RNG = np.random.default_rng


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
    weight = rng.uniform(0.1, 30.0, 60)
    uneven = terms_of(X, y, weight)
    np.testing.assert_allclose(np.sort(uneven.psi), np.sort(weight))  # a row stays one, as it is


def test_copies_are_told_from_rows_that_come_again_by_their_labels():
    rng = RNG(12)
    X, y = np.repeat(rng.normal(size=(200, 3)), 8, axis=0), np.repeat(rng.choice([-1.0, 1.0], 200), 8)
    assert len(terms_of(X, y, np.ones(1600)).keys) == 200
    some = y.copy()
    some[::8] *= -1  # one copy of each that somebody has corrected
    assert len(terms_of(X, some, np.ones(1600)).keys) == 200
    some[1:80:8] *= -1  # and another one of ten
    assert len(terms_of(X, some, np.ones(1600)).keys) == 190 + 10 * 8


@pytest.mark.parametrize("columns", [1, 2])
def test_copies_of_rows_with_one_or_two_columns_are_one_unit(columns):
    rng = RNG(14)
    X = np.column_stack([rng.normal(size=150), rng.integers(0, 2, 150)])[:, :columns]
    y = rng.choice([-1.0, 1.0], 150)
    assert len(terms_of(np.repeat(X, 8, axis=0), np.repeat(y, 8), np.ones(1200)).keys) == 150


def test_rows_of_few_values_come_again_even_if_their_labels_agree():
    grid = np.repeat([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], 8, axis=0)  # no other rows can be
    assert len(terms_of(grid, np.sign(grid[:, 0] - 0.5), np.ones(32)).keys) == 32


def test_very_many_rows_that_come_again_share_units():
    rng = RNG(15)
    X, y = np.zeros((20_000, 1)), rng.choice([-1.0, 1.0], 20_000)
    terms = terms_of(X, y, np.ones(20_000))
    assert 4000 <= len(terms.keys) <= 4002
    np.testing.assert_allclose([terms.psi.sum(), terms.pull.sum()], [20_000, y.sum()])
    assert terms.psi.max() <= 5.0


def test_a_few_other_rows_do_not_turn_copies_into_rows_that_come_again():
    """Otherwise a small class that was written several times would be learned by heart, and the rows left out, too."""
    rng = RNG(16)
    X, fresh = rng.normal(size=(345, 6)), rng.normal(size=(4000, 6))
    y, truth = (np.where(rows[:, 0] + 1.5 * rng.normal(size=len(rows)) > 0, 1.0, -1.0) for rows in (X, fresh))
    X = np.concatenate([X[:300], np.repeat(X[300:], 8, axis=0), np.full((6, 6), np.nan)])  # and six blank rows
    y = np.concatenate([y[:300], np.repeat(y[300:], 8), [1, -1] * 3])
    model = TableClassifier(effort="fast", members=["small trees", "linear"], random_state=0).fit(X, y)
    unseen = np.mean((model.oob_decision_function_ > 0) == (y > 0))
    assert unseen < model.score(fresh, truth) + 0.08


def test_only_kinds_of_rows_that_come_again_are_taken_apart():
    """One that is frequent makes no copies of the others, however heavy these are."""
    rng = RNG(13)
    X = np.concatenate([np.zeros((850, 2)), rng.normal(size=(150, 2))])
    y, weight = rng.choice([-1.0, 1.0], 1000), np.where(np.arange(1000) < 850, 1.0, 20.0)
    terms = terms_of(X, y, weight)
    assert np.count_nonzero(terms.X.any(axis=1)) == 150
    assert np.count_nonzero(~terms.X.any(axis=1)) == 850
    np.testing.assert_allclose(terms.psi.sum(), weight.sum())
    np.testing.assert_allclose(terms.pull.sum(), (weight * y).sum())
    np.testing.assert_array_equal(terms.by_row(terms.X[:, 0]), X[:, 0])


def test_positives_pull_and_unlabeled_rows_carry_psi():
    """Phi = E_U[psi(H)] - 2 pi E_P[H] + E_U[H], in units of labels."""
    rng = RNG(9)
    X, prior = rng.normal(size=(50, 3)), 0.3
    y = np.where(np.arange(50) < 10, 1.0, np.nan)
    model = PositiveUnlabeled(prior)
    data, _ = split_rows(X, np.arange(50), model, model.read(y, 50), np.ones(50), None)
    terms = Terms.of(data)
    H = terms.X @ [0.5, -1.0, 0.2]
    positive, loose = X[:10] @ [0.5, -1.0, 0.2], X[10:] @ [0.5, -1.0, 0.2]
    expected = Huber().psi(loose).mean() - 2 * prior * positive.mean() + loose.mean()
    found = np.sum(terms.psi * Huber().psi(H) - terms.pull[:, 0] * H)
    assert found == pytest.approx(data.label_count * expected)


def test_units_do_not_depend_on_the_order_of_rows():
    rng = RNG(6)
    for values, width in ((10, 4), (2, 2)):  # hardly two rows are equal; many are
        X, y = rng.integers(0, values, size=(80, width)).astype(float), rng.choice([-1.0, 1.0], 80)
        order = rng.permutation(80)
        one, other = terms_of(X, y, np.ones(80)), terms_of(X[order], y[order], np.ones(80))
        for part in ("X", "psi", "pull", "keys"):
            np.testing.assert_allclose(getattr(one, part), getattr(other, part))
        margins = rng.normal(size=len(one.keys))
        np.testing.assert_allclose(one.by_row(margins)[order], other.by_row(margins))


def test_units_of_positives_and_unlabeled_rows_do_not_depend_on_their_order():
    rng = RNG(8)
    X = rng.normal(size=(60, 2))
    y = np.where(rng.random(60) < 0.3, 1.0, np.nan)
    model = PositiveUnlabeled(0.4)
    order = rng.permutation(60)
    one, other = (
        Terms.of(split_rows(X[rows], np.arange(60), model, model.read(y[rows], 60), np.ones(60), None)[0])
        for rows in (np.arange(60), order)
    )
    for part in ("X", "psi", "pull", "keys"):
        np.testing.assert_allclose(getattr(one, part), getattr(other, part))
    margins = one.X[:, 0]  # a margin that says which row it is of
    for terms, rows in ((one, X[~np.isnan(y)]), (other, X[order][~np.isnan(y[order])])):
        np.testing.assert_array_equal(terms.by_row(margins), rows[:, 0])


def test_margins_of_rows_are_means_of_those_that_are_known():
    X = np.repeat([[0.0], [1.0], [2.0]], 5, axis=0)
    y = np.repeat([1.0, -1.0, 1.0], 5)
    terms = terms_of(X, y, np.ones(15))  # crowded: every row is a unit
    value = terms.X[:, 0]
    margins = np.where(value == 0, np.nan, 10 * value)
    first = np.flatnonzero(value == 1)
    margins[first[0]], margins[first[1]] = np.nan, 15.0
    found = terms.by_row(margins)
    assert np.isnan(found[:5]).all()
    np.testing.assert_allclose(found[5:10], (15 + 3 * 10) / 4)
    np.testing.assert_allclose(found[10:], 20.0)


def test_few_unlabeled_rows_stand_for_all():
    rng = RNG(7)
    X = rng.normal(size=(300, 2))
    y = np.where(np.arange(300) < 20, 1.0, np.nan)
    model = PositiveUnlabeled(0.4)
    data, _ = split_rows(X, np.arange(300), model, model.read(y, 300), np.ones(300), None)
    fewer = thinned(data, 50)
    assert thinned(data, 280) is data
    assert (len(fewer.unlabeled), fewer.labels) == (50, 20)
    np.testing.assert_array_equal(fewer.X[:20], data.X[:20])
    np.testing.assert_array_equal(fewer.X[20:], fewer.unlabeled.X)
    assert set(content_keys(fewer.unlabeled.X)) <= set(content_keys(data.unlabeled.X))
    whole, part = Terms.of(data), Terms.of(fewer)
    assert len(part.keys) == 70
    for name in ("psi", "pull"):  # as much as all of them together
        assert getattr(part, name).sum() == pytest.approx(getattr(whole, name).sum())


def test_ordinary_unlabeled_rows_are_not_thinned_out():
    data = Data(np.zeros((4, 1)), np.array([0, 1, 0, 1]), np.ones((4, 1)), np.ones(4), Pool(np.zeros((100, 1))))
    assert thinned(data, 10) is data


def test_weights_and_a_few_copies_make_no_row_come_again():
    """Otherwise a row that is left out would be told by its own copies."""
    rng = RNG(10)
    X, y = rng.normal(size=(60, 3)), rng.choice([-1.0, 1.0], 60)
    heavy, copied = terms_of(X, y, np.full(60, 4.0)), terms_of(np.repeat(X, 4, axis=0), np.repeat(y, 4), np.ones(240))
    for part in ("X", "psi", "pull", "keys"):
        np.testing.assert_allclose(getattr(heavy, part), getattr(copied, part))
    assert len(heavy.keys) == 60
    assert len(terms_of(X, y, np.full(60, 100.0)).keys) == 60


def test_the_model_hardly_depends_on_the_unit_of_weights():
    rng = RNG(11)
    X, fresh = rng.normal(size=(300, 4)), rng.normal(size=(2000, 4))
    y, truth = (rows[:, 0] + rng.normal(size=len(rows)) > 0 for rows in (X, fresh))
    errors = []
    for weight in (1.0, 3.0, 10.0):
        model = TableClassifier(effort="fast", random_state=0).fit(X, y, np.full(300, weight))
        errors.append(np.mean((model.predict_proba(fresh)[:, 1] - truth) ** 2))
        assert model.score(fresh, truth) > np.mean((model.oob_decision_function_ > 0) == y) - 0.06
    np.testing.assert_allclose(errors, errors[0], atol=0.005)
