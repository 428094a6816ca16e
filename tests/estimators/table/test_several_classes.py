"""Several classes: probabilities that can be believed, and that survive a file."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_classification
from sklearn.metrics import log_loss
from sklearn.utils import shuffle

import agnoboost as ab


def test_probabilities_of_many_classes_are_neither_timid_nor_certain():
    X, y = make_classification(
        2_500, 30, n_informative=12, n_classes=10, n_clusters_per_class=1, class_sep=2.0, random_state=0
    )
    model = ab.TableClassifier(members=["stumps", "linear"], random_state=0).fit(X[:500], y[:500])
    p = model.predict_proba(X[500:])
    right = np.mean(model.predict(X[500:]) == y[500:])
    assert p.max(axis=1).mean() == pytest.approx(right, abs=0.06)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(X[500:]))


def test_rows_that_are_easy_do_not_make_certain_of_all(tmp_path):
    """Every digit of some was told from the rest: the log loss of others must not blow up."""
    X, y = shuffle(*load_digits(return_X_y=True), random_state=0)
    model = ab.TableClassifier(random_state=0).fit(X[:150], y[:150])
    p = model.predict_proba(X[150:900])
    assert np.mean(model.predict(X[150:900]) == y[150:900]) > 0.85
    assert log_loss(y[150:900], p) < 0.5
    model.save(tmp_path / "model.agno")
    np.testing.assert_array_equal(ab.load(tmp_path / "model.agno").predict_proba(X[150:900]), p)


def several(rows, seed=3):
    return make_classification(rows, 8, n_informative=6, n_classes=4, random_state=seed)


def test_how_weights_are_scaled_does_not_matter():
    X, y = several(400)
    models = [
        ab.TableClassifier(members=["small trees", "linear"], random_state=0).fit(X, y, sample_weight=np.full(400, w))
        for w in (1.0, 1 / 400)
    ]
    assert models[1]._model.sharpness == pytest.approx(models[0]._model.sharpness, rel=1e-6)


def test_stand_ins_for_labels_leave_the_sharpness_alone():
    X, y = several(300)
    model = ab.TableClassifier(members=["small trees"], label_model=ab.labels.FlipRates(0.2), random_state=0).fit(X, y)
    assert model._model.sharpness == 1.0
