"""Rounds as the paper writes them: draw a batch, call the weak learner, take a step."""

from __future__ import annotations

from typing import Any

from ..basics.typing import Arrays, Rng
from ..core.booster import Booster
from ..core.history import History, Round
from ..core.learners.base import WeakLearner
from ..core.rules import Decision
from ..core.tape import Step, Tape
from .engine import Engine, Settings

ROUND = 4e-4  # seconds of a round beside its rows
ROW = 1e-7  # seconds a row


class OneByOne(Engine):
    """Rounds that are run one at a time, in Python, with a state of the sampler's."""

    def __init__(self, booster: Booster, learner: WeakLearner, rounds: int, rng: Rng, settings: Settings):
        super().__init__(booster, learner, rounds, rng, settings)
        self.state: Any = booster.sampler.init(rng)

    def recorded(self, tape: Tape, decision: Decision, potential: float) -> tuple[list[Step], History]:
        """A round's step and its record."""
        counts = (now - before for now, before in zip(self.booster.sampler.drawn, self.start, strict=True))
        record = Round(len(tape) + 1, decision.edge, decision.branch, potential, *counts)
        return [decision.step], History([record])


class Plain(OneByOne):
    """The loop, for every booster and every weak learner."""

    name = "loop"

    def __init__(self, booster: Booster, learner: WeakLearner, rounds: int, rng: Rng, settings: Settings):
        super().__init__(booster, learner, rounds, rng, settings)
        self.learner = learner.prepared(_rows(booster), rounds * settings.together.runs)

    @classmethod
    def covers(cls, booster: Booster, learner: WeakLearner, rounds: int) -> str | None:
        return None

    @classmethod
    def seconds(cls, booster: Booster, learner: WeakLearner, rounds: int, runs: int) -> float:
        rows = _rows(booster)
        return runs * rounds * (ROUND + ROW * rows) + learner.seconds(rows, runs * rounds)

    def advance(self, tape: Tape, most: int) -> tuple[list[Step], History]:
        booster, learner = self.booster, self.learner
        draw, self.state = booster.sampler.draw(tape, self.state, self.rng)
        batch = booster.realize(draw.batch, self.rng)
        hypothesis = learner.fit(batch, self.rng)
        if hypothesis.binary < learner.binary:
            raise TypeError(
                f"{type(learner).__name__} says that its hypotheses are binary, but {type(hypothesis).__name__} "
                "is not. Set binary = False on the learner too."
            )
        return self.recorded(tape, booster.rule(batch, tape, hypothesis), draw.potential)

    def pack(self) -> tuple[dict[str, Any], Arrays]:
        return {}, self.booster.sampler.pack(self.state)

    def restore(self, tape: Tape, facts: dict[str, Any], arrays: Arrays) -> None:
        self.state = self.booster.sampler.restore(self.state, arrays)


def _rows(booster: Booster) -> int:
    """About how many rows a round looks at."""
    return sum(len(source.X) for source in booster.sampler.sources if source.X is not None)
