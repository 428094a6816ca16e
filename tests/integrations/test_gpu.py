"""On a real GPU only: gradients stay there, and the model is the one that the host path makes."""

import numpy as np
import pytest

from agnoboost.integrations import UnlabeledObjective, XGBAgnosticClassifier
from agnoboost.integrations.backend import Patience, ProblemRows, Watch
from agnoboost.integrations.xgboost_backend import XGBEnsemble, XGBoost
from agnoboost.integrations.xgboost_gpu import train_on_gpu

pytest.importorskip("xgboost")
cupy = pytest.importorskip("cupy")


def has_gpu():
    try:
        return cupy.cuda.runtime.getDeviceCount() > 0
    except cupy.cuda.runtime.CUDARuntimeError:
        return False


pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not has_gpu(), reason="needs a GPU")]


def make_rows(count=5000, labeled=0.1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, 6)).astype(np.float32).astype(np.float64)
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] > 0, 1.0, -1.0)
    y[rng.random(count) >= labeled] = 0.0
    return ProblemRows(X, y, rng.uniform(0.5, 2.0, count))


def backend(device="cuda"):
    return XGBoost.of(max_depth=4, learning_rate=0.1, device=device, n_jobs=None, seed=0, params={})


@pytest.mark.parametrize("potential", ["huber", "pseudo_huber"])
@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
def test_gradients_stay_on_the_device_and_equal_those_of_the_host(potential, weight):
    rows, objective = make_rows(), UnlabeledObjective(potential, weight, 2.0)
    margin = np.random.default_rng(1).normal(size=len(rows.y))
    here = objective.gradients(margin, rows.y, rows.weight)
    there = objective.gradients(cupy.asarray(margin), cupy.asarray(rows.y), cupy.asarray(rows.weight))
    for expected, found in zip(here, there, strict=True):
        assert isinstance(found, cupy.ndarray)
        np.testing.assert_allclose(found.get(), expected, rtol=1e-12)


def test_the_device_loop_makes_the_model_of_the_host_loop():
    import xgboost

    rows, objective, own = make_rows(), UnlabeledObjective(unlabeled_weight=0.5), backend()
    ensemble, _ = train_on_gpu(own, rows, objective, 40)
    matrix = own.matrix(ProblemRows(cupy.asarray(rows.X, dtype=cupy.float32), rows.y, rows.weight))
    host = XGBEnsemble(xgboost.train(own.settings, matrix, 40, obj=objective, verbose_eval=False))
    np.testing.assert_allclose(ensemble.margin(rows.X), host.margin(rows.X), atol=1e-4)


def test_early_stopping_on_the_device():
    watch = Watch(make_rows(500, labeled=1.0, seed=1), Patience(5, 10))
    ensemble, curve = train_on_gpu(backend(), make_rows(400), UnlabeledObjective(unlabeled_weight=0.0), 2000, watch)
    assert len(curve) == ensemble.rounds < 2000
    assert min(curve) < curve[0] - 0.05


def test_the_estimator_is_as_good_as_on_the_cpu():
    rows, test = make_rows(), make_rows(2000, labeled=1.0, seed=2)
    y = np.where(rows.y == 0, np.nan, rows.y)
    scores = [
        XGBAgnosticClassifier(device=device, unlabeled_weight=0.5, random_state=0).fit(rows.X, y).score(test.X, test.y)
        for device in ("cpu", "cuda")
    ]
    assert scores[1] > 0.8
    assert abs(scores[0] - scores[1]) < 0.02
