"""Checkpoints of distributed runs: what XGBoost gets of a file is written anew from trees that have been checked."""

import numpy as np
import pytest

from agnoboost.basics.errors import CheckpointError
from agnoboost.files.container import CHECKPOINT_FORMAT, read, write
from agnoboost.integrations import XGBAgnosticClassifier
from agnoboost.integrations.dask_checkpoint import keep, kept
from agnoboost.integrations.xgboost_backend import XGBEnsemble

pytest.importorskip("xgboost")


@pytest.fixture(scope="module")
def ensemble():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    return XGBEnsemble(
        XGBAgnosticClassifier(6, validation_fraction=None, random_state=0).fit(X, X[:, 0] > 0).get_booster()
    )


def test_there_and_back(ensemble, tmp_path):
    assert kept(tmp_path / "state", "this", 3) is None
    keep(tmp_path / "state", ensemble, "this")
    again = kept(tmp_path / "state", "this", 3)
    X = np.random.default_rng(1).normal(size=(50, 3))
    np.testing.assert_array_equal(again.margin(X), ensemble.margin(X))
    assert again.rounds == 6


def circle(facts, arrays):
    arrays["below"] = np.zeros_like(arrays["below"])


CHANGES = {
    "another kind": lambda facts, arrays: facts.update(kind="lightgbm"),
    "another fact": lambda facts, arrays: facts.update(more=1),
    "a circle": circle,
    "half a round": lambda facts, arrays: facts.update(trees_a_round=4),
    "a column that there is not": lambda facts, arrays: arrays.update(feature=arrays["feature"] + 3),
    "NaN": lambda facts, arrays: arrays.update(value=arrays["value"] * np.nan),
    "nothing": lambda facts, arrays: arrays.clear(),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_no_run_would_keep_is_refused(name, ensemble, tmp_path):
    path = tmp_path / "state"
    keep(path, ensemble, "this")
    facts, arrays = read(path, CHECKPOINT_FORMAT)
    CHANGES[name](facts, arrays)
    write(path, facts, arrays, CHECKPOINT_FORMAT)
    with pytest.raises(CheckpointError, match=r"Delete it to start anew"):
        kept(path, "this", 3)


def test_that_of_another_fit_is_refused(ensemble, tmp_path):
    keep(tmp_path / "state", ensemble, "this")
    with pytest.raises(CheckpointError, match=r"belongs to another fit"):
        kept(tmp_path / "state", "that", 3)


def test_a_full_disk_costs_the_checkpoint_only(ensemble, tmp_path):
    with pytest.warns(RuntimeWarning, match=r"could not be written"):
        keep(tmp_path / "nowhere" / "state", ensemble, "this")
