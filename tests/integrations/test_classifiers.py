"""The estimators over XGBoost and LightGBM."""

import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import agnoboost
from agnoboost import ModelFileError
from agnoboost.evaluation.model_selection import LabeledSplit
from agnoboost.integrations import LGBMAgnosticClassifier, XGBAgnosticClassifier
from agnoboost.integrations.backend import Patience

pytest.importorskip("xgboost")
pytest.importorskip("lightgbm")
pd = pytest.importorskip("pandas")

BOTH = [XGBAgnosticClassifier, LGBMAgnosticClassifier]
pytestmark = pytest.mark.filterwarnings("ignore:.*valid feature names.*:UserWarning")


def table(labeled=200, rows=1500, seed=0):
    X, y = make_classification(rows, 8, n_informative=4, flip_y=0.05, random_state=seed)
    return X, np.where(np.arange(rows) < labeled, y.astype(float), np.nan), y


def small(kind, **settings):
    return kind(40, **{"random_state": 0, "n_jobs": 1, **settings})


def known_failures(estimator):
    """What the backend itself cannot pass."""
    if isinstance(estimator, LGBMAgnosticClassifier):
        return {"check_sample_weight_equivalence_on_dense_data": "LightGBM bins rows, not weights"}
    return {}


# LightGBM asks for 20 rows in a leaf, and the checks use tables smaller than that.
@pytest.mark.filterwarnings("default")
@parametrize_with_checks(
    [small(XGBAgnosticClassifier), small(LGBMAgnosticClassifier, params={"min_data_in_leaf": 1, "min_data_in_bin": 1})],
    expected_failed_checks=known_failures,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("weight", ["auto", 0.0, 0.5, 1.0])
def test_it_learns_from_few_labels(kind, weight):
    X, y, truth = table()
    model = small(kind, unlabeled_weight=weight).fit(X, y)
    assert model.score(X[200:], truth[200:]) > 0.8
    assert (model.n_labeled_, model.n_unlabeled_) == (200, 1300)
    assert weight == "auto" or model.choice_.unlabeled_weight == weight
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert ((proba[:, 1] > 0.5) == (model.predict(X) == 1)).all()


@pytest.mark.parametrize("labels", [20, 40])
def test_so_few_rows_that_no_leaf_is_large_enough_are_no_error(labels, rng):
    """LightGBM drops all columns that no leaf of 20 rows can cut, and then fails, unless it is told not to."""
    X = rng.normal(size=(2 * labels, 3))
    y = np.where(np.arange(2 * labels) < labels, X[:, 0] > 0, np.nan)
    assert LGBMAgnosticClassifier(random_state=0).fit(X, y).predict_proba(X).shape == (2 * labels, 2)
    small = LGBMAgnosticClassifier(random_state=0, params={"min_data_in_leaf": 3}).fit(X, y)
    assert small.score(X, X[:, 0] > 0) > 0.9


@pytest.mark.parametrize("kind", BOTH)
def test_the_same_seed_gives_the_same_model(kind):
    X, y, _ = table()
    often = {"subsample_freq": 1} if kind is LGBMAgnosticClassifier else {}
    first, again, other = (
        small(kind, random_state=seed, params={"subsample": 0.5, **often}).fit(X, y).decision_function(X)
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


@pytest.mark.parametrize("kind", BOTH)
def test_safe_mode_needs_evidence_for_unlabeled_rows(kind):
    """Unlabeled rows from elsewhere would pull the model: they are left out."""
    X, y, _ = table(rows=800, labeled=500)
    X[500:] = X[500:] * 0.1 + 3.0
    model = small(kind).fit(X, y)
    assert model.choice_.unlabeled_weight == 0.0
    assert set(model.choice_.losses) >= {0.0, 0.5}
    alone = small(kind, unlabeled_weight=0.0).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), alone.decision_function(X))
    without = small(kind).fit(X[:500], y[:500])
    np.testing.assert_array_equal(model.decision_function(X), without.decision_function(X))


@pytest.mark.parametrize("kind", BOTH)
def test_several_classes(kind):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"], dtype=object)[y]
    partly = names.copy()
    partly[np.arange(150) % 3 != 0] = None
    model = small(kind, params={"min_data_in_leaf": 3} if kind is LGBMAgnosticClassifier else None).fit(X, partly)
    assert model.score(X, names) > 0.85
    assert model.decision_function(X).shape == (150, 3)
    assert model.pred_contribs(X).shape == (150, 3, 5)
    assert len(model.get_booster()) == 3


@pytest.mark.parametrize("kind", BOTH)
def test_categories_and_missing_values(kind):
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue", "black"], 900)
    size = np.where(rng.random(900) < 0.2, np.nan, rng.normal(size=900))
    y = np.isin(colour, ["red", "black"]).astype(float)
    frame = pd.DataFrame({"size": size, "colour": pd.Categorical(colour)})
    partly = np.where(np.arange(900) < 150, y, np.nan)
    model = small(kind, max_depth=2).fit(frame, partly)
    assert model.score(frame[150:], y[150:]) > 0.95
    assert model.feature_importances_.argmax() == 1
    assert model.feature_names_in_.tolist() == ["size", "colour"]
    strange = pd.DataFrame({"size": [np.nan, 0.0], "colour": ["violet", "red"]})
    assert model.predict_proba(strange).shape == (2, 2)


@pytest.mark.parametrize("kind", BOTH)
def test_contributions_sum_to_the_margin(kind):
    X, y, _ = table()
    model = small(kind, unlabeled_weight=1.0).fit(X, y)
    np.testing.assert_allclose(model.pred_contribs(X).sum(axis=1), model.decision_function(X), atol=1e-5)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.feature_importances_.shape == (8,)


@pytest.mark.parametrize("kind", BOTH)
def test_weights_count_as_rows(kind):
    X, y, _ = table(labeled=150, rows=600)
    weight = np.where(np.arange(600) % 5 == 0, 0.0, 1.0)
    kept = weight > 0
    settings = {"validation_fraction": None, "unlabeled_weight": 0.5}
    np.testing.assert_array_equal(
        small(kind, **settings).fit(X, y, weight).decision_function(X),
        small(kind, **settings).fit(X[kept], y[kept]).decision_function(X),
    )
    heavy = small(kind, class_weight={0: 1.0, 1: 20.0}, **settings).fit(X, y)
    assert heavy.predict(X).mean() > small(kind, **settings).fit(X, y).predict(X).mean() + 0.05


@pytest.mark.parametrize("kind", BOTH)
def test_shift_keeps_margins_on_their_scale(kind):
    X, y, truth = table()
    plain = small(kind, unlabeled_weight=1.0).fit(X, y)
    shifted = small(kind, unlabeled_weight=1.0, shift=4.0).fit(X, y)
    assert shifted.score(X[200:], truth[200:]) > 0.8
    ratio = np.median(np.abs(shifted.decision_function(X))) / np.median(np.abs(plain.decision_function(X)))
    assert 0.5 < ratio < 2.0


@pytest.mark.parametrize("kind", BOTH)
def test_validation_rows_and_early_stopping(kind):
    X, y, truth = table()
    model = kind(400, learning_rate=0.3, max_depth=6, random_state=0, n_jobs=1)
    model.fit(X[:800], y[:800], X_val=X[800:], y_val=truth[800:])
    assert "700 validation rows" in model.choice_.reason
    assert max(map(len, model.choice_.losses.values())) < 400


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("shift", [1.0, 4.0])
def test_the_curve_is_the_held_out_potential_of_the_model(kind, shift):
    """Round by round, on the scale that predictions have."""
    from agnoboost.core.potentials import Huber
    from agnoboost.core.sources import Pool
    from agnoboost.estimators.data import Data
    from agnoboost.estimators.held_out_choice import Task

    X, _, truth = table()
    model = small(kind, shift=shift)
    model._read(X, truth, None, None)
    data = Data.of_classes(X[:200], truth[:200], 2, np.ones(200), Pool(X[200:800]))
    held_out = Data.of_classes(X[800:], truth[800:], 2, np.ones(700))
    found, curve = model._trainer(data).watched(Task(data, 1.0, held_out))
    signs = 2.0 * truth[800:] - 1.0
    for rounds in (0, 1, 5, len(curve) - 1):
        expected = Huber().value(found.margins(rounds, X[800:])[:, 0], signs).mean()
        assert curve[rounds] == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize("kind", BOTH)
def test_a_fit_that_fails_leaves_no_model(kind, monkeypatch):
    X, y, _ = table()
    model = small(kind).fit(X, y)

    def broken(*_):
        raise MemoryError

    monkeypatch.setattr("agnoboost.integrations.trainer.BackendTrainer.run", broken)
    with pytest.raises(MemoryError):
        model.fit(X, np.where(np.isnan(y), np.nan, y + 5))
    with pytest.raises(NotFittedError):
        model.predict(X)


@pytest.mark.parametrize(("kind", "name"), [(XGBAgnosticClassifier, "learning_rate"), (LGBMAgnosticClassifier, "eta")])
def test_the_users_parameters_go_first_under_any_name(kind, name):
    X, y, _ = table()
    settings = {"unlabeled_weight": 0.0, "validation_fraction": None}
    given = small(kind, params={name: 0.7}, **settings).fit(X, y).decision_function(X)
    ours = small(kind, **settings).fit(X, y).decision_function(X)
    assert np.abs(given).mean() > 1.1 * np.abs(ours).mean()


def test_lists_among_parameters_are_saved(tmp_path):
    X, y, _ = table()
    constraints = {"monotone_constraints": [1, 0, 0, 0, 0, 0, 0, -1]}
    model = small(LGBMAgnosticClassifier, params=constraints).fit(X, y)
    model.save(tmp_path / "model.agno")
    assert agnoboost.load(tmp_path / "model.agno").params == constraints


def test_patience():
    curve = [0.0, -1.0, -0.9, -0.8]
    assert Patience(2, 0).is_over(curve)
    assert not Patience(3, 0).is_over(curve)
    assert not Patience(2, 5).is_over(curve)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("several", [False, True])
def test_models_come_back_from_files(kind, several, tmp_path):
    X, y, _ = table()
    if several:
        y = np.where(np.isnan(y), np.nan, y + (X[:, 0] > 1))
    model = small(kind, unlabeled_weight=0.5, shift=2.0, tune_threshold=not several).fit(X, y)
    model.save(tmp_path / "model.agno")
    again = agnoboost.load(tmp_path / "model.agno")
    assert type(again) is kind
    assert again.get_params()["shift"] == 2.0
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.choice_.reason == model.choice_.reason
    np.testing.assert_allclose(again.feature_importances_, model.feature_importances_, rtol=1e-4)
    np.testing.assert_allclose(again.pred_contribs(X), model.pred_contribs(X), atol=1e-5)
    assert type(again.get_booster()) is type(model.get_booster())
    again.save(tmp_path / "again.agno")
    np.testing.assert_array_equal(agnoboost.load(tmp_path / "again.agno").predict(X), model.predict(X))


@pytest.mark.parametrize("kind", BOTH)
def test_loaded_models_predict_without_the_backend(kind, tmp_path, monkeypatch):
    X, y, _ = table()
    model = small(kind).fit(X, y)
    model.save(tmp_path / "model.agno")
    expected = model.predict_proba(X)

    def missing(cls):
        raise ImportError("not installed")

    monkeypatch.setattr(kind._backend_type, "load", classmethod(missing))
    again = agnoboost.load(tmp_path / "model.agno")
    np.testing.assert_array_equal(again.predict_proba(X), expected)
    with pytest.raises(ImportError, match="not installed"):
        again.get_booster()


@pytest.mark.parametrize("kind", BOTH)
def test_damaged_files_are_refused(kind, tmp_path):
    from agnoboost.files.container import read, write

    X, y, _ = table()
    path = tmp_path / "model.agno"
    small(kind).fit(X, y).save(path)
    facts, arrays = read(path)
    more = {name.replace("booster0", "booster1"): array for name, array in arrays.items()}
    shorter = {"booster0/value": arrays["booster0/value"][:-1]}
    write(path, facts, arrays)
    agnoboost.load(path)
    for other in ({}, arrays | shorter, arrays | more):
        write(path, facts, other)
        with pytest.raises(ModelFileError):
            agnoboost.load(path)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_estimators": 0}, r"n_estimators"),
        ({"learning_rate": -1.0}, r"learning_rate"),
        ({"max_depth": 0}, r"max_depth"),
        ({"unlabeled_weight": "much"}, r"unlabeled_weight must be 'auto'"),
        ({"unlabeled_weight": 2.0}, r"unlabeled_weight"),
        ({"potential": "madaboost"}, r"potential"),
        ({"shift": 0.1}, r"shift"),
        ({"validation_fraction": "half"}, r"validation_fraction"),
        ({"validation_fraction": 0.9}, r"validation_fraction"),
        ({"params": {"objective": "binary:logistic"}}, r"leave the objective to us"),
        ({"params": {"application": "binary"}}, r"leave the objective to us"),
    ],
)
def test_bad_parameters(kind, settings, message):
    X, y, _ = table()
    with pytest.raises(ValueError, match=message):
        kind(**settings).fit(X, y)


@pytest.mark.parametrize("kind", BOTH)
def test_bad_labels(kind):
    X, y, _ = table()
    with pytest.raises(ValueError, match=r"all 1500 rows are unlabeled"):
        small(kind).fit(X, np.full(1500, np.nan))
    with pytest.raises(ValueError, match=r"at least 2 classes. Got one class"):
        small(kind).fit(X, np.where(np.arange(1500) < 10, 1.0, np.nan))
    with pytest.raises(ValueError, match=r"tune_threshold is for two classes"):
        small(kind, tune_threshold=True).fit(X, np.where(np.isnan(y), np.nan, y + (X[:, 0] > 1)))


@pytest.mark.parametrize("kind", BOTH)
def test_without_the_backend_or_with_an_old_one(kind, monkeypatch):
    X, y, _ = table()
    package = kind()._backend_type.package
    monkeypatch.setattr(f"{package}.__version__", "1.9.3")
    with pytest.raises(ImportError, match=rf"{package} must be of version .* or later. Got 1.9.3"):
        small(kind).fit(X, y)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"pip install 'agnoboost\[{package}\]'"):
        small(kind).fit(X, y)


def test_a_gpu_needs_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    X, y, _ = table()
    with pytest.raises(ImportError, match=r"pip install cupy"):
        small(XGBAgnosticClassifier, device="cuda").fit(X, y)


@pytest.mark.parametrize("kind", BOTH)
def test_it_works_in_cross_validation(kind):
    X, y, _ = table()
    scores = cross_val_score(small(kind, validation_fraction=None), X, y, cv=LabeledSplit(3))
    assert scores.mean() > 0.75
