"""Shapley values against the definition: all sets of columns, one by one."""

from math import factorial

import numpy as np
import pandas as pd
import pytest

import agnoboost as ab
from agnoboost.estimators.table import kernel_ridge
from agnoboost.explain import shapley, shapley_values
from agnoboost.explain.shapley import log_odds_values

ROWS, USUAL = 4, 6


def table(rows, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(rows, 3)), columns=list("abc"))
    frame["kind"] = pd.Categorical(rng.choice(list("xyz"), rows), categories=list("xyz"))
    frame.loc[rng.random(rows) < 0.2, "a"] = np.nan
    frame.loc[rng.random(rows) < 0.2, "kind"] = np.nan
    return frame


def problem(rows, classes):
    frame = table(rows)
    score = frame["a"].fillna(1) * frame["b"] + frame["c"] + 1.0 * (frame["kind"] == "x")
    return frame, np.digitize(score, [0.3] if classes == 2 else [-0.3, 0.9])


def fitted(members="auto", classes=2, rows=120):
    return ab.TableClassifier("fast", members, random_state=0).fit(*problem(rows, classes))


def log_odds(model, frame):
    return model._margins(model._rows(frame)) * model._model.slopes


def by_definition(model, X, background):
    """The mean gain of a column over all orders in which columns can come (shape: rows, columns, problems)."""
    rows, usual = model._rows(X), model._rows(background)
    columns = X.shape[1]
    chosen = (np.arange(2**columns)[:, None] >> np.arange(columns)) & 1 == 1
    mixed = np.where(chosen[:, None, None], rows[:, None], usual)  # sets, rows, background, columns
    odds = model._margins(mixed.reshape(-1, columns)) * model._model.slopes
    worth = odds.reshape(*mixed.shape[:3], -1).mean(axis=2)
    values = np.zeros((len(X), columns, worth.shape[2]))
    for column in range(columns):
        for without in range(2**columns):
            if not without >> column & 1:
                size = without.bit_count()
                share = factorial(size) * factorial(columns - size - 1) / factorial(columns)
                values[:, column] += share * (worth[without | 1 << column] - worth[without])
    return values


MEMBERS = ["auto", *([name] for name in ("stumps", "small trees", "symmetric trees", "large trees", "random trees"))]
MEMBERS += [[name] for name in ("linear", "gaussian", "laplace")]


@pytest.mark.parametrize("members", MEMBERS, ids=str)
def test_values_are_those_of_the_definition(members):
    model = fitted(members)
    X, usual = table(ROWS, seed=1), table(USUAL, seed=2)
    found = shapley_values(model, X, usual)
    np.testing.assert_allclose(found.values, by_definition(model, X, usual)[:, :, 0], atol=1e-9)
    np.testing.assert_allclose(found.base, log_odds(model, usual).mean(), atol=1e-12)


def test_two_kernels_of_the_same_width_are_told_apart(monkeypatch):
    monkeypatch.setattr(kernel_ridge, "WIDTHS", (1.0,))
    model = fitted(["gaussian", "laplace"])
    assert sorted(part.kernel for part in model._model.blends[0].sums) == ["gaussian", "laplace"]
    X, usual = table(ROWS, seed=1), table(USUAL, seed=2)
    found = shapley_values(model, X, usual).values
    np.testing.assert_allclose(found, by_definition(model, X, usual)[:, :, 0], atol=1e-9)


@pytest.mark.parametrize("rows", [120, 900])
def test_several_classes_and_more_labels(rows):
    model = fitted(classes=3, rows=rows)
    X, usual = table(ROWS, seed=1), table(USUAL, seed=2)
    found = shapley_values(model, X, usual)
    np.testing.assert_allclose(found.values, by_definition(model, X, usual), atol=1e-9)
    for place, name in enumerate(model.classes_):
        values, base = found.of(name)
        np.testing.assert_array_equal(values, found.values[:, :, place])
        np.testing.assert_allclose(base + values.sum(axis=1), log_odds(model, X)[:, place])


def test_columns_of_the_matrix_that_come_from_one_column_of_the_table_play_together():
    """Columns 0 and 2 of the matrix stand for one column: then these are exchanged together."""
    frame, y = problem(150, 2)
    X = frame[["a", "b", "c"]].to_numpy()
    model = ab.TableClassifier("fast", random_state=0).fit(X, y)
    rows, usual = X[:ROWS], X[10 : 10 + USUAL]
    found = log_odds_values(model._model, rows, usual, np.array([0, 1, 0]), 2)[:, :, 0]

    def worth(first, second):
        mixed = np.repeat(usual[None], ROWS, axis=0)
        for column, chosen in zip(range(3), (first, second, first), strict=True):
            if chosen:
                mixed[:, :, column] = rows[:, None, column]
        return log_odds(model, mixed.reshape(-1, 3)).reshape(ROWS, USUAL).mean(axis=1)

    expected = (worth(1, 0) - worth(0, 0) + worth(1, 1) - worth(0, 1)) / 2
    np.testing.assert_allclose(found[:, 0], expected, atol=1e-9)
    np.testing.assert_allclose(found.sum(axis=1), worth(1, 1) - worth(0, 0), atol=1e-9)


def test_they_add_up_rows_are_taken_in_parts_and_the_first_class_has_the_other_sign(monkeypatch):
    model = fitted()
    X, usual = table(30, seed=1), table(40, seed=2)
    found = shapley_values(model, X, usual)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), log_odds(model, X)[:, 0], atol=1e-9)
    monkeypatch.setattr(shapley, "ROWS_AT_A_TIME", 7)
    np.testing.assert_allclose(shapley_values(model, X, usual).values, found.values, atol=1e-12)
    assert (
        shapley_values(model.set_params(n_jobs=-1), X, usual).values == shapley_values(model, X, usual).values
    ).all()
    values, base = found.of(0)
    np.testing.assert_array_equal(values, -found.values)
    assert base == -found.base
    with pytest.raises(ValueError, match=r"must be one of 0, 1\. Got 'yes'"):
        found.of("yes")


def test_a_column_that_never_differs_gets_nothing_and_equal_columns_get_the_same():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 3))
    model = ab.TableClassifier("fast", members=["gaussian"], random_state=0).fit(
        np.column_stack([X[:, 0], X[:, 0], X[:, 1]]), (X[:, 0] + X[:, 1] > 0).astype(int)
    )
    rows = np.column_stack([X[:9, 0], X[:9, 0], np.full(9, 0.3)])
    values = shapley_values(model, rows).values
    np.testing.assert_allclose(values[:, 2], 0.0, atol=1e-12)
    np.testing.assert_allclose(values[:, 0], values[:, 1], atol=1e-9)
    assert np.abs(values[:, 0]).max() > 0.1


def test_the_background_is_given_or_the_rows_themselves_and_not_more_than_asked_for():
    model, X = fitted(), table(50, seed=1)
    own = shapley_values(model, X)
    np.testing.assert_allclose(own.values.sum(axis=0).sum(), 0.0, atol=1e-8)
    few = shapley_values(model, X, most_background=5)
    kept = X.iloc[np.linspace(0, 49, 5).astype(int)]
    np.testing.assert_array_equal(few.values, shapley_values(model, X, kept).values)
    assert own.columns == ["a", "b", "c", "kind"]
    assert own.cells[3] == [None if pd.isna(value) else value for value in X["kind"]]


def test_what_cannot_be_explained_is_refused():
    model, X = fitted(), table(5)
    with pytest.raises(ValueError, match="One row cannot be compared with itself"):
        shapley_values(model, X[:1])
    with pytest.raises(ValueError, match="Got 5 and 0"):
        shapley_values(model, X, X[:0])
    other = ab.AgnosticBoostingClassifier(n_rounds=3, random_state=0).fit(*problem(60, 2))
    with pytest.raises(ValueError, match=r"are there for a TableClassifier\. Got a AgnosticBoostingClassifier"):
        shapley_values(other, X)
