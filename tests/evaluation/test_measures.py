"""Figures of weighed rows: their values beside scikit-learn's, and their derivatives beside numerical ones."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, precision_score, recall_score, roc_auc_score

from agnoboost.evaluation.measures import RankingArea, f1, mean, precision, recall

ROWS = 12
RNG = np.random.default_rng(3)
SCORES = RNG.integers(6, size=ROWS) / 5.0  # with ties
SAID = SCORES >= 0.5
MEASURES = {
    "mean": mean(ROWS),
    "precision": precision(SAID),
    "recall": recall(SAID),
    "f1": f1(SAID),
    "area": RankingArea.of(SCORES),
}


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("seed", range(3))
def test_derivatives(name, seed):
    """Also where masses are negative, as those of gold rows may be."""
    rng, measure = np.random.default_rng(seed), MEASURES[name]
    rows, marks = rng.normal(1.0, 0.3, ROWS) / ROWS, rng.normal(0.5, 0.4, ROWS) / ROWS
    found = measure(rows, marks)
    for row, step in enumerate(1e-6 * np.eye(ROWS)):
        by_rows = (measure(rows + step, marks).value - measure(rows - step, marks).value) / 2e-6
        by_marks = (measure(rows, marks + step).value - measure(rows, marks - step).value) / 2e-6
        assert found.by_rows[row] == pytest.approx(by_rows, abs=1e-6)
        assert found.by_marks[row] == pytest.approx(by_marks, abs=1e-6)


@pytest.mark.parametrize("name", MEASURES)
def test_one_more_row_counts_nothing_on_average(name):
    """Figures do not depend on the unit of masses; so the mean influence is 0."""
    y = RNG.integers(2, size=ROWS).astype(float)
    mass = RNG.dirichlet(np.ones(ROWS))
    found = MEASURES[name](mass, mass * y)
    assert mass @ found.influence(y) == pytest.approx(0.0, abs=1e-12)


def test_values_are_those_of_scikit_learn():
    y = np.array([0, 1] * 6)
    mass = RNG.dirichlet(np.ones(ROWS))
    found = {name: measure(mass, mass * y).value for name, measure in MEASURES.items()}
    assert found["mean"] == pytest.approx(mass @ y)
    for name, score in (("precision", precision_score), ("recall", recall_score), ("f1", f1_score)):
        assert found[name] == pytest.approx(score(y, SAID, sample_weight=mass))
    assert found["area"] == pytest.approx(roc_auc_score(y, SCORES, sample_weight=mass))


def test_what_is_not_defined():
    mass = np.full(ROWS, 1.0 / ROWS)
    assert precision(np.zeros(ROWS, dtype=bool))(mass, mass) is None
    assert recall(SAID)(mass, 0.0 * mass) is None
    assert MEASURES["area"](mass, mass) is None
    assert MEASURES["area"](mass, 0.0 * mass) is None


def test_counts():
    mass, y = np.full(ROWS, 1.0 / ROWS), np.array([1.0] * 3 + [0.0] * 9)
    assert MEASURES["mean"].count(mass, mass * y) == pytest.approx(12)
    assert MEASURES["precision"].count(mass, mass * y) == pytest.approx(SAID.sum())
    assert MEASURES["recall"].count(mass, mass * y) == pytest.approx(3)
    assert MEASURES["area"].count(mass, mass * y) == pytest.approx(3)
    uneven = np.array([3.0, 1.0] + [0.0] * 10)
    assert MEASURES["mean"].count(uneven, uneven) == pytest.approx(1.6)
