"""Importances of columns: moves of log-odds, without predicting anything again."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import agnoboost as ab
from agnoboost.basics.content_luck import scrambled
from agnoboost.estimators.table.importances import ROWS, importances, some_rows
from agnoboost.estimators.table.terms import Terms
from agnoboost.files.container import ModelFileError, read, write


def problem(rows=150, classes=2):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(rows, 4)), columns=["a", "b", "noise", "more noise"])
    frame["kind"] = pd.Categorical(rng.choice(list("xyz"), rows))
    frame.loc[rng.random(rows) < 0.2, "a"] = np.nan
    score = frame["a"].fillna(1) * 2 + frame["b"] + 1.5 * (frame["kind"] == "x")
    return frame, np.digitize(score, [0.3] if classes == 2 else [-0.3, 1.5])


def predicted_again(model, terms, groups):
    """The definition: cells of the columns of a group from the row before, of the rows in the order of their luck."""
    rows = terms.X[np.argsort(scrambled(terms.keys), kind="stable")[:ROWS]]
    before = model._margins(rows)
    moves = []
    for group in range(max(groups) + 1):
        own = np.asarray(groups) == group
        changed = np.where(own, np.roll(rows, 1, axis=0), rows)
        moves.append((np.abs(model._margins(changed) - before) * model._model.slopes).mean(axis=0).sum())
    return np.array(moves) / np.sum(moves)


@pytest.mark.parametrize(
    "members", ["auto", ["stumps"], ["small trees"], ["linear"], ["gaussian"], ["laplace"]], ids=str
)
@pytest.mark.parametrize("groups", [[0, 1, 2, 3, 4], [0, 1, 1, 2, 0]], ids=str)
def test_they_are_what_predictions_would_say(members, groups):
    frame, y = problem(classes=3 if members == "auto" else 2)
    model = ab.TableClassifier("fast", members, random_state=0).fit(frame, y)
    terms = Terms.of(model._read(frame, y, None, None))
    found = importances(model._model, some_rows(terms), np.array(groups), max(groups) + 1)
    np.testing.assert_allclose(found, predicted_again(model, terms, groups), atol=1e-9)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("rows", [150, 1000])
def test_columns_that_count_come_first(rows, classes):
    frame, y = problem(rows, classes)
    model = ab.TableClassifier("fast", random_state=0).fit(frame, y)
    found = model.feature_importances_
    assert found.shape == (5,)
    assert found.sum() == pytest.approx(1.0)
    assert found[[0, 1, 4]].min() > found[[2, 3]].max()
    assert found.argmax() == 0


def test_a_constant_model_has_none():
    X = np.ones((60, 2))
    model = ab.TableClassifier("fast", class_weight="balanced").fit(X, np.arange(60) % 2)
    np.testing.assert_array_equal(model.feature_importances_, [0.0, 0.0])


def test_they_are_kept_in_files_and_old_files_say_how_to_get_them(tmp_path):
    frame, y = problem()
    with pytest.raises(NotFittedError):
        ab.TableClassifier().feature_importances_  # noqa: B018
    model = ab.TableClassifier("fast", random_state=0).fit(frame, y)
    model.save(tmp_path / "m.agno")
    np.testing.assert_array_equal(ab.load(tmp_path / "m.agno").feature_importances_, model.feature_importances_)
    facts, arrays = read(tmp_path / "m.agno")
    write(tmp_path / "damaged.agno", {**facts, "importances": [1.0]}, arrays)
    with pytest.raises(ModelFileError, match="importances must have 5 features, not 1"):
        ab.load(tmp_path / "damaged.agno")
    late = ("importances", "layout", "sharpness", "columns", "column_numbers")
    old = {name: value for name, value in facts.items() if name not in late}
    old["categories"] = {column: reader["values"] for column, reader in facts["columns"].items()}
    write(tmp_path / "old.agno", old, arrays)
    back = ab.load(tmp_path / "old.agno")
    np.testing.assert_array_equal(back.predict(frame), model.predict(frame))
    with pytest.raises(AttributeError, match=r"Fit the model again, or use agnoboost\.explain"):
        back.feature_importances_  # noqa: B018
    back.save(tmp_path / "again.agno")
    assert not hasattr(ab.load(tmp_path / "again.agno"), "feature_importances_")
