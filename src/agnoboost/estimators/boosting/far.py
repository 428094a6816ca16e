"""Fitting to rows that stay elsewhere: on the workers of a cluster, or on a disk.

Labels are few, so what is chosen by them (rounds, unlabeled weight) is chosen in this process, on the labeled rows and
a sample of the others: the same rows that a table in memory would be chosen by, as long as labels are not too many. The
final run asks those who keep the rows. So the model is the one that a fit in memory gives, to the bit.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ...basics.stages import Moment, Stages
from ...basics.typing import Ints
from ...core.far_rows import FarRows
from ...core.history import Progress
from ...core.learners import HistogramStumpLearner
from ...core.sources import Pool
from ...kernels.binning import Bins
from ...kernels.cells import Layout
from ...rounds.far.blocks import Blocks, Places, SomeRows, look_at
from ...rounds.far.table import FarTable
from ..choosing import choose
from ..data import CHOICE_ROWS, Data
from .estimator import AgnosticBoostingClassifier

MOST_LABELED = 50_000  # labeled rows that are gathered to choose by
MOST_VALUES = 25_000_000  # and no more numbers than these


@dataclass(frozen=True)
class FarData:
    """Rows of a training set that a table keeps (a :class:`~.training.TrainingSet`)."""

    table: FarTable
    labeled_rows: int
    unlabeled_rows: int
    classes: int

    @property
    def problems(self) -> int:
        return 1 if self.classes == 2 else self.classes

    @property
    def unlabeled(self) -> FarRows | None:
        return self._source(self.unlabeled_rows, labeled=False) if self.unlabeled_rows else None

    def pool(self, problem: int) -> FarRows:
        """The labeled rows of one problem."""
        return self._source(self.labeled_rows, labeled=True, positive=1 if self.classes == 2 else problem)

    def _source(self, rows: int, **kind: Any) -> FarRows:
        return FarRows(self.table, rows, len(self.table.layout.categorical), identity=self.table.identity, **kind)


def check_far(model: AgnosticBoostingClassifier) -> None:
    """Refuse, before any work, what needs rows in memory."""
    wanted = {"weak_learner": "stump", "batch_size": None, "class_weight": None, "label_model": None}
    for name, value in wanted.items():
        if getattr(model, name) != value:
            raise ValueError(
                f"On rows that are not in memory {name} must be {value!r}. Got {getattr(model, name)!r}. Change it, or "
                "fit to a table in memory."
            )
    if model.algorithm not in ("algorithm1", "algorithm3"):
        raise ValueError(
            "On rows that are not in memory algorithm must be 'algorithm1' or 'algorithm3'. Got "
            f"{model.algorithm!r}, which draws rows in each round."
        )


def fit_far(model: AgnosticBoostingClassifier, blocks: Blocks, stages: Stages) -> Data:
    """Fit to the rows of ``blocks``; classes and columns are known already. Returns the rows that were chosen by."""
    labeled, unlabeled = int(blocks.labeled.sum()), int(blocks.unlabeled.sum())
    seed = int(check_random_state(model.random_state).randint(2**31 - 1))
    stages.plan([*_STAGES])
    stages.begin(_STAGES[0])
    wanted = _wanted(labeled, unlabeled, blocks.features, seed)
    bins, rows = look_at(blocks, wanted, categorical=model._encoder.categorical)
    data = _data(rows, len(model.classes_))
    trainer = replace(model._trainer(data, bins), seed=seed)
    stages.begin(_STAGES[1])
    choice = model._explained(choose(model, trainer, model._usable(data), None))
    if len(data.codes) == labeled and choice.unlabeled_weight == 0.0:  # all that counts is here
        stages.begin(_STAGES[3])
        model._train(trainer, data, choice)
        return data
    stages.begin(_STAGES[2])
    with_unlabeled = choice.unlabeled_weight > 0.0
    with closing(blocks.kept(_layout(bins, model), with_unlabeled)) as table:
        stages.begin(_STAGES[3])
        far = FarData(table, labeled, unlabeled if with_unlabeled else 0, len(model.classes_))
        trainer = replace(trainer, learner=HistogramStumpLearner(bins, 1.0 / labeled))
        model._train(trainer, far, choice, (ToldRounds(stages, choice.rounds * far.problems),))
    return data


_STAGES = ("looking at the rows", "choosing on labels left out", "rows into bins", "rounds")


class ToldRounds:
    """A callback that says how many rounds are done, now and then."""

    def __init__(self, stages: Stages, rounds: int):
        self._stages, self._rounds, self._done = stages, rounds, 0

    def __call__(self, progress: Progress, /) -> None:
        self._done += 1
        if self._done % 16 == 0:
            self._stages.inside(Moment(f"{self._done} of {self._rounds}", self._done, self._rounds))


def _wanted(labeled: int, unlabeled: int, features: int, seed: int) -> Places:
    """The rows to choose by: those that a table in memory has for it (:meth:`Data.with_fewer_unlabeled`)."""
    most = min(MOST_LABELED, max(CHOICE_ROWS, MOST_VALUES // (3 * features)))
    chosen = _some(labeled, most, seed)
    return Places(chosen, _some(unlabeled, max(CHOICE_ROWS, 2 * len(chosen)), seed))


def _some(rows: int, most: int, seed: int) -> Ints:
    if rows <= most:
        return np.arange(rows)
    return np.random.default_rng(seed).choice(rows, most, replace=False)


def _data(rows: SomeRows, classes: int) -> Data:
    pool = Pool(rows.unlabeled) if len(rows.unlabeled) else None
    return Data.of_classes(rows.X, rows.codes.astype(np.int64), classes, np.ones(len(rows.codes)), pool)


def _layout(bins: Bins, model: AgnosticBoostingClassifier) -> Layout:
    """Cells for all bins, and for all categories that the columns were found to have."""
    largest = np.zeros((1, len(bins)))
    for feature, categories in model._encoder.categories.items():
        largest[0, feature] = len(categories) - 1
    return Layout.of(bins, [largest])
