"""What all stump engines share: the problem and its bins."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from ...basics.typing import Rng
from ...core.booster import Booster
from ...core.learners.base import WeakLearner
from ...core.learners.stump import CategoryStump, Stump
from ...core.tape import Add, Shrink, Tape
from ...kernels.cells import Layout
from ..engine import Settings, Together
from ..lasting import LastingRows
from .encoding import Encoding
from .problem import Problem, describe


class StumpEngine(LastingRows):
    """Rounds with stumps on rows that never change."""

    far: ClassVar[bool] = False  # whether rows may stay elsewhere

    def __init__(self, booster: Booster, learner: WeakLearner, rounds: int, rng: Rng, settings: Settings):
        problem = describe(booster, learner, rounds)
        assert isinstance(problem, Problem), problem  # see covers
        super().__init__(booster, learner, rounds, rng, settings, problem.tables)
        self.problem = problem
        self.encoding = self._encoding(settings.together)

    def _encoding(self, together: Together) -> Encoding:
        """The bins of a run's tables; runs that are made together share theirs."""
        bins, tables = self.problem.bins, self.problem.tables
        if together.runs == 1:
            return Encoding(Layout.of(bins, tables))
        found: Encoding = together.get(
            (Encoding, id(bins)), lambda: Encoding(Layout.of(bins, together.tables), keep=True)
        )
        return found

    def check_steps(self, tape: Tape) -> None:
        """Steps of a file must be of this run's kind and sizes: tables are only as long as such steps can lead."""
        problem = self.problem
        kinds = {type(step) for step in tape.steps}
        learned = {type(step.hypothesis) for step in tape.steps if isinstance(step, Add)}
        if not (kinds <= {Add, Shrink} and learned <= {Stump, CategoryStump}):
            raise ValueError("its tape has steps of other kinds than those of this run")
        if any(step.coef != (problem.shrink if isinstance(step, Shrink) else problem.step) for step in tape.steps):
            raise ValueError("its tape has steps of other sizes than those of this run")

    @classmethod
    def covers(cls, booster: Booster, learner: WeakLearner, rounds: int) -> str | None:
        problem = describe(booster, learner, rounds)
        if isinstance(problem, str):
            return problem
        if problem.far and not cls.far:
            return "its rows stay elsewhere, where only engine='far' asks for them"
        return "its rows are here" if cls.far and not problem.far else cls.why_not(problem)

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
