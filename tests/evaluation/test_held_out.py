"""Honest estimates of tables of any kind."""

import numpy as np
import pytest

from agnoboost import TableClassifier
from agnoboost.evaluation import learning_curve
from agnoboost.evaluation.held_out import cross_evaluate

pd = pytest.importorskip("pandas")


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_frames_are_judged_as_those_of_pandas(kind, monkeypatch):
    monkeypatch.setattr(learning_curve, "REPEATS", 1)
    monkeypatch.setattr(learning_curve, "POINTS", 2)
    package = pytest.importorskip(kind)
    rng = np.random.default_rng(0)
    cells = {"size": rng.normal(size=90), "kind": rng.choice(["a", "b"], 90).tolist()}
    frame = package.table(cells) if kind == "pyarrow" else package.DataFrame(cells)
    y = np.where(cells["size"] > 0, 1.0, 0.0)
    model = TableClassifier(members=["stumps"], random_state=0)
    found, expected = (cross_evaluate(model, X, y, None, 3) for X in (frame, pd.DataFrame(cells)))
    np.testing.assert_array_equal(found.probabilities, expected.probabilities)
    found, expected = (learning_curve.labeling_curve(model, X, y) for X in (frame, pd.DataFrame(cells)))
    np.testing.assert_array_equal(found.errors, expected.errors)


def test_a_class_with_fewer_rows_than_folds_is_learned_and_not_judged():
    X = np.random.default_rng(0).normal(size=(91, 2))
    y = np.where(X[:, 0] > 0, "yes", "no").astype(object)
    y[[3, 5]] = "z"
    seen = []

    class Watched(TableClassifier):
        def fit(self, X, y, **more):
            seen.append(list(y).count("z"))
            return super().fit(X, y, **more)

    found = cross_evaluate(Watched(members=["stumps"], random_state=0), X, y, None, 3)
    assert seen == [2, 2, 2]
    assert found.y.tolist() == [value for value in y if value != "z"]
    assert found.probabilities.shape == (89, 2)
    assert found.accuracy[0] > 0.8
    assert [one.name for one in found.by_class] == ["no", "yes"]
    with pytest.raises(ValueError, match="Each class needs a labeled row in every fold"):
        cross_evaluate(Watched(members=["stumps"]), X, np.where(y == "z", "z", "no").astype(object), None, 3)
