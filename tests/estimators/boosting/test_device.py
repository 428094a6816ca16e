"""Stumps on a GPU by the estimator: the same model, and clear words where that is not possible."""

import sys

import numpy as np
import pytest
from emulated_gpu import EmulatedDevice, needs_compiler, needs_gpu
from partly_labeled import table

import agnoboost as ab
from agnoboost.estimators.boosting import parameters
from agnoboost.rounds.stumps import gpu
from agnoboost.rounds.stumps.gpu import GpuStumps

STUMPS = {"weak_learner": "stump", "batch_size": None, "n_rounds": 30, "random_state": 0}


def same_model_there():
    X, y, _ = table()
    models = [ab.AgnosticBoostingClassifier(device=device, **STUMPS).fit(X, y) for device in ("cpu", "cuda")]
    assert models[1].history_.engines == ["gpu"]
    assert models[0].tape_ == models[1].tape_
    assert models[0].history_.choice.losses.keys() == models[1].history_.choice.losses.keys()
    return models[1]


@needs_compiler
def test_the_model_is_that_of_the_host(monkeypatch, tmp_path):
    monkeypatch.setattr(gpu, "why_no_gpu", lambda: None)
    monkeypatch.setattr(parameters, "require_gpu", lambda: None)
    monkeypatch.setattr(GpuStumps, "device", EmulatedDevice)
    model = same_model_there()
    model.save(tmp_path / "model.agno")
    monkeypatch.undo()  # who predicts needs no GPU
    X, _, _ = table()
    loaded = ab.load(tmp_path / "model.agno")
    assert loaded.device == "cuda"
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"device": "tpu"}, "device must be 'cpu', 'cuda'. Got 'tpu'"),
        ({"weak_learner": "tree"}, "device='cuda' is for stumps on whole batches.*Got weak_learner='tree'"),
        ({"batch_size": "bootstrap"}, "batch_size='bootstrap'"),
        ({"algorithm": "algorithm2"}, "algorithm1 or algorithm3. Got .* algorithm2"),
    ],
)
def test_what_cannot_run_there_is_refused_before_any_work(changes, message):
    X, y, _ = table()
    with pytest.raises(ValueError, match=message):
        ab.AgnosticBoostingClassifier(**{"device": "cuda", **STUMPS, **changes}).fit(X, y)


def test_without_cupy_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    X, y, _ = table()
    with pytest.raises(ImportError, match=r"needs CuPy.*agnoboost\[gpu\]"):
        ab.AgnosticBoostingClassifier(device="cuda", **STUMPS).fit(X, y)


@needs_gpu
def test_on_a_gpu_the_model_is_that_of_the_host():
    import cupy

    model = same_model_there()
    X, y, _ = table()
    again = ab.AgnosticBoostingClassifier(device="cuda", **STUMPS).fit(cupy.asarray(X), cupy.asarray(y))
    assert again.tape_ == model.tape_
    assert np.array_equal(again.predict(cupy.asarray(X)), model.predict(X))
