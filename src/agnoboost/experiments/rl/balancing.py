"""CartPole-v1, by linear weak policies."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import ExtraTreesRegressor

from ...learners import LinearLearner
from ...rl import GymSimulator, PolicyBooster, evaluate_policy

ENV = "CartPole-v1"
BETA = 0.9
EPISODES, OUTER_ROUNDS = 9600, 8
# Small outer steps keep the coin in the mixture, which sees states that a poor policy would not; a linear policy is
# found in a few inner rounds, and nothing needs to be held out for choosing among those. Whether the pole will stand
# depends on the state far more than on one action, which is what a baseline by state takes out.
SETTINGS: dict[str, Any] = {
    "learner": LinearLearner(offset=False),
    "outer_rounds": OUTER_ROUNDS,
    "outer_step": 0.1,
    "inner_rounds": 10,
    "step": 0.02,
    "held_out": 0.0,
    "baseline": ExtraTreesRegressor(40, min_samples_leaf=10),
    "reward_free": 2000,
}
METHODS = {"Algorithm 2": "algorithm2", "labeled-only": "labeled_only", "GS24": "gs24", "PAB": "pab"}
EVALUATED = 100


def returns(seed: int, episodes: int = EPISODES) -> dict[str, Any]:
    """Mean returns of policies by the likelier action and drawn from the mixture, and what Algorithm 2 spent."""
    simulator = GymSimulator(ENV, beta=BETA)
    found: dict[str, Any] = {"likelier": {}, "drawn": {}}
    for name, inner in METHODS.items():
        booster = PolicyBooster(inner=inner, annotated=episodes // OUTER_ROUNDS, **SETTINGS)
        run = booster.run(simulator, seed)
        for kind, deterministic in (("likelier", True), ("drawn", False)):
            judged = evaluate_policy(run.policy, ENV, episodes=EVALUATED, seed=seed, deterministic=deterministic)
            found[kind][name] = judged.mean
        if name == "Algorithm 2":
            found["spent"] = vars(run.ledger)
    simulator.close()
    return found
