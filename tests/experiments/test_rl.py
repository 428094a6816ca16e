"""The study of policies: Q-learning, settings in hindsight, the page."""

import json
from itertools import product

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from agnoboost import ParityLearner
from agnoboost.rl import WORLDS, PolicyBooster, TabularSimulator
from agnoboost_experiments.rl import EXPERIMENT, balancing, methods
from agnoboost_experiments.rl.q_learning import q_learning


@pytest.mark.parametrize("world", WORLDS)
def test_q_learning_finds_the_best_policy_of_small_worlds(world):
    mdp = WORLDS[world]()
    assert mdp.gap(q_learning(mdp, 5000, np.random.default_rng(0))) < 0.1
    if world in ("bits", "garnet"):  # a few rewards are not enough
        assert mdp.gap(q_learning(mdp, 5, np.random.default_rng(0))) > 0.5


def test_every_method_has_its_settings():
    counts = {name: len(list(methods.settings_of(name))) for name in methods.METHODS}
    assert counts["Algorithm 2"] == counts["labeled-only"] == 3
    assert counts["GS24"] == 27
    assert counts["PAB"] == 9
    assert {s["labels"] for s in methods.settings_of("GS24, the paper's labels")} == {"sampled"}


def test_rollouts_are_paid_from_the_budget():
    for method, episodes, outer in product(methods.METHODS, (60, 1080, 3600), methods.OUTER_ROUNDS):
        annotated, rollouts = methods.budget(method, episodes, outer)
        assert episodes - outer < outer * annotated + (outer + 1) * rollouts <= episodes
        assert (rollouts >= 2) == (method == methods.POST_SELECTED)
    assert methods.REWARD_FREE % PolicyBooster(ParityLearner(2)).inner_rounds == 0


def test_all_methods_are_measured_on_the_same_episodes(monkeypatch):
    monkeypatch.setattr(methods, "OUTER_ROUNDS", (1,))
    monkeypatch.setattr(methods, "REWARD_FREE", 600)
    monkeypatch.setattr(methods, "INNER_ROUNDS", (5,))
    monkeypatch.setattr(methods, "DECAYS", (0.5,))
    found = methods.gaps("bits", 400, np.random.default_rng(0))
    assert list(found["gaps"]) == [*methods.METHODS, methods.Q_LEARNING]
    assert found["gaps"]["GS24"].keys() == {"outer 1, inner 5, sigma 0.5"}
    assert all(0 <= gap < 1.5 for own in found["gaps"].values() for gap in own.values())
    again = methods.gaps("bits", 400, np.random.default_rng(0))
    assert again == found


def pretend(task):
    """Made-up results: GS24's second setting is the better one."""
    if task["world"] == balancing.ENV:
        each = dict.fromkeys(balancing.METHODS, 100.0 + task["number"])
        return {"likelier": each, "drawn": each, "spent": {"reward_queries": 5, "steps": 9}}
    gap = 1000 / task["episodes"] + task["number"] / 100
    gaps = {name: {"outer 1": gap} for name in [*methods.METHODS, methods.Q_LEARNING]}
    gaps["GS24"] = {"outer 1": gap + 0.3 + task["number"] / 50, "outer 2": gap + 0.2}
    return {"gaps": gaps, "mismatch": 2.0 + task["number"]}


def test_the_summary_takes_the_best_setting_of_each_method():
    pytest.importorskip("gymnasium")  # a study is not made without what it needs
    made = EXPERIMENT.study(seeds=3, episodes=(1080, 3600), worlds=("bits", "garnet"))
    summary = EXPERIMENT.design.summarise(made, [pretend(task) for task in made.tasks])
    json.dumps(summary, allow_nan=False)
    assert [(cell["world"], cell["episodes"]) for cell in summary["cells"]] == [
        ("bits", 1080), ("bits", 3600), ("garnet", 1080), ("garnet", 3600),
    ]  # fmt: skip
    assert summary["cells"][0]["gap"]["GS24"]["setting"] == "outer 2"
    assert summary["claims"]["1080"]["minus GS24"]["mean"] == pytest.approx(-0.2)
    assert summary["claims"]["1080"]["minus labeled-only"]["mean"] == 0.0
    assert summary["worlds"]["bits"]["mismatch"] == 4.0
    assert summary["worlds"]["bits"]["signal"] == pytest.approx(0.24)
    assert summary["pole"]["medians"]["drawn"]["PAB"] == 101.0
    page = EXPERIMENT.page.markdown(summary)
    assert "(outer 2)" in page
    assert "reward queries 5, steps 9" in page


def test_fewer_rewards_are_needed_than_by_gs24():
    """The claim of the page, in one outer round, which suits both best; GS24 with one sigma only."""
    mdp = WORLDS["bits"]()
    found = {"algorithm2": [], "gs24": []}
    with threadpool_limits(1):
        for seed, inner in product(range(8), found):
            booster = PolicyBooster(
                ParityLearner(2), inner, outer_rounds=1, annotated=1080, inner_rounds=20, rollouts=0
            )
            policy = booster.run(TabularSimulator(mdp), seed).policy
            found[inner].append(mdp.gap(policy.chance(mdp.features)))
    assert np.mean(found["algorithm2"]) < np.mean(found["gs24"]) - 0.1
