"""Runs of a backend inside ``fit``: those that are watched on held-out rows, and the one on all labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..basics.typing import Floats, Matrix
from ..estimators.boosting.training import stretch
from ..estimators.data import Data
from ..estimators.held_out_choice import Task, level_out
from ..estimators.population import with_psi_apart
from .backend import Backend, Ensemble, Patience, ProblemRows, Watch
from .objective import UnlabeledObjective, labels_of

PATIENCE = 25  # rounds without a new low of the held-out potential, after which a run is cut short


@dataclass(frozen=True)
class Ensembles:
    """One ensemble for each one-against-rest problem; ``stretch`` brings margins to the scale of E[y|x]."""

    each: Sequence[Ensemble]
    stretch: float = 1.0

    def margins(self, rounds: int, X: Matrix) -> Floats:
        return self.stretch * np.column_stack([ensemble.margin(X, rounds) for ensemble in self.each])


@dataclass(frozen=True)
class BackendTrainer:
    """Trains a backend for every class."""

    backend: Backend
    potential: str
    rounds: int  # the most
    usual_rounds: int  # what is used unless held-out labels speak clearly for another number
    classes: int
    seed: int
    categorical: tuple[int, ...]
    shift: float = 1.0

    def run(self, data: Data, share: float, rounds: int) -> Ensembles:
        """The model on all rows."""
        found = [self.backend.train(rows, self._objective(share), rounds)[0] for rows in self._problems(data, share)]
        return Ensembles(found, stretch(share, self.shift))

    def watched(self, task: Task) -> tuple[Ensembles, Floats]:
        """See :class:`~agnoboost.estimators.held_out_choice.Watcher`."""
        stop = Patience(PATIENCE, self.usual_rounds)
        found, curves = [], []
        scale = stretch(task.share, self.shift)
        judges, share = replace(task.held_out, unlabeled=None), 0.0
        if judges.psi is not None:
            judges, share = with_psi_apart(judges), 1.0
        for rows, others in zip(self._problems(task.data, task.share), self._problems(judges, share), strict=True):
            watch = Watch(others, stop, scale, share)
            ensemble, curve = self.backend.train(rows, self._objective(task.share), self.rounds, watch)
            found.append(ensemble)
            curves.append([0.0, *curve])  # H = 0 before the first round
        return Ensembles(found, scale), np.asarray(level_out(curves).sum(axis=0))

    def all_watched(self, tasks: list[Task], n_jobs: int | None) -> list[tuple[Ensembles, Floats]]:
        """One after the other: the backend has threads of its own."""
        return [self.watched(task) for task in tasks]

    def _objective(self, share: float) -> UnlabeledObjective:
        return UnlabeledObjective(self.potential, share, self.shift, soft=True)

    def _problems(self, data: Data, share: float) -> list[ProblemRows]:
        """Rows of each one-against-rest problem; unlabeled rows are left out where they count for nothing."""
        pool = data.unlabeled if share > 0 else None
        X, y, weight = data.X, labels_of(data.targets), data.weight
        if pool is not None:
            X, y = np.concatenate([X, pool.X]), np.concatenate([y, np.zeros((len(pool), data.problems))])
            # The masses of unlabeled rows sum to 1: only their proportions matter, so they may average 1 as well.
            weight = np.concatenate([weight, pool.mass * len(pool)])
        return [ProblemRows(X, column, weight, self.categorical) for column in y.T]
