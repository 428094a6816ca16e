"""Rounds for parities in which only their correlations are carried along, never rows.

The weak learner for parities looks at a batch through its Walsh vector alone: the correlations of all parities. That is
linear in the batch, so the vector of the labeled rows is worked out once, and the decaying pool of Algorithm 2 is a
decaying vector: memory does not grow with the rounds, and nothing has to be forgotten (``tolerance=0``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from ..basics.checks import check_same_features
from ..basics.conventions import on_grid
from ..basics.typing import Floats, Rng
from ..core.batch import Fractional
from ..core.history import History, Round
from ..core.learners.base import WeakLearner
from ..core.learners.parity import ParityLearner
from ..core.rules import EdgeStep, FixedStep
from ..core.samplers import Fresh, Reuse, Sampler, WithLabels
from ..core.sources import Sample
from ..core.tape import Margins, Step, Tape
from .loops import Parts, drawn
from .stumps.problem import NotCovered


class Vectors(ABC):
    """Makes the Walsh vector of a round's batch."""

    @abstractmethod
    def draw(self, tape: Tape, rng: Rng, weight: float = 1.0) -> tuple[Floats, float]:
        """``weight`` times the vector of the batch for the margins of ``tape``; and an estimate of Phi(H)."""

    def back(self) -> float:
        """The correlation of -sign(H) with the last batch; 0 where no rows are left to measure it on."""
        return 0.0


class FreshVectors(Vectors):
    """As :class:`agnoboost.core.samplers.Fresh`."""

    def __init__(self, sampler: Fresh, learner: ParityLearner):
        self._sampler, self._learner, self._margins = sampler, learner, Margins()
        self._last: tuple[Floats, Floats] | None = None

    def draw(self, tape: Tape, rng: Rng, weight: float = 1.0) -> tuple[Floats, float]:
        potential, sample = self._sampler.potential, self._sampler.source.draw(self._sampler.rows, rng)
        margin = self._margins.at(tape, sample.X)
        signed = on_grid(weight * sample.mass * (-self._sampler.scale * potential.grad(margin, sample.y)))
        self._last = signed, margin
        return self._learner.correlations(sample.X, signed), _mean(potential.value(margin, sample.y), sample)

    def back(self) -> float:
        assert self._last is not None
        signed, margin = self._last
        return -float(np.sum(np.where(margin >= 0, signed, -signed)))


class ReuseVectors(Vectors):
    """As :class:`agnoboost.core.samplers.Reuse`: the pool is one vector."""

    def __init__(self, sampler: Reuse, learner: ParityLearner):
        self._sampler, self._learner, self._margins = sampler, learner, Margins()
        self._pool: Floats | None = None

    def draw(self, tape: Tape, rng: Rng, weight: float = 1.0) -> tuple[Floats, float]:
        sampler, potential = self._sampler, self._sampler.potential
        sample, keep = sampler.source.draw(sampler.rows, rng), 1.0 - sampler.decay
        before, margin = self._margins.last_two(tape, sample.X)
        gradient = potential.grad(margin, sample.y)
        if self._pool is None:
            self._pool = self._learner.correlations(sample.X, on_grid(-sampler.scale * gradient * sample.mass))
        else:
            change = gradient - keep * potential.grad(before, sample.y)
            new = on_grid(-sampler.scale * change * sample.mass)
            self._pool = keep * self._pool + self._learner.correlations(sample.X, new)
        return weight * self._pool, _mean(potential.value(margin, sample.y), sample)


class WithLabelsVectors(Vectors):
    """As :class:`agnoboost.core.samplers.WithLabels`: the labeled part is the same in every round."""

    def __init__(self, sampler: WithLabels, learner: ParityLearner, rng: Rng):
        self._sampler, self._inner = sampler, _vectors(sampler.unlabeled, learner, rng)
        self._sample, self._margins = sampler.labeled.draw(sampler.rows, rng), Margins()
        labels = on_grid(sampler.scale * self._sample.mass * self._sample.y)
        self._labels = learner.correlations(self._sample.X, labels)

    def draw(self, tape: Tape, rng: Rng, weight: float = 1.0) -> tuple[Floats, float]:
        inner, potential = self._inner.draw(tape, rng, weight * (1.0 - self._sampler.scale))
        width = self._sampler.unlabeled.source.n_features
        check_same_features(width or 0, self._sample.X.shape[1], "The unlabeled table")
        margin = self._margins.at(tape, self._sample.X)
        value = self._sampler.shift * potential - _mean(self._sample.y * margin, self._sample)
        return weight * self._labels + inner, value


def _mean(values: Floats, sample: Sample) -> float:
    return float(np.sum(values * sample.mass))


def _vectors(sampler: Sampler, learner: ParityLearner, rng: Rng) -> Vectors:
    if isinstance(sampler, WithLabels):
        return WithLabelsVectors(sampler, learner, rng)
    if isinstance(sampler, Fresh):
        return FreshVectors(sampler, learner)
    assert isinstance(sampler, Reuse)  # see check_covered
    return ReuseVectors(sampler, learner)


class WalshLoop:
    """Draw, find the best parity, take a step: one round at a time, as :class:`agnoboost.rounds.loops.Loop`."""

    name = "walsh"

    def __init__(self, booster: Parts, learner: WeakLearner, rng: Rng):
        check_covered(booster, learner)
        assert isinstance(learner, ParityLearner)
        self._booster, self._learner, self._rng = booster, learner, rng
        self.start = drawn(booster.sampler)
        self._vectors = _vectors(booster.sampler, learner, rng)
        known = (source.n_features for source in booster.sampler.sources if source.n_features is not None)
        self._features = next(known, None)

    def advance(self, tape: Tape, most: int) -> tuple[list[Step], History]:
        """The next round: its step and its record."""
        sampler = self._booster.sampler
        correlations, potential = self._vectors.draw(tape, self._rng)
        if self._features is None:  # a stream is known by now
            self._features = next(source.n_features for source in sampler.sources if source.n_features is not None)
        parity, edge = self._learner.best(correlations, self._features)
        decision = self._booster.rule.decide(edge, self._vectors.back, tape, parity)
        counts = (now - before for now, before in zip(drawn(sampler), self.start, strict=True))
        record = Round(len(tape) + 1, decision.edge, decision.branch, potential, *counts)
        return [decision.step], History([record])


def check_covered(booster: Parts, learner: WeakLearner) -> None:
    """Raise NotCovered where only the plain loop will do."""
    if type(learner) is not ParityLearner:
        raise NotCovered(f"{type(learner).__name__} does not look at a batch through its Walsh vector")
    if type(booster.realize) is not Fractional or booster.realize.m is not None:
        raise NotCovered("it draws rows at random from each batch")
    sampler: Any = booster.sampler
    for part in (sampler, sampler.unlabeled) if type(sampler) is WithLabels else (sampler,):
        if type(part) not in (WithLabels, Fresh, Reuse):  # what a subclass changes is not known here
            raise NotCovered(f"{type(part).__name__} is not one of our samplers")
        if type(part) is Reuse and part.tolerance > 0.0:
            raise NotCovered("it forgets old rows (tolerance > 0), and here nothing is forgotten; pass tolerance=0")
    if type(sampler) is WithLabels and sampler.unlabeled_weight != 1.0:
        raise NotCovered("labeled rows have a part in psi, which changes from round to round")
    if type(booster.rule) is FixedStep or (type(booster.rule) is EdgeStep and type(sampler) is Fresh):
        return
    # Of a pool there are no rows left that case B could be measured on; it does not occur where the threshold is 0,
    # unless no parity has any correlation at all: then a run has nothing more to learn, and its steps are 0.
    if not (type(booster.rule) is EdgeStep and booster.rule.threshold == 0.0):
        raise NotCovered("case B needs the rows of the batch")
