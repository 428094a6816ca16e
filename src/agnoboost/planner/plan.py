"""What a theorem prescribes, frozen."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from math import sqrt
from textwrap import fill
from typing import Any

LINE = 79  # characters, so that a plan in print fits a terminal


@dataclass(frozen=True, slots=True)
class ProofConstant:
    """A number that entered a plan, and where it is from.

    Attributes
    ----------
    name : str
        Its symbol.
    value : float
        The number.
    origin : str
        The paper's "proof", or "ours".
    meaning : str
        What it does.
    """

    name: str
    value: float
    origin: str
    meaning: str


@dataclass(frozen=True)
class Plan:
    """Settings under which a theorem guarantees its result, in the paper's symbols.

    Attributes
    ----------
    theorem, recipe : str
        Which theorem it is, and the name of its algorithm in :data:`agnoboost.core.RECIPES`.
    epsilon, delta : float
        The excess in correlation, and the probability of failing, that were asked for.
    gamma, epsilon0 : float
        The weak learner's edge, rounded down to one over a whole number, and its additive error.
    shift : float
        C_X, 1 where there is no shift.
    eta : float
        Size of a case-B step; case A moves by eta/gamma.
    T : int
        Rounds, each a call to the weak learner.
    tau : float
        Edge at or below which case B is taken.
    S, S0 : int
        Labeled rows to train on, and to select the iterate with.
    U : int
        Unlabeled rows a round.
    m : int
        Rows drawn from a round's batch if labels are sampled (``bernoulli(m)``); fractional relabeling needs none.
    sigma : float or None
        Share of new rows in the reused pool (Algorithm 2).
    tolerance : float or None
        How much mass the pool may forget; the guarantee counts it.
    guarantee : float
        With probability at least 1 - delta, the correlation of the result is within this of the best hypothesis.
        It counts the weak learner's error epsilon0; the probability counts the weak learner's failures.
    proof_epsilon : float
        The epsilon of the proof, before the final rescaling.
    constants : tuple of ProofConstant
        Every constant that was used, with its origin.
    """

    theorem: str
    recipe: str
    epsilon: float
    delta: float
    gamma: float
    epsilon0: float
    shift: float
    eta: float
    T: int
    tau: float
    S: int
    U: int
    S0: int
    m: int
    sigma: float | None
    tolerance: float | None
    guarantee: float
    proof_epsilon: float
    constants: tuple[ProofConstant, ...]

    @property
    def total_labeled(self) -> int:
        return self.S + self.S0

    @property
    def total_unlabeled(self) -> int:
        return self.T * self.U

    @property
    def oracle_calls(self) -> int:
        return self.T

    def settings(self) -> dict[str, Any]:
        """Keyword arguments for the recipe: ``algorithm1(labeled, unlabeled, **plan.settings())``."""
        settings: dict[str, Any] = {
            "step": self.eta / self.gamma,
            "gamma": self.gamma,
            "threshold": self.tau,
            "rows_labeled": self.S,
            "rows_unlabeled": self.U,
        }
        if self.recipe == "algorithm3":
            settings["shift"] = self.shift
        if self.sigma is not None:
            settings |= {"decay": self.sigma, "tolerance": self.tolerance}
        return settings

    def __str__(self) -> str:
        figures = [
            ("eta (step that shrinks)", f"{self.eta:.6g}"),
            ("eta/gamma (step that adds)", f"{self.eta / self.gamma:.6g}"),
            ("T (rounds, oracle calls)", count(self.T)),
            ("tau (threshold)", f"{self.tau:.6g}"),
            ("S (labeled, training)", count(self.S)),
            ("S0 (labeled, selection)", count(self.S0)),
            ("U (unlabeled a round)", count(self.U)),
            ("m (draws a round, if sampled)", count(self.m)),
            *([("sigma (share of new rows)", f"{self.sigma:.6g}")] if self.sigma is not None else []),
            ("labeled rows in all", count(self.total_labeled)),
            ("unlabeled rows in all", count(self.total_unlabeled)),
            ("guaranteed excess", f"{self.guarantee:.6g} with probability {1 - self.delta:g}"),
        ]
        return page(f"{self.theorem}: {self.recipe}", figures, self.constants)


@dataclass(frozen=True)
class RLPlan:
    """The reinforcement-learning theorem: an outer loop, each round of which is a run of Algorithm 2.

    ``annotated_episodes`` need rewards (labels of the inner runs, and ``rollouts`` a policy to choose the best one);
    ``reward_free_episodes`` do not. ``guarantee`` is the theorem's bound, with the policy-completeness term left open;
    ``bound`` fills it in. ``PolicyBooster.from_plan`` of :mod:`agnoboost.rl` runs a plan.

    Attributes
    ----------
    access : str
        "episodic" or "nu-reset".
    epsilon, delta : float
        What was asked for: how far below the best policy, but for completeness, and the probability of failing.
    beta : float
        The discount factor.
    mismatch : float
        C_inf, or D_inf with resets.
    inner : Plan
        Of an outer round.
    outer_rounds : int
        How many there are.
    rollouts : int
        Episodes for each policy in the end, to choose the best one.
    constants : tuple of ProofConstant
        Every constant that was used, with its origin.
    """

    access: str
    epsilon: float
    delta: float
    beta: float
    mismatch: float
    inner: Plan
    outer_rounds: int
    rollouts: int
    constants: tuple[ProofConstant, ...]

    @property
    def completeness_factor(self) -> float:
        """What the completeness is multiplied by: C_inf/(1 - beta), or D_inf/(1 - beta)^2 with resets."""
        return float(self.mismatch / (1.0 - self.beta) ** (1 if self.access == "episodic" else 2))

    @property
    def guarantee(self) -> str:
        term = "E" if self.access == "episodic" else "E_nu"
        return f"V* - V <= {self.completeness_factor:g} * {term} + {self.epsilon:g}"

    def bound(self, completeness: float) -> float:
        """The most that V* - V can be, but with probability delta, in a world of this completeness."""
        return self.completeness_factor * completeness + self.epsilon

    def settings(self) -> dict[str, Any]:
        """Keyword arguments for ``agnoboost.rl.PolicyBooster``."""
        inner = self.inner
        own: dict[str, Any] = {"mismatch": self.mismatch}
        if self.access == "nu-reset":
            # From there only the mean gap over all rounds is bounded: (range of V)/(s T) + smoothness * s/2, with the
            # range 1/(1 - beta) and the smoothness of the order (1 - beta)^-3, is least for this s.
            own = {"outer_step": min(1.0, (1.0 - self.beta) * sqrt(2.0 / self.outer_rounds)), "reset": True}
        return {
            **own,
            "inner": inner.recipe,
            "outer_rounds": self.outer_rounds,
            "annotated": inner.total_labeled,
            "held_out": inner.S0,
            "reward_free": inner.total_unlabeled,
            "inner_rounds": inner.T,
            "step": inner.eta / inner.gamma,
            "gamma": inner.gamma,
            "threshold": inner.tau,
            "decay": inner.sigma,
            "tolerance": inner.tolerance,
            "labels": "fractional",
            "rollouts": self.rollouts,
            "beta": self.beta,
        }

    @property
    def annotated_episodes(self) -> int:
        return self.outer_rounds * self.inner.total_labeled + (self.outer_rounds + 1) * self.rollouts

    @property
    def reward_free_episodes(self) -> int:
        return self.outer_rounds * self.inner.total_unlabeled

    @property
    def oracle_calls(self) -> int:
        return self.outer_rounds * self.inner.T

    def __str__(self) -> str:
        figures = [
            ("outer rounds", count(self.outer_rounds)),
            ("rollouts a policy for selection", count(self.rollouts)),
            ("episodes with rewards", count(self.annotated_episodes)),
            ("episodes without rewards", count(self.reward_free_episodes)),
            ("oracle calls", count(self.oracle_calls)),
            ("guarantee", f"{self.guarantee} with probability {1 - self.delta:g}"),
        ]
        head = f"reinforcement learning, {self.access} access"
        return page(head, figures, self.constants) + f"\n\ninner run: {self.inner}"


def count(number: int) -> str:
    """A number of rows or rounds in print.

    >>> count(12345), count(10**20)
    ('12,345', '1.000e+20')
    """
    return f"{number:,}" if number < 10**15 else f"{Decimal(number):.3e}"


def page(head: str, figures: list[tuple[str, str]], constants: tuple[ProofConstant, ...]) -> str:
    """A plan in print."""
    width = max(len(name) for name, _ in figures)
    table = [f"  {name:<{width}}  {value}" for name, value in figures]
    texts = [f"[{c.origin}] {c.name} = {c.value:g}: {c.meaning}" for c in constants]
    explained = [fill(text, LINE, initial_indent="  ", subsequent_indent="      ") for text in texts]
    return "\n".join([head, *table, "", "constants:", *explained])
