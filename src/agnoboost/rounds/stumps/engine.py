"""What all stump engines share: the problem, its bins, and the counting of rows."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...basics.typing import Arrays, Floats, Ints, Rng
from ...core.booster import Booster
from ...core.history import History
from ...core.learners.base import WeakLearner
from ...core.tape import Add, Step, Tape
from ..engine import Engine, Settings, Together
from .encoding import Encoding
from .problem import Problem, describe


@dataclass(frozen=True)
class Rounds:
    """What came of some rounds: their steps, the edges they rest on, and the potential before each."""

    steps: list[Step]
    edges: Floats
    potentials: Floats


class StumpEngine(Engine):
    """Rounds on rows that never change: their sources are told of the rows, but nothing is drawn."""

    def __init__(self, booster: Booster, learner: WeakLearner, rounds: int, rng: Rng, settings: Settings):
        super().__init__(booster, learner, rounds, rng, settings)
        problem = describe(booster, learner, rounds)
        assert isinstance(problem, Problem), problem  # see covers
        self.problem = problem
        self.encoding = _encoding(problem, settings.together)
        *once, self._every_round = booster.sampler.sources
        for source in once:  # counts are what theorems bound
            source.draw(None, rng)

    @classmethod
    def covers(cls, booster: Booster, learner: WeakLearner, rounds: int) -> str | None:
        problem = describe(booster, learner, rounds)
        return problem if isinstance(problem, str) else cls.why_not(problem)

    @classmethod
    def seconds(cls, booster: Booster, learner: WeakLearner, rounds: int, runs: int) -> float:
        problem = describe(booster, learner, rounds)
        assert isinstance(problem, Problem), problem
        return cls.cost(problem, runs)

    @classmethod
    @abstractmethod
    def why_not(cls, problem: Problem) -> str | None:
        """Why a problem cannot be run here; None if it can."""

    @classmethod
    @abstractmethod
    def cost(cls, problem: Problem, runs: int) -> float:
        """Seconds, as in :meth:`seconds`."""

    @abstractmethod
    def next(self, most: int) -> Rounds:
        """The next rounds: at least one, at most ``most``."""

    def advance(self, tape: Tape, most: int) -> tuple[list[Step], History]:
        found = self.next(most)
        count = len(found.steps)
        labeled, unlabeled = self._drawn(count).T
        records = History.of(
            number=list(range(len(tape) + 1, len(tape) + count + 1)),
            edge=found.edges.tolist(),
            branch=["A" if isinstance(step, Add) else "B" for step in found.steps],
            potential=found.potentials.tolist(),
            labeled_drawn=labeled.tolist(),
            unlabeled_drawn=unlabeled.tolist(),
        )
        return found.steps, records

    def _drawn(self, rounds: int) -> Ints:
        """Labeled and unlabeled rows drawn since the start, after each of some further rounds."""
        rows = len(self.problem.tables[-1])
        per_round = np.array([rows, 0] if self._every_round.labeled else [0, rows])
        before = np.array(self.booster.sampler.drawn) - self.start
        self._every_round.drawn += rows * rounds
        return np.asarray(before + np.arange(1, rounds + 1)[:, None] * per_round)

    def pack(self) -> tuple[dict[str, Any], Arrays]:
        return {}, {}

    def margins_of(self, tape: Tape) -> Ints:
        """The margins of all rows after the steps of ``tape``."""
        return np.concatenate([tape.replay(table) for table in self.problem.tables])


def _encoding(problem: Problem, together: Together) -> Encoding:
    """The bins of a run's tables; runs that are made together share theirs."""
    bins = problem.bins
    if together.runs == 1:
        return Encoding(bins, problem.tables)
    found: Encoding = together.get((Encoding, id(bins)), lambda: Encoding(bins, together.tables, keep=True))
    return found
