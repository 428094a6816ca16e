"""CartPole-v1, by linear weak policies."""

from __future__ import annotations

from typing import Any

from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from agnoboost.core.learners import LinearLearner
from agnoboost.rl import GymSimulator, PolicyBooster, evaluate_policy

ENV = "CartPole-v1"
BETA, BETA_JUDGE = 0.93, 0.99  # for learning, and for choosing among the policies of a run
OUTER_ROUNDS, ANNOTATED, ROLLOUTS = 6, 1500, 100
EPISODES = OUTER_ROUNDS * ANNOTATED + (OUTER_ROUNDS + 1) * ROLLOUTS
# Small outer steps keep the coin in the mixture, which sees states that a poor policy would not. Whether the pole will
# stand depends on the state far more than on one action, which is what a baseline by state takes out; what is left of
# the signal is small, and so are the steps.
SETTINGS: dict[str, Any] = {
    "learner": LinearLearner(ridge=0.3, offset=False),
    "outer_rounds": OUTER_ROUNDS,
    "outer_step": 0.2,
    "inner_rounds": 10,
    "step": 0.002,
    "held_out": 0.0,
    "baseline": make_pipeline(StandardScaler(), PolynomialFeatures(2), Ridge(1.0)),
    "reward_free": 2000,
    "rollouts": ROLLOUTS,
    "judge_likelier": True,
}
METHODS = {"Algorithm 2": "algorithm2", "labeled-only": "labeled_only", "GS24": "gs24", "PAB": "pab"}
EVALUATED = 100


def returns(seed: int, annotated: int = ANNOTATED) -> dict[str, Any]:
    """Mean returns of policies by the likelier action and drawn from the mixture, and what Algorithm 2 spent."""
    simulator, judge = GymSimulator(ENV, beta=BETA), GymSimulator(ENV, beta=BETA_JUDGE)
    found: dict[str, Any] = {"likelier": {}, "drawn": {}}
    for name, inner in METHODS.items():
        run = PolicyBooster(inner=inner, annotated=annotated, **SETTINGS).run(simulator, seed, judge=judge)
        for kind, deterministic in (("likelier", True), ("drawn", False)):
            judged = evaluate_policy(run.policy, ENV, episodes=EVALUATED, seed=seed, deterministic=deterministic)
            found[kind][name] = judged.mean
        if name == "Algorithm 2":
            found["spent"] = vars(run.ledger)
    simulator.close()
    judge.close()
    return found
