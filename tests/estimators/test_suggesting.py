"""Which rows to label next."""

import numpy as np
import pytest
from partly_labeled import table

from agnoboost import AgnosticBoostingClassifier, TableClassifier, suggest
from agnoboost.estimators.suggesting import Suggestion


@pytest.fixture(scope="module")
def fitted():
    X, y, truth = table(rows=180, labeled=60)
    return TableClassifier(members=["stumps"], random_state=0).fit(X[:60], y[:60]), X[60:], truth[60:]


def test_uncertain_rows_are_drawn_more_often_and_sure_ones_too(fitted):
    model, pool, _ = fitted
    draws = [suggest(model, pool, 20, random_state=seed) for seed in range(30)]
    p = model.predict_proba(pool)
    unsure = 1.0 - np.abs(p[:, 1] - p[:, 0])
    drawn = np.concatenate([one.row for one in draws])
    assert unsure[drawn].mean() > unsure.mean() + 0.1
    assert unsure[drawn].min() < np.quantile(unsure, 0.25)
    found = draws[0]
    assert len(found) == 20
    first = ", ".join(map(str, found.row[:5]))
    assert str(found).startswith(f"20 of 120 rows to label next: {first} and 15 more (from 0). to_frame() has")
    assert len(set(found.row)) == 20
    assert np.allclose(found.uncertainty, unsure[found.row])
    assert found.prediction.tolist() == model.predict(pool[found.row]).tolist()
    assert found.probability.min() >= 0.2 * 20 / len(pool) - 1e-12  # a fifth is drawn whatever the model says


def test_estimates_are_unbiased(fitted):
    """Over many draws: the share of errors on the pool, and a mean of a column; unweighted they are off."""
    model, pool, truth = fitted
    wrong = (model.predict(pool) != truth).astype(float)
    estimates, plain = [], []
    for seed in range(150):
        found = suggest(model, pool, 20, random_state=seed)
        estimates.append((found.mean(wrong[found.row]), found.mean(np.ones(20))))
        plain.append(wrong[found.row].mean())
    means, errors = np.mean(estimates, axis=0), np.std(estimates, axis=0) / np.sqrt(150)
    assert abs(means[0] - wrong.mean()) < 4 * errors[0]
    assert abs(means[1] - 1.0) < 4 * errors[1]
    assert np.mean(plain) - wrong.mean() > 0.03


def test_all_at_random_gives_equal_probabilities(fitted):
    model, pool, _ = fitted
    found = suggest(model, pool, 12, at_random=1.0, random_state=0)
    assert np.allclose(found.probability, 12 / len(pool))
    assert np.allclose(found.sample_weight, len(pool) / 12)
    assert suggest(model, pool, len(pool)).row.tolist() == list(range(len(pool)))


def test_the_same_seed_gives_the_same_rows(fitted):
    model, pool, _ = fitted
    first, again, other = (suggest(model, pool, 20, random_state=seed).row.tolist() for seed in (0, 0, 1))
    assert first == again != other


def test_several_classes_categories_and_other_classifiers():
    pd = pytest.importorskip("pandas")
    X, y, _ = table(rows=200, labeled=90, classes=3)
    frame = pd.DataFrame(X[:, :3], columns=["a", "b", "c"]).assign(kind=np.where(X[:, 3] > 0, "x", "y"))
    model = TableClassifier(effort="fast", random_state=0).fit(frame, y)
    found = suggest(model, frame.iloc[90:], 7, random_state=0)
    assert list(found.to_frame().columns) == ["row", "inclusion_probability", "prediction", "uncertainty"]
    other = AgnosticBoostingClassifier(n_rounds=10, unlabeled_weight=0.0, random_state=0).fit(X[:90], y[:90] > 0)
    assert len(suggest(other, X[90:], 5, random_state=0)) == 5


def test_wrong_numbers_are_refused(fitted):
    model, pool, _ = fitted
    with pytest.raises(ValueError, match="at most the number of rows of the pool, 120"):
        suggest(model, pool, 121)
    with pytest.raises(ValueError, match="at_random must be in"):
        suggest(model, pool, at_random=0.0)
    with pytest.raises(ValueError, match="n must be a whole number"):
        suggest(model, pool, 0)
    found = Suggestion(np.arange(3), np.ones(3), np.zeros(3), np.zeros(3), 3)
    with pytest.raises(ValueError, match="one number for each of the 3 rows"):
        found.mean([1.0])
