"""Rounds and thresholds chosen by positives and unlabeled rows that a run has not seen."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import agnoboost as ab
from agnoboost.estimators.data import split_rows
from agnoboost.estimators.population import folds_of, judges_of, some_of
from agnoboost.integrations import LGBMAgnosticClassifier, XGBAgnosticClassifier
from agnoboost.labels import PositiveUnlabeled

CHOOSERS = {
    "core": lambda **p: ab.AgnosticBoostingClassifier(n_rounds=120, step_size=0.1, random_state=0, n_jobs=1, **p),
    "xgboost": lambda **p: XGBAgnosticClassifier(60, random_state=0, n_jobs=1, **p),
    "lightgbm": lambda **p: LGBMAgnosticClassifier(60, random_state=0, n_jobs=1, **p),
}


def problem(positives=120, unlabeled=500, seed=0):
    """Positives, then unlabeled rows, then rows to test by; a quarter of the population is positive."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(4000, 5))
    truth = rng.random(len(X)) < 1 / (1 + np.exp(-4 * (X[:, 0] + 0.5 * X[:, 1] - 0.9)))
    found = np.flatnonzero(truth[2200:])[:positives] + 2200
    X = np.concatenate([X[found], X[:unlabeled], X[1300:2200]])
    y = np.repeat([1.0, np.nan], [positives, unlabeled])
    return X[: len(y)], y, X[len(y) :], truth[1300:2200].astype(int), float(truth.mean())


def rows(model, X, y):
    return split_rows(X, np.arange(len(X)), model, model.read(y, len(y)), np.ones(len(y)), None)[0]


@pytest.mark.parametrize("together", [False, True])
def test_folds_leave_equal_rows_out_together_and_spread_each_kind(together):
    X, y, _, _, prior = problem()
    data = rows(PositiveUnlabeled(prior, together=together), X, y)
    judges, fold = judges_of(data), folds_of(data, 5, 0)
    assert len(judges.X) == len(fold) == (740 if together else 620)
    assert np.bincount(fold[:120]).tolist() == [24] * 5
    assert np.ptp(np.bincount(fold[120:])) <= (25 if together else 1)
    for number in range(5):
        train = fold != number
        part = some_of(data, train[:120], train[120:])
        seen = {tuple(row) for row in np.concatenate([part.X, part.unlabeled.X])}
        assert not seen & {tuple(row) for row in judges.X[~train]}


def test_the_same_few_rows_again_and_again_are_spread_all_the_same():
    X, y, _, _, prior = problem()
    data = rows(PositiveUnlabeled(prior), (X[:, :2] > 0).astype(float), y)
    assert np.ptp(np.bincount(folds_of(data, 5, 0)[120:])) <= 1


@pytest.mark.parametrize("negatives", [0, 10, 100])
def test_some_rows_weigh_as_much_as_all_of_their_kind(negatives):
    """With 100 negatives unlabeled rows do not stand for labels any more."""
    X, y, _, _, prior = problem()
    y[120 : 120 + negatives] = 0.0
    data = rows(PositiveUnlabeled(prior, positive=1.0), X, y)
    kept = np.random.default_rng(0).random(len(X)) < 0.6
    part = some_of(data, kept[: data.labels], kept[data.labels : data.labels + len(data.unlabeled)])
    for code in (0, 1):
        own, all_of_them = part.codes[: part.labels] == code, data.codes[: data.labels] == code
        assert part.weight[: part.labels][own].sum() == pytest.approx(data.weight[: data.labels][all_of_them].sum())
    assert part.weight.sum() == pytest.approx(data.weight.sum())
    assert part.labels == kept[: data.labels].sum()
    assert part.unlabeled.mass.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("kind", CHOOSERS)
def test_rounds_are_chosen_without_negatives(kind):
    """A pattern that the usual rounds do not reach: the score on rows left out says so."""
    X, y, X_test, truth, prior = problem(positives=300, unlabeled=1000)
    few = {"learning_rate": 0.01} if kind != "core" else {}
    usual, chosen = (
        CHOOSERS[kind](label_model=PositiveUnlabeled(prior), validation_fraction=share, **few).fit(X, y)
        for share in (None, "auto")
    )
    choice = chosen.history_.choice if kind == "core" else chosen.choice_
    assert "over 300 labeled and 1000 unlabeled rows" in choice.reason
    assert choice.losses[1.0].min() < choice.losses[1.0][0]
    assert np.isfinite(choice.losses[1.0]).all()
    scores = [np.mean((one.predict_proba(X_test)[:, 1] - truth) ** 2) for one in (usual, chosen)]
    assert scores[1] <= scores[0] + 0.005
    assert roc_auc_score(truth, chosen.decision_function(X_test)) > 0.85


def test_some_of_very_many_unlabeled_rows_are_enough_to_choose_by(monkeypatch):
    from agnoboost.estimators import race

    monkeypatch.setattr(race, "JUDGES", 300)
    X, y, _, _, prior = problem(positives=100, unlabeled=1300)
    model = CHOOSERS["lightgbm"](label_model=PositiveUnlabeled(prior)).fit(X, y)
    assert "over 100 labeled and 1000 unlabeled rows" in model.choice_.reason
    assert model.n_unlabeled_ == 1300


@pytest.mark.parametrize("kind", ["core", "lightgbm"])
def test_validation_rows_may_be_positives_and_unlabeled_rows(kind):
    X, y, X_test, truth, prior = problem()
    hidden = np.where(truth[:300] == 1, 1.0, np.nan)
    model = CHOOSERS[kind](label_model=PositiveUnlabeled(prior, together=True))
    model.fit(X, y, X_val=X_test[:300], y_val=hidden)
    choice = model.history_.choice if kind == "core" else model.choice_
    assert choice.held_out.psi.sum() == pytest.approx(1.0)
    assert "validation rows" in choice.reason
    with pytest.raises(ValueError, match="for the classes"):
        CHOOSERS[kind](label_model=PositiveUnlabeled(prior)).fit(X, y, X_val=X_test[:3], y_val=[2.0, 2.0, np.nan])


@pytest.mark.parametrize("kind", ["core", "table"])
def test_thresholds_are_tuned_without_negatives(kind, tmp_path):
    """Missing a positive costs much: the cut moves down, and costs less on rows with true labels."""
    X, y, X_test, truth, prior = problem()
    make = CHOOSERS.get(kind, lambda **p: ab.TableClassifier(random_state=0, effort="fast", **p))
    costs = {0.0: 1.0, 1.0: 8.0}
    plain = make(label_model=PositiveUnlabeled(prior)).fit(X, y)
    tuned = make(label_model=PositiveUnlabeled(prior), tune_threshold=costs).fit(X, y)

    def cost(model):
        guess = model.predict(X_test)
        return np.mean(np.where(truth == 1, 8.0 * (guess == 0), 1.0 * (guess == 1)))

    assert tuned.predict(X_test).mean() > plain.predict(X_test).mean()
    assert cost(tuned) < cost(plain)
    tuned.save(tmp_path / "m.agno")
    np.testing.assert_array_equal(ab.load(tmp_path / "m.agno").predict(X_test), tuned.predict(X_test))
