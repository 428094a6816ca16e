"""Runs of our own boosters inside ``fit``: those that are watched on held-out rows, and the one on all labels.

A problem with k > 2 classes is k problems of one class against the rest, over the same rows and bins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from ...basics.typing import Floats, Matrix
from ...core.booster import Booster
from ...core.callbacks import Callback
from ...core.history import History, Progress
from ...core.learners import WeakLearner
from ...core.learners.binned import BinnedLearner
from ...core.potentials import Huber
from ...core.sources import Source
from ...core.tape import Margins, Tape
from ...kernels.dispatch import cores
from ...rounds.boosting import Run, boost
from ...rounds.many import boost_many
from ..data import Data
from ..held_out_choice import Choice, Task, level_out

PATIENCE = 40  # rounds without a new low of the held-out potential, after which a run is cut short
TOGETHER = 8  # rounds that are looked at together


def stretch(share: float, shift: float) -> float:
    """By how much steps are made smaller, and margins larger afterwards, under covariate shift.

    The psi part of the potential then weighs share * shift + (1 - share), and margins settle at E[y|x] divided by that.
    Steps that are smaller by the same factor make an overestimated shift free, and margins that are stretched back are
    on the scale of E[y|x] again.
    """
    return 1.0 + share * (shift - 1.0)


def relative_edge(share: float, shift: float) -> float:
    """How large edges are under covariate shift, against those without: labeled rows have a smaller part in a batch.

    It is the ratio of :attr:`agnoboost.core.samplers.WithLabels.scale` for both; thresholds on edges shrink with it.
    """
    return 2.0 / (2.0 + share * (shift - 1.0))


class HeldOutPotential:
    """A callback that keeps the potential on held-out rows after 0, 1, ... rounds, and stops when it falls no more.

    It looks at a few rounds at a time, which takes less time than one by one.
    """

    def __init__(self, rows: Data, problem: int, least: int, stretch: float = 1.0):
        psi = rows.weight if rows.psi is None else rows.psi
        self._X, self._psi = rows.X, psi / psi.sum()
        self._pull = rows.weight * rows.targets[:, problem] / psi.sum()
        self._stretch, self._most = stretch, np.inf if rows.psi is None else 1.0
        self._least = least  # rounds that are run in any case
        self._margins = Margins()
        self.curve = [0.0]  # H_1 = 0
        self._lowest = 0

    def __call__(self, progress: Progress, /) -> bool:
        rounds = len(progress.tape)
        if rounds % TOGETHER and rounds < progress.rounds:
            return False
        new = range(len(self.curve), rounds + 1)
        margins = np.array([self._margins.at(progress.tape.prefix(length), self._X) for length in new])
        margins = np.clip(self._stretch * margins, -self._most, self._most)
        self.curve += (Huber().value(margins, np.zeros_like(margins)) @ self._psi - margins @ self._pull).tolist()
        self._lowest = min(self._lowest, *new, key=self.curve.__getitem__)
        return rounds >= self._least and rounds - self._lowest >= PATIENCE


class TrainingSet(Protocol):
    """Rows to train on, for one problem or for each class against the rest: in memory, or elsewhere."""

    @property
    def problems(self) -> int: ...

    @property
    def unlabeled(self) -> Source | None: ...

    def pool(self, problem: int) -> Source:
        """The labeled rows of one problem."""


# (labeled rows, unlabeled rows or None, unlabeled_weight) -> Booster
MakeBooster = Callable[[Source, "Source | None", float], Booster]
Checkpointing = dict[str, Any]  # arguments of boost


@dataclass(frozen=True)
class Tapes:
    """One tape for each one-against-rest problem."""

    each: list[Tape]

    def margins(self, rounds: int, X: Matrix) -> Floats:
        return np.column_stack([tape.prefix(min(rounds, len(tape))).margin(X) for tape in self.each])


@dataclass(frozen=True)
class Trainer:
    """Runs boosters for every class."""

    make: MakeBooster
    learner: WeakLearner
    rounds: int  # the most
    usual_rounds: int  # what is used unless held-out labels speak clearly for another number
    classes: int
    seed: int
    shift: float = 1.0
    engine: str = "auto"

    def boosters(self, data: TrainingSet, share: float) -> list[Booster]:
        return [self.make(data.pool(problem), data.unlabeled, share) for problem in range(data.problems)]

    def run(
        self,
        data: TrainingSet,
        share: float,
        rounds: int,
        callbacks: tuple[Callback, ...],
        checkpoints: list[Checkpointing],
    ) -> list[Run]:
        """One run for each class, all with the same seed and callbacks."""
        runs: list[Run] = []
        boosters = self.boosters(data, share)
        for booster, saving in zip(boosters, checkpoints, strict=True):
            length = _lasting(booster, rounds)
            learner = self.learner_for(share)
            settings = {"rng": self.seed, "callbacks": callbacks, "engine": self.engine, **saving}
            runs.append(boost(booster, learner, rounds=length, **settings))
            if runs[-1].interrupted and len(runs) < len(boosters):
                raise KeyboardInterrupt  # a model needs all its classes
        return runs

    def learner_for(self, share: float) -> WeakLearner:
        """The weak learner; what a split must gain is on the scale of the edges."""
        factor = relative_edge(share, self.shift)
        return self.learner if factor == 1.0 else self.learner.with_gain_scaled(factor)

    def tapes(self, runs: list[Run], share: float) -> list[Tape]:
        """The ensembles, on the scale of E[y|x]."""
        return [run.tape.stretched(stretch(share, self.shift)) for run in runs]

    def watched(self, task: Task) -> tuple[Tapes, Floats]:
        """Tapes trained on some rows, and the potential on others after each round, summed over the classes."""
        return self._watched([task], 1)[0]

    def all_watched(self, tasks: list[Task], n_jobs: int | None) -> list[tuple[Tapes, Floats]]:
        """:meth:`watched` for tasks of one share: in threads with our own engines, in processes with other learners."""
        if self.engine == "gpu":  # which one run fills
            return self._watched(tasks, 1)
        if isinstance(self.learner, BinnedLearner):
            return self._watched(tasks, cores() if n_jobs is None else effective_n_jobs(n_jobs))
        return list(Parallel(n_jobs=n_jobs)(delayed(self.watched)(task) for task in tasks))

    def _watched(self, tasks: list[Task], n_jobs: int) -> list[tuple[Tapes, Floats]]:
        """Tasks of one share: they have the same weak learner."""
        boosters = [booster for task in tasks for booster in self.boosters(task.data, task.share)]
        watchers = [
            HeldOutPotential(task.held_out, problem, self.usual_rounds, stretch(task.share, self.shift))
            for task in tasks
            for problem in range(task.held_out.problems)
        ]
        runs = boost_many(
            boosters,
            self.learner_for(tasks[0].share),
            rounds=[_lasting(booster, self.rounds) for booster in boosters],
            rng=self.seed,
            callbacks=[(watcher,) for watcher in watchers],
            n_jobs=n_jobs,
            engine=self.engine,
        )
        if any(run.interrupted for run in runs):
            raise KeyboardInterrupt  # half a choice is none
        found, each = [], len(boosters) // len(tasks)
        for number, task in enumerate(tasks):
            own = slice(number * each, (number + 1) * each)
            curves = level_out([watcher.curve for watcher in watchers[own]])
            found.append((Tapes(self.tapes(runs[own], task.share)), np.sum(curves, axis=0)))
        return found


def _lasting(booster: Booster, rounds: int) -> int:
    """As many rounds as the data last for."""
    return rounds if booster.max_rounds is None else min(rounds, booster.max_rounds)


@dataclass(frozen=True)
class FitHistory:
    """Every round of a fit, and what was chosen and why.

    Attributes
    ----------
    runs : list of History
        The rounds of each class (one entry for two classes).
    choice : Choice
        Rounds and unlabeled weight; ``choice.reason`` says why, in words.
    engines : list of str
        How each run was done: names in :data:`agnoboost.rounds.ENGINES`.
    questions : list of dict
        How often each run asked whoever keeps the rows (``Run.questions``); model files do not keep it.
    """

    runs: list[History]
    choice: Choice
    engines: list[str]
    questions: list[Mapping[str, int]] = field(default_factory=list)
