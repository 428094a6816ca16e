"""Step rules: what to do with the weak learner's answer.

Most share the paper's two cases. Case A, the edge exceeds the threshold: add the hypothesis. Case B: no hypothesis
helps, so move all margins towards zero, H <- H - step * sign(H).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import atanh, ceil

import numpy as np

from ..basics.checks import check_between, check_gamma, check_positive
from ..basics.conventions import FINEST, exceeds, sign
from .batch import Batch
from .learners.base import Hypothesis
from .tape import Add, AddWithin, Shrink, Step, Tape

# Real-valued hypotheses are rounded to this fraction of a step.
_GRAINS = int(FINEST)
FINE = 2.0**-32


@dataclass(frozen=True, slots=True)
class Decision:
    """A step and the edge that it rests on.

    Attributes
    ----------
    step : Step
        What goes onto the tape.
    edge : float
        The correlation of the direction that was taken with the batch.
    """

    step: Step
    edge: float

    @property
    def branch(self) -> str:
        """The paper's case: "A" (a hypothesis was added) or "B" (margins shrank)."""
        return "A" if isinstance(self.step, Add) else "B"


class Rule(ABC):
    """Turns the weak learner's answer into a step: ``max_step`` and ``decide`` must be written.

    Steps are counted in whole units of the tape: ``Add(hypothesis, tape.units(size))``, ``Shrink(tape.units(size))``.
    """

    needs_back: bool = True  # whether ``decide`` may ask for the correlation of -sign(H)

    @property
    @abstractmethod
    def max_step(self) -> float:
        """The most that a margin can move in one step."""

    def unit(self, binary: bool) -> float:
        """The unit in which margins are counted, for binary or real-valued hypotheses."""
        return FINE  # steps are arbitrary reals: count them finely

    @abstractmethod
    def decide(self, edge: float, back: Callable[[], float], tape: Tape, hypothesis: Hypothesis) -> Decision:
        """The step for a hypothesis of this edge; ``back()`` is the correlation of -sign(H) with the batch."""

    def __call__(self, batch: Batch, tape: Tape, hypothesis: Hypothesis) -> Decision:
        def back() -> float:
            return -batch.corr(sign(tape.replay(batch.X)))

        return self.decide(edge_of(hypothesis, batch), back, tape, hypothesis)


@dataclass(frozen=True)
class FixedStep(Rule):
    """H + step*W if corr(W) > threshold, else H - gamma*step*sign(H).

    Parameters
    ----------
    step : float, default=0.1
        eta/gamma in the paper's symbols.
    gamma : float in (0, 1], default=1.0
        The weak learner's edge, rounded down to one over a whole number, so that margins are whole multiples of the
        smaller step: a gamma-weak learner is also a weak learner for every smaller gamma.
    threshold : float, default=0.0
        The paper's tau.
    """

    needs_back = False

    step: float = 0.1
    gamma: float = 1.0
    threshold: float = 0.0

    def __post_init__(self) -> None:
        check_positive(self.step, "step")
        check_gamma(self.gamma)
        check_between(self.threshold, 0.0, 1.0, "threshold", open_low=False, open_high=True)

    @property
    def max_step(self) -> float:
        return self.step

    def unit(self, binary: bool) -> float:
        return self.step / (inverse_gamma(self.gamma) * (1 if binary else _GRAINS))

    def decide(self, edge: float, back: Callable[[], float], tape: Tape, hypothesis: Hypothesis) -> Decision:
        coef = tape.units(self.step)
        if exceeds(edge, self.threshold):
            return Decision(Add(hypothesis, coef), edge)
        return Decision(Shrink(coef // inverse_gamma(self.gamma)), edge)


@dataclass(frozen=True)
class EdgeStep(Rule):
    """Step by ``rate`` times the derivative of the potential in the direction that is taken, -Phi'(H, h).

    GS24 steps this way in its experiments. In case B the direction is -sign(H), by ``rate`` times its own derivative
    where that is positive.

    Parameters
    ----------
    rate : float, default=1.0
        How far to go for a derivative of 1.
    threshold : float, default=0.0
        The edge at or below which case B is taken.
    scale : float, default=1.0
        The sampler's: its batches have the correlation -scale * Phi'(H, h). Dividing by it keeps apart how the batches
        are made (a sampler that reuses rows has a smaller scale, the smaller its decay is) and how far to step.
    """

    rate: float = 1.0
    threshold: float = 0.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        check_between(self.rate, 0.0, 1e6, "rate")
        check_between(self.threshold, 0.0, 1.0, "threshold", open_low=False, open_high=True)
        check_between(self.scale, 0.0, 1.0, "scale")

    @property
    def max_step(self) -> float:
        return self.rate

    def size(self, edge: float) -> float:
        """How far to go in a direction of this correlation: ``rate`` at most, since no derivative exceeds 1."""
        return self.rate * min(max(edge / self.scale, 0.0), 1.0)

    @property
    def needs_back(self) -> bool:  # type: ignore[override]
        # With threshold 0 case B means that nothing has any correlation: a run has nothing more to learn.
        return self.threshold > 0.0

    def decide(self, edge: float, back: Callable[[], float], tape: Tape, hypothesis: Hypothesis) -> Decision:
        if exceeds(edge, self.threshold):
            return Decision(Add(hypothesis, tape.units(self.size(edge))), edge)
        return Decision(Shrink(tape.units(self.size(back()))), edge)


@dataclass(frozen=True)
class LargerStep(Rule):
    """Of the hypothesis and -sign(H) whichever has the larger correlation, by ``rate`` times it (Kanade and Kalai).

    There is no threshold: the two directions are compared with each other. The hypothesis wins ties.

    Parameters
    ----------
    rate : float, default=1.0
        How far to go for a correlation of 1.
    """

    rate: float = 1.0

    def __post_init__(self) -> None:
        check_between(self.rate, 0.0, 1e6, "rate")

    @property
    def max_step(self) -> float:
        return self.rate

    def decide(self, edge: float, back: Callable[[], float], tape: Tape, hypothesis: Hypothesis) -> Decision:
        other = back()
        if exceeds(other, max(edge, 0.0)):
            return Decision(Shrink(tape.units(self.rate * min(other, 1.0))), edge)
        return Decision(Add(hypothesis, tape.units(self.rate * min(max(edge, 0.0), 1.0))), edge)


@dataclass(frozen=True)
class ProjectedStep(Rule):
    """H <- clip(H + step*W, -1, 1) if corr(W) > threshold, else H - step*sign(H) (Feldman).

    E[y|x] lies in [-1, 1], so the projection only brings H nearer to it.

    Parameters
    ----------
    step : float, default=0.1
        How far a hypothesis moves the margins.
    threshold : float, default=0.0
        The edge at or below which margins shrink.
    """

    needs_back = False

    step: float = 0.1
    threshold: float = 0.0

    def __post_init__(self) -> None:
        check_between(self.step, 0.0, 1.0, "step")
        check_between(self.threshold, 0.0, 1.0, "threshold", open_low=False, open_high=True)

    @property
    def max_step(self) -> float:
        return self.step

    def decide(self, edge: float, back: Callable[[], float], tape: Tape, hypothesis: Hypothesis) -> Decision:
        coef = tape.units(self.step)
        if exceeds(edge, self.threshold):
            return Decision(AddWithin(hypothesis, coef, tape.units(1.0)), edge)
        return Decision(Shrink(coef), edge)


@dataclass(frozen=True)
class Vote(Rule):
    """Every hypothesis is added with the same weight, whatever its edge: a majority vote in the end.

    Parameters
    ----------
    step : float, default=1.0
        That weight.
    """

    needs_back = False

    step: float = 1.0

    def __post_init__(self) -> None:
        check_positive(self.step, "step")

    @property
    def max_step(self) -> float:
        return self.step

    def unit(self, binary: bool) -> float:
        return self.step / (1 if binary else _GRAINS)

    def decide(self, edge: float, back: Callable[[], float], tape: Tape, hypothesis: Hypothesis) -> Decision:
        return Decision(Add(hypothesis, tape.units(self.step)), edge)


@dataclass(frozen=True)
class AdaStep(Rule):
    """AdaBoost's step: half of log((1 + edge)/(1 - edge)); no step without an edge.

    Parameters
    ----------
    max_step : float, default=3.0
        The longest step.
    """

    needs_back = False

    max_step: float = 3.0

    def __post_init__(self) -> None:
        check_positive(self.max_step, "max_step")

    def decide(self, edge: float, back: Callable[[], float], tape: Tape, hypothesis: Hypothesis) -> Decision:
        size = self.max_step if edge >= 1.0 else min(atanh(max(edge, 0.0)), self.max_step)
        return Decision(Add(hypothesis, tape.units(size)), edge)


def edge_of(hypothesis: Hypothesis, batch: Batch) -> float:
    """The correlation of a hypothesis with a batch, after a look at its values."""
    values = hypothesis.predict(batch.X)
    size = np.abs(values)
    if not (size <= 1.0).all():
        raise ValueError(
            f"A hypothesis must have values in [-1, 1]. Got {type(hypothesis).__name__} with values up to "
            f"{size.max():g}. Scale or clip them."
        )
    if hypothesis.binary and not ((size == 1.0) | (size == 0.0)).all():
        raise ValueError(
            f"A binary hypothesis must say -1 or +1 (or 0 for no opinion). Got {type(hypothesis).__name__} with values "
            "between. Set binary = False on the hypothesis and on its learner."
        )
    return batch.corr(values)


def inverse_gamma(gamma: float) -> int:
    """The whole number that stands for 1/gamma: the smallest that is not below it.

    >>> inverse_gamma(0.5), inverse_gamma(2 / 7), inverse_gamma(0.1)
    (2, 4, 10)
    """
    return ceil(1.0 / gamma * (1.0 - 1e-12))  # the slack keeps 1/0.1 from becoming 11
