"""The rows of a training set, as trainers get them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..basics.typing import Floats, Ints, Matrix
from ..core.sources import Pool
from ..labels.models import one_against_rest

CHOICE_ROWS = 1000  # unlabeled rows that suffice to choose by


@dataclass(frozen=True)
class Data:
    """Rows of a training set.

    ``codes`` are class numbers 0..k-1, ``targets`` are what stands for the label in each one-against-rest problem
    (shape: rows, problems): -1 and +1, or unbiased stand-ins for them. Weights are relative. ``labels`` is how many of
    the rows have labels, if not all; they come first. ``apart`` says that the rows are no sample of the population, so
    that psi must come from unlabeled rows (see :class:`~agnoboost.labels.models.Sampled`).
    """

    X: Matrix
    codes: Ints
    targets: Floats
    weight: Floats
    unlabeled: Pool | None = None
    labels: int | None = None
    apart: bool = False

    @classmethod
    def of_classes(cls, X: Matrix, codes: Ints, classes: int, weight: Floats, unlabeled: Pool | None = None) -> Data:
        """Rows whose labels are taken at face value."""
        return cls(X, codes, one_against_rest(codes, classes), weight, unlabeled)

    @property
    def label_count(self) -> float:
        """How many labels there are: a row of weight 2 counts as two, and fractions of a row as no less than one."""
        if self.apart and self.labels is not None:
            return float(self.labels)
        return max(float(len(self.codes)), float(self.weight.sum()))

    @property
    def least_gain(self) -> float:
        """What a split must add to the correlation of a batch: as much as one label, 1/n at face value.

        What adds less than a single row can is noise. Stand-ins pull with their size, and a batch is a gradient divided
        by its bound, 1 + the largest of them. Labels of one class alone are noisier: a split must be worth three.
        """
        size = np.abs(self.targets)
        if (size == 1.0).all():
            return 1.0 / self.label_count
        labels = slice(self.labels)
        pull = float((self.weight[labels, None] * size[labels]).sum() / self.weight.sum() / self.problems)
        return (3.0 if self.apart else 1.0) * 2.0 * pull / (1.0 + max(1.0, float(size.max()))) / self.label_count

    def take(self, rows: Ints) -> Data:
        return replace(
            self, X=self.X[rows], codes=self.codes[rows], targets=self.targets[rows], weight=self.weight[rows]
        )

    def pool(self, problem: int) -> Pool:
        """The labeled rows of one problem."""
        return Pool(self.X, self.targets[:, problem], self.weight, soft=True)

    @property
    def problems(self) -> int:
        return int(self.targets.shape[1])

    def with_fewer_unlabeled(self, seed: int) -> Data:
        """Enough unlabeled rows to choose by, drawn at random; the final run uses all of them."""
        most = max(CHOICE_ROWS, 4 * len(self.codes))
        if self.unlabeled is None or len(self.unlabeled) <= most:
            return self
        rows = np.random.default_rng(seed).choice(len(self.unlabeled), most, replace=False)
        return replace(self, unlabeled=Pool(self.unlabeled.X[rows], mass=self.unlabeled.mass[rows]))


@dataclass(frozen=True)
class Task:
    """Rows to train on, with a weight for the unlabeled ones, and rows to judge by."""

    data: Data
    share: float
    held_out: Data
