"""The theorems' parameter settings. Constants that the paper leaves open are named as ours.

All plans share the failure probability out in equal parts over the five events of the proofs: the labeled sample, the
unlabeled samples, the draws of m rows, the selection, and the weak learner's calls.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log, sqrt

from ..basics.checks import check_between, check_gamma
from ..core.rules import inverse_gamma
from .bounds import BaseClass, FiniteClass, hoeffding, whole
from .plan import Plan, ProofConstant, RLPlan

EVENTS = 5


@dataclass(frozen=True)
class Request:
    """What the user asked for, checked."""

    epsilon: float
    delta: float
    gamma: float  # one over a whole number
    base: BaseClass
    epsilon0: float
    shift: float
    constant: float

    @property
    def failure(self) -> float:
        """The share of delta that one of the five events gets."""
        return self.delta / EVENTS

    def log_size(self, theorem: str) -> float:
        if not isinstance(self.base, FiniteClass):
            raise ValueError(
                f"{theorem} is stated for finite base classes: log_size is needed. Got vc only. Pass log_size = log of "
                "the number of different hypotheses on your rows: for VC dimension d and n rows at most d*log(e*n/d)."
            )
        return self.base.log_size

    def draws(self, accuracy: float, rounds: int) -> int:
        """m: rows that fix the edge to this accuracy in all rounds, and what the weak learner needs itself."""
        # The hypothesis is chosen on the very rows that measure its edge, so the bound must hold for the whole class.
        edge = self.base.samples(accuracy, self.failure / rounds)
        return edge + (self.base.samples(self.epsilon0 / 2, self.failure / rounds) if self.epsilon0 else 0)

    def constants(self, *more: ProofConstant) -> tuple[ProofConstant, ...]:
        shared = "delta is shared equally by five events, the weak learner's included"
        if isinstance(self.base, FiniteClass):
            convergence, meaning = sqrt(2), "Hoeffding and a union bound over B"
        else:
            convergence = self.constant
            meaning = "ASSUMED: Talagrand's universal constant C, which the paper does not give"
        return (
            ProofConstant("events", EVENTS, "ours", shared),
            ProofConstant("1/gamma", 1 / self.gamma, "ours", "rounded up to a whole number, so that margins are exact"),
            ProofConstant("uniform convergence", convergence, "ours", meaning),
            *more,
        )


def theorem1(ask: Request) -> Plan:
    """Theorem ``main``: Algorithm 1."""
    return _fresh(ask, "theorem1", "algorithm1", eta_factor=1.0, accuracy=10.0)


def covariate_shift(ask: Request) -> Plan:
    """Theorem ``maincov``: Algorithm 3. The labeled cost does not depend on the shift."""
    return _fresh(ask, "shift", "algorithm3", eta_factor=1.0 / ask.shift, accuracy=20.0)


def _fresh(ask: Request, theorem: str, recipe: str, *, eta_factor: float, accuracy: float) -> Plan:
    gamma, C = ask.gamma, ask.shift
    eps = 5.0 / 18.0 * ask.epsilon
    T = whole(2.0 * C / (gamma * eps) ** 2)
    allowed = gamma * eps / accuracy
    closeness = "how closely labeled and unlabeled parts are estimated"
    return Plan(
        theorem=theorem,
        recipe=recipe,
        epsilon=ask.epsilon,
        delta=ask.delta,
        gamma=gamma,
        epsilon0=ask.epsilon0,
        shift=C,
        eta=gamma**2 * eps * eta_factor,
        T=T,
        tau=2.0 * gamma * eps / (1.0 + C),
        S=ask.base.samples(allowed, ask.failure),
        U=ask.base.samples(allowed / C, ask.failure / T),
        S0=hoeffding(eps / 10.0, ask.failure, means=T + 1),
        m=ask.draws(allowed / C, T),
        sigma=None,
        tolerance=None,
        guarantee=(1.0 + C) * ask.epsilon0 / gamma + ask.epsilon,
        proof_epsilon=eps,
        constants=ask.constants(
            ProofConstant("excess / eps", 18 / 5, "proof", "the proof ends with 18/5 of its own epsilon"),
            ProofConstant("T gamma^2 eps^2", 2 * C, "proof", "rounds; the potential can fall at most 1/2"),
            ProofConstant("gamma eps / accuracy", accuracy, "proof", closeness),
            ProofConstant("eps / accuracy of selection", 10, "proof", "how closely every iterate is judged"),
        ),
    )


@dataclass(frozen=True)
class Shares:
    """How the excess of Theorems 2 and 3 is split: each term of the proof's last line gets a share of epsilon.

    The excess is 8/(eta T) + 2 eta/gamma^2 + 2 eps_gen/gamma + 6 (edge accuracy)/gamma + 2 (selection accuracy).
    """

    rounds: float  # 8/(eta T)
    steps: float  # 2 eta/gamma^2; for Theorem 2 together with the drift of reused rows
    labeled: float  # the labeled part of 2 eps_gen/gamma
    unlabeled: float  # the unlabeled part of 2 eps_gen/gamma
    edge: float
    selection: float
    memory: float  # what forgetting old rows may change, in 2 eps_gen/gamma

    def constants(self) -> list[ProofConstant]:
        meaning = "part of epsilon (the paper: 'appropriate constants'; for the last two gamma epsilon/100)"
        return [ProofConstant(f"share of {name}", share, "ours", meaning) for name, share in vars(self).items()]


SHARES2 = Shares(rounds=0.34, steps=0.24, labeled=0.13, unlabeled=0.13, edge=0.06, selection=0.08, memory=0.02)
SHARES3 = Shares(rounds=0.34, steps=0.20, labeled=0.13, unlabeled=0.17, edge=0.06, selection=0.08, memory=0.02)


def theorem2(ask: Request) -> Plan:
    """Theorem ``main2``: Algorithm 2, few unlabeled rows and more rounds."""
    C, gamma, epsilon = ask.constant, ask.gamma, ask.epsilon
    log_size = ask.log_size("theorem2")
    T, eta, terms = 1, 0.0, 0.0
    for _ in range(50):  # T stands inside a logarithm: the fixed point is reached in a few steps
        terms = log_size + log(T / ask.failure)
        eta = SHARES2.steps / 2.0 * gamma**2 * epsilon / (C * terms + 1.0)
        T = whole(8.0 / (SHARES2.rounds * epsilon * eta))
    sigma = eta / gamma
    U = whole((2.0 * C / (SHARES2.unlabeled * epsilon * gamma)) ** 2 * sigma * terms)
    noise = C * sigma * (sqrt(terms / (sigma * U)) + terms)
    return _reuse(ask, "theorem2", SHARES2, eta=eta, T=T, U=U, noise=noise)


def theorem3(ask: Request) -> Plan:
    """Theorem ``main3``: Algorithm 2 with no more rounds than Algorithm 1 needs, and more unlabeled rows."""
    C, gamma, epsilon = ask.constant, ask.gamma, ask.epsilon
    log_size = ask.log_size("theorem3")
    eta = SHARES3.steps / 2.0 * gamma**2 * epsilon
    sigma = eta / gamma
    T = whole(8.0 / (SHARES3.rounds * epsilon * eta))
    terms = log_size + log(T / ask.failure)
    allowed = SHARES3.unlabeled / 2.0 * epsilon * gamma / (4.0 * C * sigma)  # for each of the two terms
    U = whole(max(terms / sigma, terms**3) / allowed**2)
    noise = 2.0 * C * sigma * (sqrt(terms / (sigma * U)) + terms**1.5 / sqrt(U))
    return _reuse(ask, "theorem3", SHARES3, eta=eta, T=T, U=U, noise=noise)


def _reuse(ask: Request, theorem: str, shares: Shares, *, eta: float, T: int, U: int, noise: float) -> Plan:
    gamma, epsilon = ask.gamma, ask.epsilon
    S = ask.base.samples(shares.labeled / 2.0 * gamma * epsilon, ask.failure)
    # A pool that forgets mass up to the tolerance moves corr by 2/3 of it, and 3 corr by twice the tolerance.
    tolerance = shares.memory / 4.0 * gamma * epsilon
    generalisation = ask.base.error(S, ask.failure) + noise + 2.0 * tolerance
    edge_accuracy = shares.edge / 6.0 * gamma * epsilon
    selection_accuracy = shares.selection / 2.0 * epsilon
    return Plan(
        theorem=theorem,
        recipe="algorithm2",
        epsilon=epsilon,
        delta=ask.delta,
        gamma=gamma,
        epsilon0=ask.epsilon0,
        shift=1.0,
        eta=eta,
        T=T,
        tau=gamma / 3.0 * (4.0 / (eta * T) + eta / gamma**2 + generalisation / gamma) + edge_accuracy,
        S=S,
        U=U,
        S0=hoeffding(selection_accuracy, ask.failure, means=T + 1),
        m=ask.draws(edge_accuracy, T),
        sigma=eta / gamma,
        tolerance=tolerance,
        guarantee=(
            8.0 / (eta * T)
            + 2.0 * eta / gamma**2
            + 2.0 * generalisation / gamma
            + 6.0 * edge_accuracy / gamma
            + 2.0 * selection_accuracy
            + 3.0 * ask.epsilon0 / gamma
        ),
        proof_epsilon=epsilon,
        constants=ask.constants(
            ProofConstant("C of the reuse lemma", ask.constant, "ours", "ASSUMED: called universal, without a value"),
            *shares.constants(),
            ProofConstant("epsilon0 / gamma", 3, "proof", "the proof gives 3 epsilon0/gamma, the statement prints 2"),
        ),
    )


def reinforcement_learning(ask: Request, *, beta: float, mismatch: float, access: str) -> RLPlan:
    """Theorem ``rl2``: a Frank-Wolfe loop over runs of Algorithm 2."""
    check_between(beta, 0.0, 1.0, "beta", open_low=False, open_high=True)
    check_between(mismatch, 1.0, float("inf"), "mismatch", open_low=False, open_high=True)
    if ask.epsilon0 != 0:
        raise ValueError(
            f"The theorem on reinforcement learning has the weak learner's error inside epsilon. Got epsilon0="
            f"{ask.epsilon0:g}. Pass epsilon0=0, and feed the weak learner enough samples."
        )
    if access not in ("episodic", "nu-reset"):
        raise ValueError(f"access must be 'episodic' or 'nu-reset'. Got {access!r}.")
    horizon = 1.0 / (1.0 - beta)
    if access == "episodic":
        inner_epsilon = ask.epsilon / (horizon**2 * mismatch)
        outer = whole(mismatch**2 * horizon**3 / ask.epsilon)
    else:
        inner_epsilon = ask.epsilon / (horizon**3 * mismatch)
        outer = whole(mismatch**2 * horizon**6 / ask.epsilon**2)
    inner = replace(ask, epsilon=min(inner_epsilon, 1.0), delta=ask.delta / (2 * outer), shift=1.0)
    # A rollout shows one reward at a geometric time; divided by 1 - beta it is V on average, and in [0, horizon].
    rollouts = hoeffding(ask.epsilon / 4.0, ask.delta / 2.0, means=outer + 1, width=horizon)
    unknown = "ASSUMED: the theorem gives rates only"
    return RLPlan(
        access=access,
        epsilon=ask.epsilon,
        delta=ask.delta,
        beta=beta,
        mismatch=mismatch,
        inner=theorem2(inner),
        outer_rounds=outer,
        rollouts=rollouts,
        constants=(
            ProofConstant("outer rounds", 1, "ours", unknown),
            ProofConstant("excess of an inner run", 1, "ours", unknown),
            ProofConstant("epsilon / accuracy of selection", 4, "ours", "how closely each policy's return is judged"),
            ProofConstant("delta", 2, "ours", "one half for the inner runs, one half for the selection"),
        ),
    )


def whole_gamma(gamma: float) -> float:
    """The largest one over a whole number that is not above gamma."""
    return 1.0 / inverse_gamma(check_gamma(gamma))
