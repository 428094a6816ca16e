"""What all stump engines share: the problem and its bins."""

from __future__ import annotations

from abc import abstractmethod

from ...basics.typing import Rng
from ...core.booster import Booster
from ...core.learners.base import WeakLearner
from ...core.tape import Shrink, Tape
from ..engine import Settings, Together
from ..lasting import LastingRows
from .encoding import Encoding
from .problem import Problem, describe


class StumpEngine(LastingRows):
    """Rounds with stumps on rows that never change."""

    def __init__(self, booster: Booster, learner: WeakLearner, rounds: int, rng: Rng, settings: Settings):
        problem = describe(booster, learner, rounds)
        assert isinstance(problem, Problem), problem  # see covers
        super().__init__(booster, learner, rounds, rng, settings, problem.tables)
        self.problem = problem
        self.encoding = _encoding(problem, settings.together)

    def check_steps(self, tape: Tape) -> None:
        """Steps of a file must be of this run's sizes: tables are only as long as such steps can lead."""
        problem = self.problem
        if any(step.coef != (problem.shrink if isinstance(step, Shrink) else problem.step) for step in tape.steps):
            raise ValueError("its tape has steps of other sizes than those of this run")

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


def _encoding(problem: Problem, together: Together) -> Encoding:
    """The bins of a run's tables; runs that are made together share theirs."""
    bins = problem.bins
    if together.runs == 1:
        return Encoding(bins, problem.tables)
    found: Encoding = together.get((Encoding, id(bins)), lambda: Encoding(bins, together.tables, keep=True))
    return found
