"""The meta-algorithm: Frank-Wolfe over policies, each step an agnostic boosting problem (Algorithm 4).

In each outer round the policy so far is run, with and without rewards; an inner booster finds an ensemble that agrees
with the better actions on the states that the policy visits; and the policy moves towards it. At the end rollouts
choose among the policies of all rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from ..basics.checks import check_between, check_count, check_positive
from ..basics.typing import Rng
from ..core.booster import Booster
from ..core.learners.base import WeakLearner
from ..core.recipes import algorithm1, algorithm2, ghai_singh_2024, labeled_only, pab
from ..core.sources import Pool
from ..core.tape import Tape
from ..rounds.boosting import boost
from .ledger import Ledger
from .policies import Mixture
from .sampling import Annotated, annotated, reward_free, value_estimate
from .simulators import RewardFree, Simulator, check_discount

INNER = ("algorithm2", "algorithm1", "labeled_only", "gs24", "pab")
LABELS = ("centred", "fractional", "sampled")
NEEDS_STATES = ("algorithm2", "algorithm1")  # reward-free episodes are run for these only


@dataclass(frozen=True)
class PolicyBooster:
    """How a policy is learned.

    Parameters
    ----------
    learner : WeakLearner
        Finds weak policies: stumps, trees, parities, any classifier.
    inner : {"algorithm2", "algorithm1", "labeled_only", "gs24", "pab"}
        The booster of an outer round. The first two learn from reward-free episodes too; the last two use each label
        once or let it fade.
    outer_rounds : int
    annotated, reward_free : int
        Episodes of an outer round, with one reward each and without any.
    inner_rounds, step, threshold
        The inner booster's rounds, its step (eta/gamma) and its threshold (tau).
    decay : float in (0, 1]
        GS24's sigma.
    outer_step : float or None
        None for 2/(t + 2) in outer round t = 0, 1, ..., of which the first replaces the coin; or the same step always,
        as in the theorem.
    labels : {"centred", "fractional", "sampled"}
        How rewards become labels: around the mean reward (beyond the paper: an expectation in proportion to the same
        advantage, with less noise), the paper's label by its mean, or the paper's label drawn by a coin.
    baseline : regressor, optional
        Predicts rewards from states, in place of the mean reward of "centred" labels: any scikit-learn regressor.
    held_out : float in [0, 1)
        The share of annotated episodes that chooses the inner iterate; 0 takes the last iterate.
    rollouts : int
        Episodes, one reward each, on which every policy of the run is judged at the end; 0 takes the last policy.
    judge_likelier : bool
        Whether rollouts take the likelier action of a policy instead of drawing: for policies that will be used so.
    reset : bool
        The reset model: training episodes start from nu instead of mu_0.
    """

    learner: WeakLearner
    inner: str = "algorithm2"
    outer_rounds: int = 12
    annotated: int = 300
    reward_free: int = 3000
    inner_rounds: int = 60
    step: float = 0.05
    threshold: float = 0.0
    decay: float = 0.25
    outer_step: float | None = None
    labels: str = "centred"
    baseline: Any = None
    held_out: float = 0.25
    rollouts: int = 0
    judge_likelier: bool = False
    reset: bool = False

    def __post_init__(self) -> None:
        for name in ("outer_rounds", "annotated", "reward_free", "inner_rounds"):
            check_count(getattr(self, name), name)
        check_count(self.rollouts, "rollouts", least=0)
        if self.rollouts == 1:
            raise ValueError("rollouts must be 0, or at least 2 for an error to be known. Got 1.")
        check_positive(self.step, "step")
        check_between(self.decay, 0.0, 1.0, "decay")
        check_between(self.threshold, 0.0, 1.0, "threshold", open_low=False, open_high=True)
        if self.baseline is not None and not (hasattr(self.baseline, "fit") and is_regressor(self.baseline)):
            raise ValueError(f"baseline must be a scikit-learn regressor. Got {self.baseline!r}.")
        check_between(self.held_out, 0.0, 1.0, "held_out", open_low=False, open_high=True)
        for name, known in (("inner", INNER), ("labels", LABELS)):
            if getattr(self, name) not in known:
                words = ", ".join(map(repr, known))
                raise ValueError(f"{name} must be one of {words}. Got {getattr(self, name)!r}.")
        if self.outer_step is not None:
            check_between(self.outer_step, 0.0, 1.0, "outer_step")

    def run(
        self,
        simulator: Simulator,
        rng: Rng | int,
        *,
        reward_free_simulator: Simulator | None = None,
        judge: Simulator | None = None,
        on_round: Callable[[Mixture, Ledger], None] = lambda policy, ledger: None,
    ) -> PolicyRun:
        """Learn a policy.

        Reward-free episodes are run on ``reward_free_simulator``, which may be one that knows no rewards; by default on
        the same simulator, with its rewards hidden. Rollouts are run on ``judge``, for example one of a larger beta,
        which sees further; by default on the same simulator. ``on_round`` is told of each policy.
        """
        other = simulator if reward_free_simulator is None else reward_free_simulator
        self._check(simulator, other)
        rng, ledger, hidden = np.random.default_rng(rng), Ledger(), RewardFree(other)
        policies, spent = [Mixture(n_features=simulator.n_features)], [ledger.copy()]
        for number in range(1, self.outer_rounds + 1):
            policy = policies[-1]
            seen = annotated(simulator, policy, self.annotated, rng, ledger, reset=self.reset)
            states = None
            if self.inner in NEEDS_STATES:
                states = Pool(reward_free(hidden, policy, self.reward_free, rng, ledger, reset=self.reset))
            step = 2.0 / (number + 1) if self.outer_step is None else self.outer_step
            policies.append(policy.towards(self._improved(seen, states, rng), step))
            spent.append(ledger.copy())
            on_round(policies[-1], ledger.copy())
        estimates = [
            value_estimate(judge or simulator, p.likelier if self.judge_likelier else p, self.rollouts, rng, ledger)
            for p in policies
            if self.rollouts
        ]
        best = int(np.argmax([value for value, _ in estimates])) if estimates else len(policies) - 1
        return PolicyRun(policies, best, estimates, spent, ledger)

    def _check(self, simulator: Simulator, hidden: Simulator) -> None:
        """Raise ValueError for what cannot work, before an episode is run."""
        check_discount(simulator.beta)
        for name in ("beta", "n_features"):
            ours, other = getattr(simulator, name), getattr(hidden, name)
            if ours != other:
                raise ValueError(f"reward_free_simulator must have the same {name}, {ours}. Got {other}.")
        self.learner.check(simulator.observe(simulator.start(1, np.random.default_rng(0), reset=self.reset)))

    def _improved(self, seen: Annotated, states: Pool | None, rng: Rng) -> Tape:
        """The ensemble that an inner booster makes of the episodes of a round."""
        kept = int(self.held_out * len(seen))
        train, chooser = seen.take(slice(kept, None)), seen.take(slice(0, kept))
        booster = self._booster(train, states, rng)
        rounds = self.inner_rounds if booster.max_rounds is None else min(self.inner_rounds, booster.max_rounds)
        run = boost(booster, self.learner, rounds=rounds, rng=rng)
        if kept < 2:
            return run.tape
        judge = chooser.labeled(chooser.centred(self.baseline, rng))
        return run.select(judge.X, judge.y, judge.mass).tape

    def _booster(self, train: Annotated, states: Pool | None, rng: Rng) -> Booster:
        if self.labels == "sampled":
            targets = train.sampled(rng)
        else:
            targets = train.centred(self.baseline, rng) if self.labels == "centred" else train.targets()
        rows = max(1, len(train) // self.inner_rounds)  # for those that need new labels in every round
        if self.inner == "pab":
            return pab(train.one_pass(targets), rows=rows, threshold=self.threshold)
        if self.inner == "gs24":
            return ghai_singh_2024(train.one_pass(targets), rows=rows, decay=self.decay, threshold=self.threshold)
        labeled = train.labeled(targets)
        if states is None:
            return labeled_only(labeled, step=self.step, threshold=self.threshold)
        recipe = algorithm2 if self.inner == "algorithm2" else algorithm1
        return recipe(labeled, states, step=self.step, threshold=self.threshold)


@dataclass(frozen=True)
class PolicyRun:
    """The policies pi_0 (a coin), pi_1, ..., and which of them was chosen.

    ``estimates`` has the value and its standard error for each, if there were rollouts; ``spent`` what had been spent
    when each was made, and ``ledger`` all that was spent.
    """

    policies: list[Mixture]
    chosen: int
    estimates: list[tuple[float, float]]
    spent: list[Ledger]
    ledger: Ledger

    @property
    def policy(self) -> Mixture:
        return self.policies[self.chosen]
