"""The meta-algorithm: Frank-Wolfe over policies, each step an agnostic boosting problem (Algorithm 4).

In each outer round the policy so far is run, with and without rewards; an inner booster finds an ensemble that agrees
with the better actions on the states that the policy visits; and the policy moves towards it. At the end rollouts
choose among the policies of all rounds (the paper's post-selection).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import is_regressor

from ..basics.checks import check_between, check_count, check_gamma, check_positive
from ..basics.typing import Floats, Matrix, Rng
from ..core.booster import Booster
from ..core.earlier_recipes import ghai_singh_2024, pab
from ..core.learners.base import WeakLearner
from ..core.recipes import algorithm1, algorithm2, labeled_only
from ..core.tape import Tape
from ..planner.plan import RLPlan
from ..rounds.boosting import boost
from .ledger import Ledger
from .policies import Mixture
from .sampling import Annotated, annotated, one_pass_states, reward_free, states_pool, value_estimate
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
        How many policies are made, one after the other.
    annotated, reward_free : int
        Episodes of an outer round, with one reward each and without any.
    inner_rounds : int
        Algorithm 2 gets a share ``reward_free // inner_rounds`` of new states in each of them, and the old ones again;
        Algorithm 1 gets all states of the outer round in every one.
    step, gamma, threshold
        The inner booster's step (eta/gamma), the weak learner's edge (case-B steps have size gamma * step = eta), and
        the threshold (tau); PAB has none of them, GS24 the threshold only.
    decay : float in (0, 1], optional
        sigma, the share of what is new in each inner round of Algorithm 2 and GS24; None for ``step`` in the one and
        .25 in the other.
    tolerance : float in [0, 1)
        How much mass of old rows the two may forget; 0 for none.
    outer_step : float or None
        None for min(1, 2 * mismatch/(t + 2)) in outer round t = 0, 1, ..., of which the first replaces the coin; or the
        same step always.
    mismatch : float >= 1
        C_inf, or a guess of it: how much more often the best policy may be in a state than a policy of the run. The
        larger it is, the longer the steps must stay long.
    labels : {"centred", "fractional", "sampled"}
        How rewards become labels: around the mean reward (beyond the paper: an expectation in proportion to the same
        advantage, with less noise), the paper's label by its mean, or the paper's label drawn by a coin.
    baseline : regressor, optional
        Predicts rewards from states, in place of the mean reward of "centred" labels: any scikit-learn regressor.
    held_out : float in [0, 1), or int
        The share, or the number, of annotated episodes that choose the inner iterate; 0 takes the last iterate.
    rollouts : int
        Episodes, one reward each, on which every policy of the run is judged at the end, to take the best: Algorithm
        4's post-selection. 0 leaves it out, and takes the last policy.
    judge_likelier : bool
        Whether rollouts take the likelier action of a policy instead of drawing: for policies that will be used so.
    reset : bool
        The reset model: training episodes start from nu instead of mu_0.
    beta : float, optional
        The discount that these settings were planned for: simulators with another one are refused.
    """

    learner: WeakLearner
    inner: str = "algorithm2"
    outer_rounds: int = 12
    annotated: int = 300
    reward_free: int = 3000
    inner_rounds: int = 60
    step: float = 0.05
    gamma: float = 1.0
    threshold: float = 0.0
    decay: float | None = None
    tolerance: float = 1e-3
    outer_step: float | None = None
    mismatch: float = 1.0
    labels: str = "centred"
    baseline: Any = None
    held_out: float = 0.25
    rollouts: int = 200
    judge_likelier: bool = False
    reset: bool = False
    beta: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.learner, WeakLearner):
            raise ValueError(f"learner must be a weak learner, for example StumpLearner(). Got {self.learner!r}.")
        for name in ("outer_rounds", "annotated", "reward_free", "inner_rounds"):
            check_count(getattr(self, name), name)
        check_count(self.rollouts, "rollouts", least=0)
        if self.rollouts == 1:
            raise ValueError("rollouts must be 0, or at least 2 for an error to be known. Got 1.")
        check_positive(self.step, "step")
        check_gamma(self.gamma)
        if self.decay is not None:
            check_between(self.decay, 0.0, 1.0, "decay")
        check_between(self.tolerance, 0.0, 1.0, "tolerance", open_low=False, open_high=True)
        check_between(self.threshold, 0.0, 1.0, "threshold", open_low=False, open_high=True)
        if self.baseline is not None and not (hasattr(self.baseline, "fit") and is_regressor(self.baseline)):
            raise ValueError(f"baseline must be a scikit-learn regressor. Got {self.baseline!r}.")
        most = self.annotated if isinstance(self.held_out, int) else 1.0
        check_between(self.held_out, 0.0, most, "held_out", open_low=False, open_high=True)
        for name, known in (("inner", INNER), ("labels", LABELS)):
            if getattr(self, name) not in known:
                words = ", ".join(map(repr, known))
                raise ValueError(f"{name} must be one of {words}. Got {getattr(self, name)!r}.")
        if self.outer_step is not None:
            check_between(self.outer_step, 0.0, 1.0, "outer_step")
        check_between(self.mismatch, 1.0, float("inf"), "mismatch", open_low=False, open_high=True)
        if self.inner == "algorithm2" and self.reward_free < self.inner_rounds:
            raise ValueError(
                "Algorithm 2 needs new states in every inner round: reward_free must be at least inner_rounds, "
                f"{self.inner_rounds:,}. Got {self.reward_free:,}. Run more reward-free episodes or fewer inner rounds."
            )

    @classmethod
    def from_plan(cls, plan: RLPlan, learner: WeakLearner, **changes: Any) -> Self:
        """The booster that ``agnoboost.plan("rl", ...)`` describes: it spends what the plan says, and not more.

        ``changes`` are other settings of a booster; whether the guarantee still holds with them is for the caller to
        know. (``tolerance=0`` is always within it.)
        """
        if not isinstance(plan, RLPlan):
            raise ValueError(f"plan must be an RLPlan: agnoboost.plan('rl', ...). Got {type(plan).__name__}.")
        return cls(learner, **{**plan.settings(), **changes})

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
                states = reward_free(hidden, policy, self.reward_free, rng, ledger, reset=self.reset)
            policies.append(policy.towards(self._improved(seen, states, rng), self._outer_step(number)))
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
        if self.beta not in (None, simulator.beta):
            raise ValueError(f"These settings were planned for beta={self.beta:g}. Got beta={simulator.beta:g}.")
        for name in ("beta", "n_features"):
            ours, other = getattr(simulator, name), getattr(hidden, name)
            if ours != other:
                raise ValueError(f"reward_free_simulator must have the same {name}, {ours}. Got {other}.")
        self.learner.check(simulator.observe(simulator.start(1, np.random.default_rng(0), reset=self.reset)))

    def _improved(self, seen: Annotated, states: Matrix | None, rng: Rng) -> Tape:
        """The ensemble that an inner booster makes of the episodes of a round."""
        kept = self._set_aside(len(seen))
        train, chooser = seen.take(slice(kept, None)), seen.take(slice(0, kept))
        booster = self._booster(train, states, rng)
        rounds = self.inner_rounds if booster.max_rounds is None else min(self.inner_rounds, booster.max_rounds)
        run = boost(booster, self.learner, rounds=rounds, rng=rng)
        if kept < 2:
            return run.tape
        judge = chooser.labeled(self._targets(chooser, rng))
        return run.select(judge.X, judge.y, judge.mass).tape

    def _outer_step(self, number: int) -> float:
        """How far outer round 1, 2, ... moves.

        A step s takes the share s/mismatch off what is lacking, and adds at most a multiple of s^2: 2 * mismatch/number
        brings both down at the best rate.
        """
        return min(1.0, 2.0 * self.mismatch / (number + 1)) if self.outer_step is None else self.outer_step

    def _set_aside(self, episodes: int) -> int:
        """How many of the episodes choose the iterate; of fewer than were asked for, in proportion."""
        if isinstance(self.held_out, int):
            return self.held_out * episodes // self.annotated
        return int(self.held_out * episodes)

    def _targets(self, seen: Annotated, rng: Rng) -> Floats:
        if self.labels == "sampled":
            return seen.sampled(rng)
        return seen.centred(self.baseline, rng) if self.labels == "centred" else seen.targets()

    def _booster(self, train: Annotated, states: Matrix | None, rng: Rng) -> Booster:
        targets = self._targets(train, rng)
        rows = max(1, len(train) // self.inner_rounds)  # for those that need new labels in every round
        if self.inner == "pab":
            return pab(train.one_pass(targets), rows=rows)
        reuse: dict[str, Any] = {"tolerance": self.tolerance}
        if self.decay is not None:  # else the recipe's own
            reuse["decay"] = self.decay
        if self.inner == "gs24":
            return ghai_singh_2024(train.one_pass(targets), rows=rows, threshold=self.threshold, **reuse)
        labeled = train.labeled(targets)
        settings: dict[str, Any] = {"step": self.step, "gamma": self.gamma, "threshold": self.threshold}
        if states is None:
            return labeled_only(labeled, **settings)
        if self.inner == "algorithm1":
            return algorithm1(labeled, states_pool(states), **settings)
        share = max(1, len(states) // self.inner_rounds)
        return algorithm2(labeled, one_pass_states(states), rows_unlabeled=share, **settings, **reuse)


@dataclass(frozen=True)
class PolicyRun:
    """The policies pi_0 (a coin), pi_1, ..., and which of them was chosen.

    Attributes
    ----------
    policies : list of Mixture
        All of them, in order.
    chosen : int
        The number of the one that was taken.
    estimates : list of (float, float)
        The value of each and its standard error, if there were rollouts.
    spent : list of Ledger
        What had been spent when each was made.
    ledger : Ledger
        All that was spent.
    """

    policies: list[Mixture]
    chosen: int
    estimates: list[tuple[float, float]]
    spent: list[Ledger]
    ledger: Ledger

    @property
    def policy(self) -> Mixture:
        """The one that was chosen."""
        return self.policies[self.chosen]

    def __str__(self) -> str:
        """Which policy was chosen, by what, and the costs."""
        why = "the last: there were no rollouts to choose by"
        if self.estimates:
            value, error = self.estimates[self.chosen]
            why = f"the best by rollouts, value {value:.4g} +- {error:.2g}"
        return f"policy {self.chosen} of 0 to {len(self.policies) - 1} ({why}); {self.ledger}"
