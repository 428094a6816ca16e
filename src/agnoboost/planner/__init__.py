"""From (epsilon, delta, gamma, size of the base class) to settings with a guarantee."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..basics.checks import check_between, check_positive
from ..basics.suggestions import did_you_mean
from .bounds import BaseClass, FiniteClass, VCClass
from .comparison import Comparison, Cost
from .comparison import compare as _compare
from .halfspaces import HalfspacePlan, halfspaces
from .plan import Plan, ProofConstant, RLPlan
from .running import PlannedBooster, from_plan
from .theorems import Request, covariate_shift, reinforcement_learning, theorem1, theorem2, theorem3, whole_gamma

__all__ = [
    "Comparison",
    "Cost",
    "HalfspacePlan",
    "Plan",
    "PlannedBooster",
    "ProofConstant",
    "RLPlan",
    "compare",
    "from_plan",
    "plan",
]

_THEOREMS = {"theorem1": theorem1, "theorem2": theorem2, "theorem3": theorem3, "shift": covariate_shift}
_SHORT: dict[Any, str] = {1: "theorem1", 2: "theorem2", 3: "theorem3"}
_NAMES = (*_THEOREMS, "half", "rl")
# Which theorem alone takes them.
_OWN = {"beta": "rl", "mismatch": "rl", "access": "rl", "n": "half", "degree": "half"}


def plan(
    theorem: str | int,
    *,
    epsilon: float,
    delta: float,
    gamma: float | None = None,
    vc: float | None = None,
    log_size: float | None = None,
    shift: float = 1.0,
    epsilon0: float = 0.0,
    constant: float = 1.0,
    beta: float | None = None,
    mismatch: float | None = None,
    access: str | None = None,
    n: int | None = None,
    degree: int | None = None,
) -> Plan | RLPlan | HalfspacePlan:
    """The settings under which a theorem of the paper guarantees excess correlation ``epsilon``.

    Parameters
    ----------
    theorem : "theorem1", "theorem2", "theorem3", "shift", "half" or "rl" (or 1, 2, 3)
        Algorithm 1; Algorithm 2; Algorithm 2 with fewer oracle calls; Algorithm 3; halfspaces of the uniform cube;
        reinforcement learning.
    epsilon, delta : float
        Excess in correlation (twice the excess in error rate), and the probability of failing. For "half" epsilon is
        the excess in error rate, as in its theorem.
    gamma : float in (0, 1]
        Edge of the weak learner. It is rounded down to one over a whole number. "half" has its own, and its own class.
    vc, log_size : float
        One of the two: the VC dimension of the base class, or the logarithm of its size.
    shift : float
        C_X, for "shift".
    epsilon0 : float
        Additive error of the weak learner. 0 fits fractional relabeling with an exact learner.
    constant : float
        The universal constant that the paper leaves open: an assumption, stated in the plan.
    beta, mismatch, access
        For "rl": discount factor; C_inf or D_inf (default 1); "episodic" (default) or "nu-reset".
    n, degree : int
        For "half": the number of coordinates; and the largest degree of the parities, by default that of the paper's
        lemma, 20/eps^4, or n if that is less.

    Returns
    -------
    Plan, RLPlan or HalfspacePlan
        RLPlan for "rl", HalfspacePlan for "half", Plan for all others.

    Examples
    --------
    >>> from math import log
    >>> p = plan("theorem1", epsilon=0.5, delta=0.1, gamma=0.5, log_size=log(52))
    >>> p.T, p.S, round(p.guarantee, 3)
    (415, 355642, 0.5)
    """
    name = _name(theorem, shift)
    _check_own(name, beta=beta, mismatch=mismatch, access=access, n=n, degree=degree)
    if name == "half":
        own = {"gamma": gamma, "vc": vc, "log_size": log_size, "epsilon0": epsilon0 or None}
        return _half(epsilon, delta, n, degree, constant, **own)[0]
    ask = _request(name, epsilon, delta, gamma, vc, log_size, shift, epsilon0, constant)
    if name == "rl":
        if beta is None:
            raise ValueError("theorem='rl' needs the discount factor beta in [0, 1). Got None.")
        mismatch = 1.0 if mismatch is None else mismatch
        return reinforcement_learning(ask, beta=beta, mismatch=mismatch, access=access or "episodic")
    return _THEOREMS[name](ask)


def compare(
    theorem: str | int = "theorem1",
    *,
    epsilon: float,
    delta: float,
    gamma: float | None = None,
    vc: float | None = None,
    log_size: float | None = None,
    shift: float = 1.0,
    epsilon0: float = 0.0,
    constant: float = 1.0,
    n: int | None = None,
    degree: int | None = None,
) -> Comparison:
    """The plan's cost in labels, unlabeled rows and oracle calls, beside PAB's and GS24's.

    Parameters
    ----------
    theorem, epsilon, delta, gamma, vc, log_size, shift, epsilon0, constant, n, degree
        As for :func:`plan`; not for "rl".

    Returns
    -------
    Comparison
        A table when printed.
    """
    name = _name(theorem, shift)
    _check_own(name, n=n, degree=degree)
    if name == "rl":
        raise ValueError("compare is for the theorems on classification. Got 'rl'; see plan('rl', ...).")
    if name == "half":
        own = {"gamma": gamma, "vc": vc, "log_size": log_size, "epsilon0": epsilon0 or None}
        found, ask = _half(epsilon, delta, n, degree, constant, **own)
        return _compare(found.inner, ask)
    ask = _request(name, epsilon, delta, gamma, vc, log_size, shift, epsilon0, constant)
    return _compare(_THEOREMS[name](ask), replace(ask, shift=1.0))


def _name(theorem: str | int, shift: float) -> str:
    """The full name of a theorem."""
    name = _SHORT.get(theorem, theorem)
    if name not in _NAMES:
        near = did_you_mean(theorem, _NAMES)
        raise ValueError(f"theorem must be one of {', '.join(_NAMES)}. Got {theorem!r}.{near}")
    if shift != 1.0 and name != "shift":
        raise ValueError(f"shift is for theorem='shift' only. Got shift={shift!r} with {name}.")
    return str(name)


def _check_own(name: str, **given: Any) -> None:
    """Refuse what another theorem takes."""
    for word, value in given.items():
        if value is not None and name != _OWN[word]:
            raise ValueError(f"{word} is for theorem={_OWN[word]!r} only. Got {word}={value!r} with {name}.")


def _half(
    epsilon: float, delta: float, n: int | None, degree: int | None, constant: float, **own: float | None
) -> tuple[HalfspacePlan, Request]:
    """Theorem ``half``, which leaves no choice of the weak learner."""
    for word, value in own.items():
        if value is not None:
            raise ValueError(f"theorem='half' has its own weak learner. Got {word}={value!r}. Pass n instead.")
    if n is None:
        raise ValueError("theorem='half' needs n, the number of coordinates of the cube. Got None.")
    return halfspaces(epsilon=epsilon, delta=delta, n=n, degree=degree, constant=check_positive(constant, "constant"))


def _request(
    name: str,
    epsilon: float,
    delta: float,
    gamma: float | None,
    vc: float | None,
    log_size: float | None,
    shift: float,
    epsilon0: float,
    constant: float,
) -> Request:
    """What is asked of a theorem, checked."""
    check_positive(constant, "constant")
    if gamma is None:
        raise ValueError(f"{name} needs gamma, the edge of the weak learner. Got None.")
    base: BaseClass
    if vc is None and log_size is not None:
        base = FiniteClass(check_between(log_size, 0.0, float("inf"), "log_size", open_low=False, open_high=True))
    elif log_size is None and vc is not None:
        base = VCClass(check_positive(vc, "vc"), constant)
    else:
        raise ValueError(
            f"Exactly one of vc and log_size must be given. Got vc={vc!r} and log_size={log_size!r}. "
            "Use log_size=log(number of hypotheses) for a finite base class, vc for others."
        )
    return Request(
        epsilon=check_between(epsilon, 0.0, 1.0, "epsilon"),
        delta=check_between(delta, 0.0, 1.0, "delta", open_high=True),
        gamma=whole_gamma(gamma),
        base=base,
        epsilon0=check_between(epsilon0, 0.0, 1.0, "epsilon0", open_low=False, open_high=True),
        shift=check_between(shift, 1.0, float("inf"), "shift", open_low=False, open_high=True),
        constant=constant,
    )
