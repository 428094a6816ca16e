"""Policies are saved without pickle, and come back the same."""

import json
import zipfile

import numpy as np
import pytest

import agnoboost
from agnoboost import LinearLearner, ModelFileError, ParityLearner, StumpLearner, TreeLearner
from agnoboost.rl import Mixture, PolicyBooster, TabularSimulator
from agnoboost.rl.worlds import bits, maintenance


@pytest.mark.parametrize("learner", [ParityLearner(2), StumpLearner(), TreeLearner(2), LinearLearner()])
def test_policies_come_back(learner, tmp_path):
    mdp = bits()
    booster = PolicyBooster(learner, outer_rounds=3, annotated=200, reward_free=200, inner_rounds=8)
    policy = booster.run(TabularSimulator(mdp), 0).policy
    policy.save(tmp_path / "policy.agno")
    again = agnoboost.load(tmp_path / "policy.agno")
    assert again == policy
    np.testing.assert_array_equal(again.chance(mdp.features), policy.chance(mdp.features))


def test_a_coin_comes_back(tmp_path):
    Mixture().save(tmp_path / "coin.agno")
    assert agnoboost.load(tmp_path / "coin.agno") == Mixture()


def test_policies_know_what_they_look_at(tmp_path):
    policy = PolicyBooster(LinearLearner(), outer_rounds=1, annotated=50, reward_free=50, inner_rounds=2).run(
        TabularSimulator(maintenance()), 0
    ).policy  # fmt: skip
    with pytest.raises(ValueError, match=r"looks at 2 numbers a row. Got 3"):
        policy.act(np.zeros((1, 3)))
    with pytest.raises(ValueError, match=r"knows what it looks at"):
        Mixture(policy.tapes, policy.weights).save(tmp_path / "policy.agno")


@pytest.mark.parametrize("change", [{"weights": [2.0]}, {"weights": []}, {"units": "x"}, {"n_features": 5}])
def test_numbers_that_make_no_sense_are_refused(change, tmp_path):
    from agnoboost.files.container import read, write

    path = tmp_path / "policy.agno"
    booster = PolicyBooster(LinearLearner(), outer_rounds=1, annotated=50, reward_free=50, inner_rounds=2)
    booster.run(TabularSimulator(maintenance()), 0).policy.save(path)
    facts, arrays = read(path)
    write(path, {**facts, **change}, arrays)
    with pytest.raises(ModelFileError):
        agnoboost.load(path)


def test_only_json_and_arrays_are_inside(tmp_path):
    booster = PolicyBooster(StumpLearner(), outer_rounds=1, annotated=50, reward_free=50, inner_rounds=2)
    booster.run(TabularSimulator(maintenance()), 0).policy.save(tmp_path / "policy.agno")
    with zipfile.ZipFile(tmp_path / "policy.agno") as archive:
        assert {name.rpartition(".")[2] for name in archive.namelist()} == {"json", "npy"}
        assert json.loads(archive.read("model.json"))["kind"] == "Mixture"
