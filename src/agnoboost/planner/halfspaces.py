"""Theorem ``half``: halfspaces of the cube with uniform rows, by Algorithm 1 with parities of few coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log, log10

from ..basics.checks import check_between, check_count
from ..core.learners.parity import ParityLearner
from .bounds import FiniteClass
from .plan import Plan, ProofConstant, count, page
from .theorems import Request, theorem1

# The excess error is (loss of the lemma) + (excess correlation of the boosting)/2. The degree, which stands in the
# exponent, falls with the fourth power of the first term, so that term gets nearly all.
LEMMA_SHARE = 0.9
LEMMA_DEGREE = 20.0  # d = 20/eps^4 in Lemma half_weak
MOST_DIGITS = 140.0  # of n^d: sample sizes grow with its square, and floating point ends at 10^308


@dataclass(frozen=True)
class HalfspacePlan:
    """Theorem ``half``: a run of ``inner`` (Theorem 1) with ``learner``, on uniform rows of the cube {-1, +1}^n.

    Its epsilon is an excess in *error*, as the theorem has it, which is half of an excess in correlation:
    ``inner.epsilon`` and ``inner.guarantee`` are in correlation. Sizes beyond 10^15 are right to as many digits.

    Attributes
    ----------
    epsilon, delta : float
        The excess in error, and the probability of failing, that were asked for.
    n : int
        Coordinates of the cube.
    degree : int
        Largest degree of the parities.
    approximation : float
        The epsilon of Lemma ``half_weak``: how far, in mean, a halfspace may be from all combinations of these
        parities. 0 where the degree is n, since all functions are such combinations then.
    inner : Plan
        Theorem 1 for gamma = n^-degree and epsilon_0 = gamma * approximation. This is the error of an exact learner,
        as fractional relabeling makes it; sampled labels bring an error of their own, which adds to it.
    constants : tuple of ProofConstant
        Every constant that was used, with its origin.
    guarantee : float
        With probability at least 1 - delta, the error of the result is within this of the best halfspace's.
    """

    epsilon: float
    delta: float
    n: int
    degree: int
    approximation: float
    inner: Plan
    constants: tuple[ProofConstant, ...]

    @property
    def learner(self) -> ParityLearner:
        """The weak learner that the plan is for."""
        return ParityLearner(self.degree)

    @property
    def guarantee(self) -> float:
        return self.inner.guarantee / 2.0

    @property
    def total_labeled(self) -> int:
        return self.inner.total_labeled

    @property
    def total_unlabeled(self) -> int:
        """Uniform rows, which cost nothing but time."""
        return self.inner.total_unlabeled

    @property
    def oracle_calls(self) -> int:
        return self.inner.oracle_calls

    def __str__(self) -> str:
        figures = [
            ("weak learner", f"ParityLearner({self.degree})"),
            ("size of its class, on n coordinates", f"{count(self.learner.size(self.n))}, n = {self.n}"),
            ("gamma = n^-degree", f"{self.inner.gamma:.6g}"),
            ("labeled rows in all", count(self.total_labeled)),
            ("guaranteed excess error", f"{self.guarantee:.6g} with probability {1 - self.delta:g}"),
        ]
        head = "halfspaces of the uniform cube, by error rate"
        return page(head, figures, self.constants) + f"\n\ninner run, by correlation: {self.inner}"


def halfspaces(
    *, epsilon: float, delta: float, n: int, degree: int | None, constant: float
) -> tuple[HalfspacePlan, Request]:
    """The plan for excess error ``epsilon``, and what it asks of Theorem 1."""
    check_between(epsilon, 0.0, 0.5, "epsilon")
    check_between(delta, 0.0, 1.0, "delta", open_high=True)
    check_count(n, "n")
    needed = ceil(LEMMA_DEGREE / (LEMMA_SHARE * epsilon) ** 4)
    taken = min(needed if degree is None else check_count(degree, "degree"), n)
    approximation = 0.0 if taken == n else LEMMA_SHARE * epsilon
    if (digits := taken * log10(n)) > MOST_DIGITS:
        raise ValueError(
            f"n^degree must have at most {MOST_DIGITS:g} digits, or the sample sizes are beyond floating point. Got "
            f"{n}^{taken}, about 10^{digits:.0f}. Pass a smaller degree or n."
        )
    gamma = 1.0 / n**taken
    ask = Request(
        epsilon=2.0 * (epsilon - approximation),
        delta=delta,
        gamma=gamma,
        base=FiniteClass(log(ParityLearner(taken).size(n))),
        epsilon0=gamma * approximation,
        shift=1.0,
        constant=constant,
    )
    return HalfspacePlan(epsilon, delta, n, taken, approximation, theorem1(ask), _constants(taken, needed, n)), ask


def _constants(degree: int, needed: int, n: int) -> tuple[ProofConstant, ...]:
    if degree == n:
        origin, meaning = "ours", "n: more change nothing, and nothing is lost to the lemma"
    elif degree >= needed:
        origin, meaning = "proof", "20/eps^4 of Lemma half_weak, for its own eps"
    else:
        origin = "ours"
        meaning = f"ASSUMED: parities of this degree come as near to halfspaces as the lemma's {needed:,} would"
    return (
        ProofConstant("degree", degree, origin, meaning),
        ProofConstant("correlation / error", 2, "proof", "an excess in correlation is twice that in error"),
        ProofConstant("gamma n^degree", 1, "proof", "the lemma's; one over the root of the class's size would do"),
        ProofConstant(
            "share of the lemma",
            0.0 if degree == n else LEMMA_SHARE,
            "ours",
            "part of epsilon that is the lemma's; its loss eps/n^d is epsilon_0, so Theorem 1 adds 2 epsilon_0/gamma",
        ),
    )
