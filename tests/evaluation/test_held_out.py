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
