"""Effects: means of predictions of rows with cells exchanged, whatever the column holds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import agnoboost as ab
from agnoboost.explain import effect


def frame_of(rows=150):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=rows), "few": rng.integers(0, 4, rows), "z": rng.normal(size=rows)})
    frame["kind"] = rng.choice(["a", "b", "c"], rows, p=[0.6, 0.3, 0.1])
    frame.loc[::7, "x"] = np.nan
    frame.loc[::9, "kind"] = None
    return frame, np.where(frame["x"].fillna(0.5) + (frame["kind"] == "b") > 0.4, "yes", "no")


@pytest.fixture(scope="module")
def model():
    frame, y = frame_of()
    return ab.TableClassifier("fast", random_state=0).fit(frame, y)


@pytest.mark.parametrize("column", ["x", "few", "kind"])
def test_an_effect_is_the_mean_of_rows_with_another_cell(model, column):
    frame, _ = frame_of()
    found = effect(model, frame, column, rows=20, points=8)
    sample = frame.iloc[np.linspace(0, 149, 20).round().astype(int)]
    (axis,) = found.axes
    assert axis.column == column
    assert found.each.shape == (20, len(axis.values), 2)
    for place, value in enumerate(axis.values):
        changed = sample.assign(**{column: np.nan if value is None and column == "x" else value})
        np.testing.assert_allclose(found.each[:, place], model.predict_proba(changed))
    np.testing.assert_allclose(found.mean, found.each.mean(axis=0))


def test_axes(model):
    frame, _ = frame_of()
    x, few, kind = (effect(model, frame, column).axes[0] for column in ("x", "few", "kind"))
    numbers = x.values[:-1]
    assert x.values[-1] is None
    assert numbers == sorted(numbers)
    assert len(numbers) == 40
    assert set(numbers) <= set(frame["x"])
    assert frame["x"].quantile(0.03) > numbers[0]
    assert len(x.deciles) == 9
    assert few.values == [0, 1, 2, 3]
    assert (kind.categorical, kind.values, kind.left_out) == (True, ["a", "b", "c", None], 0)
    assert not x.categorical


def test_of_many_categories_the_most_frequent_are_shown():
    rng = np.random.default_rng(0)
    counts = np.arange(1, 21)
    names = np.repeat([f"k{i:02}" for i in range(20)], counts)
    frame = pd.DataFrame({"kind": names, "x": rng.normal(size=len(names))})
    model = ab.TableClassifier("fast", random_state=0).fit(frame, (frame["x"] > 0).astype(int))
    (axis,) = effect(model, frame, "kind").axes
    assert axis.values == [f"k{i:02}" for i in range(8, 20)]
    assert axis.left_out == 8


def test_two_columns(model):
    frame, _ = frame_of()
    found = effect(model, frame, ("kind", "x"), rows=6, points=5)
    kind, x = found.axes
    assert found.each.shape == (6, 4, 6, 2)
    sample = frame.iloc[np.linspace(0, 149, 6).round().astype(int)]
    changed = sample.assign(kind=kind.values[1], x=x.values[2])
    np.testing.assert_allclose(found.each[:, 1, 2], model.predict_proba(changed))


def test_any_classifier_and_any_table(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = (X[:, 0] > 0).astype(int)
    for other in (LogisticRegression(), ab.AgnosticBoostingClassifier(n_rounds=5, random_state=0)):
        found = effect(other.fit(X, y), X.tolist(), 0, points=5)
        assert found.axes[0].column == "column 0"
        assert found.mean[-1, 1] > found.mean[0, 1]
    polars = pytest.importorskip("polars")
    frame, _ = frame_of()
    for column in ("x", "kind"):
        one, other = effect(model, polars.from_pandas(frame), column), effect(model, frame, column)
        assert one.axes[0].values == other.axes[0].values
        np.testing.assert_allclose(one.each, other.each)


def test_what_is_no_column_is_refused(model):
    frame, _ = frame_of()
    with pytest.raises(ValueError, match=r"must be one of x, few, z, kind, or its number from 0 to 3\. Got 'y'"):
        effect(model, frame, "y")
    with pytest.raises(ValueError, match="one column or of two"):
        effect(model, frame, ("x", "z", "few"))
    with pytest.raises(ValueError, match="two different ones"):
        effect(model, frame, ("x", 0))
    with pytest.raises(ValueError, match="needs rows"):
        effect(model, frame[:0], "x")
    with pytest.raises(ValueError, match="rows"):
        effect(model, frame, "x", rows=-1)
