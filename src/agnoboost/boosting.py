"""The loop, once, for every agnostic booster; and the choice among its iterates."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ._checks import as_labels, as_mass, as_matrix, check_count
from ._typing import Floats, Ints, Rng
from .batch import Fractional, Realize, on_grid
from .callbacks import Callback, ProgressBar
from .history import History, Progress, Round
from .learners.base import WeakLearner
from .rules import Rule
from .samplers import Sampler
from .sources import SourceExhausted
from .tape import Tape


@dataclass(frozen=True)
class Booster:
    """The three choices that make an algorithm: where batches come from, how they are shown, how to step."""

    sampler: Sampler
    rule: Rule
    realize: Realize = field(default_factory=Fractional)

    @property
    def max_rounds(self) -> int | None:
        """For how many rounds the data last; None for no limit."""
        return self.sampler.max_rounds


@dataclass(frozen=True)
class Run:
    """A finished run: the tape H_1, H_2, ... and what happened in each round."""

    tape: Tape
    history: History

    def select(self, X: npt.ArrayLike, y: npt.ArrayLike, mass: npt.ArrayLike | None = None) -> Selection:
        """Choose the iterate of largest correlation on labels that the run has not seen: see :func:`select`."""
        return select(self.tape, X, y, mass)


@dataclass(frozen=True)
class Selection:
    """The chosen iterate: ``tape`` is a prefix of ``rounds`` steps; ``scores`` has the correlation of every prefix."""

    tape: Tape
    rounds: int
    scores: Floats

    def predict(self, X: npt.ArrayLike) -> Ints:
        """sign(H(x)), in {-1, +1}."""
        return self.tape.predict(X)


def boost(
    booster: Booster,
    learner: WeakLearner,
    *,
    rounds: int,
    rng: Rng | int | None = None,
    callbacks: Iterable[Callback] = (),
    progress: bool = False,
) -> Run:
    """Run ``rounds`` rounds: draw a batch, call the weak learner, take a step.

    Parameters
    ----------
    booster : Booster
        From a recipe (:mod:`agnoboost.recipes`), or put together by hand.
    learner : WeakLearner
    rounds : int
        T, the number of calls to the weak learner.
    rng : Generator, int or None
        The only source of randomness: the same seed gives the same tape.
    callbacks : iterable of callables
        Called with a :class:`~agnoboost.history.Progress` after each round; one that returns True ends the run.
    progress : bool
        Show a progress bar.
    """
    check_count(rounds, "rounds")
    _check_parts(booster, learner, rounds)
    rng = np.random.default_rng(rng)
    history = History()
    with ExitStack() as stack:
        watchers = [*callbacks]
        if progress:
            watchers.append(stack.enter_context(ProgressBar()))
        start = _counts(booster.sampler)
        known = (source.n_features for source in booster.sampler.sources if source.n_features is not None)
        tape = Tape(booster.rule.unit(learner.binary), next(known, None))
        state = booster.sampler.init(rng)
        for number in range(1, rounds + 1):
            draw, state = booster.sampler.draw(tape, state, rng)
            batch = booster.realize(draw.batch, rng)
            hypothesis = learner.fit(batch, rng)
            if hypothesis.binary < learner.binary:
                raise TypeError(
                    f"{type(learner).__name__} says that its hypotheses are binary, but {type(hypothesis).__name__} is "
                    "not. Set binary = False on the learner too."
                )
            decision = booster.rule(batch, tape, hypothesis)
            tape = tape.append(decision.step)
            drawn = (now - before for now, before in zip(_counts(booster.sampler), start, strict=True))
            record = Round(number, decision.edge, decision.branch, draw.potential, *drawn)
            history.append(record)
            report = Progress(record, tape, rounds)
            answers = [watcher(report) for watcher in watchers]  # all are told, even if the first one stops
            if any(isinstance(answer, (bool, np.bool_)) and answer for answer in answers):
                break
    return Run(tape, history)


def select(tape: Tape, X: npt.ArrayLike, y: npt.ArrayLike, mass: npt.ArrayLike | None = None) -> Selection:
    """Choose among all iterates, H_1 = 0 included, by correlation with labels that no sampler has seen.

    Ties go to the shorter tape. The paper chooses among H_1..H_T; the iterate that the last round produced is a
    candidate here too, which costs one more term in a union bound and does not waste a call to the weak learner.
    """
    rows = as_matrix(X)
    labels = as_labels(y, len(rows))
    signed = on_grid(as_mass(mass, len(rows)) * labels)  # exact sums, so that ties are ties
    scores = np.array([np.sum(np.where(margin >= 0, signed, -signed)) for margin in tape.staged(rows)])
    best = int(np.argmax(scores))
    return Selection(tape.prefix(best), best, scores)


def _check_parts(booster: Booster, learner: WeakLearner, rounds: int) -> None:
    """Mismatches between the parts, found before any work."""
    limit = booster.max_rounds
    if limit is not None and rounds > limit:
        raise SourceExhausted(
            f"The data last for {limit} rounds: each round needs rows that no earlier one has seen. Got "
            f"rounds={rounds}. Use rounds={limit} (booster.max_rounds), or fewer rows a round."
        )
    if learner.needs_hard_labels and not booster.realize.hard_labels:
        raise ValueError(
            f"{learner!r} takes no sample_weight, so it needs labels -1 and +1 on rows of equal mass. Got fractional "
            "labels. Pass realize=bernoulli(m), which draws m rows with random labels."
        )
    for source in booster.sampler.sources:
        rows = getattr(source, "X", None)  # streams have no rows to check before they are drawn
        if rows is not None:
            learner.check(rows)


def _counts(sampler: Sampler) -> tuple[int, int]:
    labeled = sum(source.drawn for source in sampler.sources if source.labeled)
    return labeled, sum(source.drawn for source in sampler.sources) - labeled
