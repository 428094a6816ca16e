"""How rounds are run: one by one, as the paper writes them, or by the stump engine."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ..basics.typing import Ints, Rng
from ..core.batch import Realize
from ..core.history import History, Round
from ..core.learners.base import WeakLearner
from ..core.rules import Rule
from ..core.samplers import Sampler
from ..core.tape import Add, Step, Tape
from .paths import Path


class Parts(Protocol):
    """A booster's parts."""

    @property
    def sampler(self) -> Sampler: ...
    @property
    def rule(self) -> Rule: ...
    @property
    def realize(self) -> Realize: ...


class Loop:
    """Draw a batch, call the weak learner, take a step: one round at a time."""

    name = "loop"

    def __init__(self, booster: Parts, learner: WeakLearner, rng: Rng):
        self._booster, self._learner, self._rng = booster, learner, rng
        self.start = drawn(booster.sampler)  # rows that were drawn before this run
        self.state: Any = booster.sampler.init(rng)

    def advance(self, tape: Tape, most: int) -> tuple[list[Step], History]:
        """The next round: its step and its record."""
        booster = self._booster
        draw, self.state = booster.sampler.draw(tape, self.state, self._rng)
        batch = booster.realize(draw.batch, self._rng)
        hypothesis = self._learner.fit(batch, self._rng)
        if hypothesis.binary < self._learner.binary:
            raise TypeError(
                f"{type(self._learner).__name__} says that its hypotheses are binary, but {type(hypothesis).__name__} "
                "is not. Set binary = False on the learner too."
            )
        decision = booster.rule(batch, tape, hypothesis)
        counts = (now - before for now, before in zip(drawn(booster.sampler), self.start, strict=True))
        record = Round(len(tape) + 1, decision.edge, decision.branch, draw.potential, *counts)
        return [decision.step], History([record])


class EngineLoop:
    """Rounds by the stump engine, many at a time."""

    def __init__(self, booster: Parts, path: Path, rng: Rng):
        self._sampler, self.path = booster.sampler, path
        self.start = drawn(booster.sampler)
        # The engine draws nothing: the sources are told all the same, since their counts are what theorems bound.
        *once, self._every_round = booster.sampler.sources
        for source in once:
            source.draw(None, rng)

    @property
    def name(self) -> str:
        return self.path.name

    def advance(self, tape: Tape, most: int) -> tuple[list[Step], History]:
        """The next rounds, at most ``most``: their steps and their records."""
        found = self.path.advance(most)
        count = len(found.steps)
        labeled, unlabeled = self._count(count).T
        records = History.of(
            number=list(range(len(tape) + 1, len(tape) + count + 1)),
            edge=found.edges.tolist(),
            branch=["A" if isinstance(step, Add) else "B" for step in found.steps],
            potential=found.potentials.tolist(),
            labeled_drawn=labeled.tolist(),
            unlabeled_drawn=unlabeled.tolist(),
        )
        return found.steps, records

    def _count(self, rounds: int) -> Ints:
        """Labeled and unlabeled rows drawn since the start, after each of some further rounds."""
        rows = len(self._every_round)  # type: ignore[arg-type]
        per_round = np.array([rows, 0] if self._every_round.labeled else [0, rows])
        before = np.array(drawn(self._sampler)) - self.start
        self._every_round.drawn += rows * rounds
        return np.asarray(before + np.arange(1, rounds + 1)[:, None] * per_round)


def drawn(sampler: Sampler) -> tuple[int, int]:
    """Labeled and unlabeled rows that a sampler's sources have handed out."""
    labeled = sum(source.drawn for source in sampler.sources if source.labeled)
    return labeled, sum(source.drawn for source in sampler.sources) - labeled
