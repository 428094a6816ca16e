"""Files of version 0.1.0 are read, and gone on from, to the numbers of that version (see v1/make.py)."""

import importlib.util
import shutil
from pathlib import Path

import numpy as np
import pytest

import agnoboost as ab
from agnoboost.basics.errors import CheckpointError
from agnoboost.rl.worlds import bits

HERE = Path(__file__).parent / "v1"
FOREIGN = {"xgboost", "lightgbm"}  # their own versions may differ in the last digits
MODELS = sorted(path.stem for path in HERE.glob("*.agno") if path.stem != "policy")
CHECKPOINTS = sorted(path.stem for path in HERE.glob("*.checkpoint"))
CHANGED = {"gs24", "trees"}  # what steps, or grows its trees, differently since: such runs cannot be gone on with


@pytest.fixture(scope="module")
def expected():
    with np.load(HERE / "expected.npz") as file:
        return dict(file)


@pytest.fixture(scope="module")
def make():
    spec = importlib.util.spec_from_file_location("make_files_of_version_1", HERE / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_file_has_its_numbers(expected, make):
    names = {name.partition("/")[2] for name in expected if "/" in name}
    assert {*MODELS, *CHECKPOINTS} == names
    assert set(make.RUNS) == set(CHECKPOINTS)


@pytest.mark.parametrize("name", MODELS)
def test_models_give_the_same_numbers(name, expected):
    if name in FOREIGN:
        pytest.importorskip(name)
    model = ab.load(HERE / f"{name}.agno")
    for found, kind in ((model.decision_function, "decision"), (model.predict_proba, "probability")):
        if name in FOREIGN:
            np.testing.assert_allclose(found(expected["X"]), expected[f"{kind}/{name}"], rtol=0, atol=1e-6)
        elif name.startswith("few-labels"):  # similarities are evaluated in another way, to twelve digits
            np.testing.assert_allclose(found(expected["X"]), expected[f"{kind}/{name}"], rtol=1e-10, atol=1e-11)
        else:
            np.testing.assert_array_equal(found(expected["X"]), expected[f"{kind}/{name}"])


@pytest.mark.parametrize("name", MODELS)
def test_models_can_be_saved_again(name, expected, tmp_path):
    if name in FOREIGN:
        pytest.importorskip(name)
    model = ab.load(HERE / f"{name}.agno")
    model.save(tmp_path / "again.agno")
    again = ab.load(tmp_path / "again.agno")
    np.testing.assert_array_equal(again.decision_function(expected["X"]), model.decision_function(expected["X"]))


def test_policies_give_the_same_numbers(expected):
    policy = ab.load(HERE / "policy.agno")
    np.testing.assert_array_equal(policy.chance(bits().features), expected["chance"])


@pytest.mark.parametrize("name", sorted({*CHECKPOINTS} - CHANGED))
def test_checkpoints_go_on_to_the_same_end(name, expected, make, tmp_path):
    place = tmp_path / f"{name}.checkpoint"
    shutil.copy(HERE / place.name, place)
    rows, labels = make.run_data(expected["X"], expected["y"])
    booster, learner, settings = make.RUNS[name](rows, labels)
    run = ab.boost(booster, learner, rounds=make.ROUNDS, rng=make.SEED, checkpoint=place, **settings)
    np.testing.assert_array_equal(run.tape.margin(rows), expected[f"margins/{name}"])


@pytest.mark.parametrize("name", sorted(CHANGED))
def test_runs_of_algorithms_that_have_changed_are_refused(name, expected, make, tmp_path):
    place = tmp_path / f"{name}.checkpoint"
    shutil.copy(HERE / place.name, place)
    booster, learner, settings = make.RUNS[name](*make.run_data(expected["X"], expected["y"]))
    with pytest.raises(CheckpointError, match="another run"):
        ab.boost(booster, learner, rounds=make.ROUNDS, rng=make.SEED, checkpoint=place, **settings)
