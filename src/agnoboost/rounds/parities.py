"""Rounds for parities in which only their correlations are carried along, never rows.

The weak learner for parities looks at a batch through its Walsh vector alone: the correlations of all parities. That is
linear in the batch, so the vector of the labeled rows is worked out once, and the decaying pool of Algorithm 2 is a
decaying vector: memory does not grow with the rounds, and nothing has to be forgotten (``tolerance=0``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..basics.conventions import sign
from ..basics.kept import kept
from ..basics.names import prefixed, under
from ..basics.typing import Arrays, Floats, Rng
from ..core.batch import Fractional
from ..core.booster import Booster
from ..core.history import History
from ..core.learners.base import WeakLearner
from ..core.learners.parity import ParityLearner
from ..core.samplers import Change
from ..core.tape import Step, Tape
from .engine import Settings
from .plain import OneByOne

ROUND = 1e-4  # seconds: less than the plain loop in any case


class Parities(OneByOne):
    """Draw, find the best parity, take a step."""

    name = "walsh"
    learner: ParityLearner

    def __init__(self, booster: Booster, learner: WeakLearner, rounds: int, rng: Rng, settings: Settings):
        super().__init__(booster, learner, rounds, rng, settings)
        self._vectors: list[Floats] = []  # one for each part of a batch

    @classmethod
    def covers(cls, booster: Booster, learner: WeakLearner, rounds: int) -> str | None:
        if type(learner) is not ParityLearner:
            return f"{type(learner).__name__} does not look at a batch through its Walsh vector"
        if booster.realize != Fractional():
            return "it draws rows at random from each batch"
        if why := booster.sampler.why_no_changes():
            return why
        if booster.rule.needs_back and booster.sampler.keeps_parts:
            return "case B needs the rows of the batch"  # of what is kept as a vector there are none left
        return None

    @classmethod
    def seconds(cls, booster: Booster, learner: WeakLearner, rounds: int, runs: int) -> float:
        return runs * rounds * ROUND

    def advance(self, tape: Tape, most: int) -> tuple[list[Step], History]:
        changes, potential, self.state = self.booster.sampler.draw_changes(tape, self.state, self.rng)
        fresh = [self.learner.correlations(change.X, change.signed) for change in changes]
        if not self._vectors:
            self._vectors = [np.zeros_like(vector) for vector in fresh]
        self._vectors = [
            change.keep * before + now for change, before, now in zip(changes, self._vectors, fresh, strict=True)
        ]
        correlations = sum(change.factor * vector for change, vector in zip(changes, self._vectors, strict=True))
        parity, edge = self.learner.best(np.asarray(correlations), changes[0].X.shape[1])
        decision = self.booster.rule.decide(edge, lambda: _back(changes, tape), tape, parity)
        return self.recorded(tape, decision, potential)

    def pack(self) -> tuple[dict[str, Any], Arrays]:
        vectors = {str(place): vector for place, vector in enumerate(self._vectors)}
        return {}, self.booster.sampler.pack(self.state) | prefixed("walsh/", vectors)

    def restore(self, tape: Tape, facts: dict[str, Any], arrays: Arrays) -> None:
        self.state = self.booster.sampler.restore(self.state, arrays)
        sources = self.booster.sampler.sources  # each has its part of a batch
        features = next((source.n_features for source in sources if source.n_features is not None), None)
        length = None if features is None else self.learner.size(features) // 2
        vectors = under(arrays, "walsh/")
        self._vectors = [kept(vectors, str(place), np.float64, (length,)) for place in range(len(sources))]


def _back(changes: list[Change], tape: Tape) -> float:
    """The correlation of -sign(H) with the batch; 0 where its rows are not all here."""
    if any(change.keep for change in changes):
        return 0.0
    return -float(sum(np.sum(change.factor * sign(tape.replay(change.X)) * change.signed) for change in changes))
