"""Inner boosters and their settings, on worlds that are known exactly."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from agnoboost.basics.typing import Rng
from agnoboost.core.learners import ParityLearner, StumpLearner, TreeLearner, WeakLearner
from agnoboost.rl import WORLDS, PolicyBooster, TabularSimulator

from .q_learning import q_learning

LEARNERS: dict[str, WeakLearner] = {
    "bits": ParityLearner(2),
    "maintenance": StumpLearner(),
    "chain": StumpLearner(),
    "garnet": TreeLearner(3),
}
OUTER_ROUNDS = (1, 2, 4)
INNER_ROUNDS, DECAYS = (5, 20, 60), (0.1, 0.25, 0.5)  # for those that need new labels in every inner round
# Episodes of an outer round, a whole share for each of 60 inner rounds. Tried out with Algorithm 2 and other seeds:
# with a tenth of them the noise of new states is larger than that of the labels.
REWARD_FREE = 30_000
JUDGING = 0.2  # the share of a budget that goes into rollouts where policies are post-selected
UNBOUNDED = 1e9  # stands for a mismatch without bound: JSON has no infinity

Q_LEARNING, POST_SELECTED = "Q-learning", "Algorithm 2, post-selection"
METHODS = {
    "Algorithm 2": {"inner": "algorithm2"},
    "Algorithm 1": {"inner": "algorithm1"},
    "labeled-only": {"inner": "labeled_only"},
    "GS24": {"inner": "gs24"},
    "PAB": {"inner": "pab"},
    POST_SELECTED: {"inner": "algorithm2"},
    "Algorithm 2, the paper's labels": {"inner": "algorithm2", "labels": "sampled"},
    "GS24, the paper's labels": {"inner": "gs24", "labels": "sampled"},
}


def settings_of(method: str) -> Iterator[dict[str, Any]]:
    """All settings of a method that are tried; Algorithms 1, 2 and labeled-only boosting have one inner setting."""
    fixed = METHODS[method]
    for outer in OUTER_ROUNDS:
        if fixed["inner"] == "gs24":
            for rounds, decay in product(INNER_ROUNDS, DECAYS):
                yield {**fixed, "outer_rounds": outer, "inner_rounds": rounds, "decay": decay}
        elif fixed["inner"] == "pab":
            for rounds in INNER_ROUNDS:
                yield {**fixed, "outer_rounds": outer, "inner_rounds": rounds}
        else:
            yield {**fixed, "outer_rounds": outer}


def budget(method: str, episodes: int, outer: int) -> tuple[int, int]:
    """Annotated episodes of an outer round, and rollouts of a policy, which together cost no more than ``episodes``.

    All rewards go into learning, and the last policy is taken: where to stop, the number of outer rounds, is chosen in
    hindsight for every method alike, and inner boosters are what is compared. One method shows what Algorithm 4's own
    post-selection, which chooses in every run, makes of the same budget.
    """
    rollouts = max(2, int(JUDGING * episodes) // (outer + 1)) if method == POST_SELECTED else 0
    return (episodes - (outer + 1) * rollouts) // outer, rollouts


def gaps(world: str, episodes: int, rng: Rng) -> dict[str, Any]:
    """The gap that each method leaves with each of its settings, and the largest mismatch of Algorithm 2's policies."""
    mdp = WORLDS[world]()
    simulator, seed = TabularSimulator(mdp), int(rng.integers(2**31))
    found: dict[str, dict[str, float]] = {}
    worst = mdp.mismatch()
    for method in METHODS:
        found[method] = {}
        for setting in settings_of(method):
            each, rollouts = budget(method, episodes, setting["outer_rounds"])
            booster = PolicyBooster(
                LEARNERS[world], annotated=each, reward_free=REWARD_FREE, rollouts=rollouts, **setting
            )
            run = booster.run(simulator, seed)
            found[method][_name(setting)] = mdp.gap(run.policy.chance(mdp.features))
            if method == "Algorithm 2":
                worst = max(worst, *(mdp.mismatch(policy.chance(mdp.features)) for policy in run.policies))
    found[Q_LEARNING] = {"": mdp.gap(q_learning(mdp, episodes, rng))}
    return {"gaps": found, "mismatch": min(worst, UNBOUNDED)}


def _name(setting: dict[str, Any]) -> str:
    words = {"outer_rounds": "outer", "inner_rounds": "inner", "decay": "sigma"}
    return ", ".join(f"{word} {setting[key]:g}" for key, word in words.items() if key in setting)
