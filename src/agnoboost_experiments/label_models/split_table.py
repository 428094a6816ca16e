"""A random split of a table, and how classifiers are asked for P(y = +1) on its test rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from agnoboost.basics.typing import Bools, Floats, Ints, Matrix
from agnoboost.estimators import TableClassifier
from agnoboost.labels import LabelModel
from agnoboost.tables.numbers import into_numbers

from ..few_labels.binary import Binary

TEST, UNLABELED = 1000, 2000

Ways = dict[str, Callable[[], Floats]]


@dataclass(frozen=True)
class SplitTable:
    """A random split of a table: test rows, unlabeled rows, and the rest, of which labels can be had."""

    table: Binary
    order: Ints
    seed: int

    @cached_property
    def test(self) -> tuple[Matrix, Bools]:
        return self._take(self.order[:TEST])

    @cached_property
    def unlabeled(self) -> tuple[Matrix, Bools]:
        """With their labels, which only the teacher may see."""
        return self._take(self.order[TEST : TEST + UNLABELED])

    @cached_property
    def rest(self) -> tuple[Matrix, Bools]:
        return self._take(self.order[TEST + UNLABELED :])

    def _take(self, rows: Ints) -> tuple[Matrix, Bools]:
        return self.table.X[rows], self.table.y[rows] > 0

    @cached_property
    def numbers(self) -> Any:
        """For models that need numbers everywhere."""
        return into_numbers(self.table.X.shape[1], self.table.categorical).fit(self.unlabeled[0])

    @property
    def sets(self) -> list[int] | None:
        """The columns that are categories."""
        return list(self.table.categorical) or None

    def ours(
        self, X: Matrix, y: Any, model: LabelModel | None = None, kind: Any = TableClassifier, weight: Any = None
    ) -> Floats:
        """One of our classifiers, with the unlabeled rows; labels of one class say that class."""
        if model is None and len(np.unique(y)) == 1:
            return np.full(len(self.test[0]), float(y[0]))
        fitted = kind(label_model=model, categorical_features=self.sets, random_state=self.seed)
        fitted.fit(X, y, weight, X_unlabeled=self.unlabeled[0])
        return np.asarray(fitted.predict_proba(self.test[0])[:, 1])

    def theirs(self, model: Any, X: Matrix, y: Any) -> Floats:
        """A classifier of scikit-learn, on numbers."""
        fitted = model.fit(self.numbers.transform(X), y)
        return np.asarray(fitted.predict_proba(self.numbers.transform(self.test[0]))[:, 1])

    def forest(self) -> Any:
        return RandomForestClassifier(min_samples_leaf=5, random_state=self.seed)
