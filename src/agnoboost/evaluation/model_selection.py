"""Cross-validation and scoring for partially labeled data, with any scikit-learn estimator.

Ordinary splitters put unlabeled rows into test folds, where nothing can be measured, and scorers then count the mark of
an unlabeled row as a class. Here unlabeled rows always help to train and never count in a score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer
from sklearn.model_selection import StratifiedKFold, check_cv

from ..basics.checks import check_count
from ..basics.typing import Ints
from ..datasets.labels import drop_labels, flip_labels
from ..labels.models import ClassLabels, LabelModel
from ..labels.reading import scored_rows, shown
from ..tables.rows import row_count

__all__ = ["LabeledSplit", "drop_labels", "flip_labels", "labeled_scorer"]


class LabeledSplit:
    """Split the labeled rows, stratified by class; unlabeled rows are in every training set and in no test set.

    ``cross_val_predict`` wants every row in one test set, and so refuses it ("only works for partitions"): for
    predictions of rows left out go through :meth:`split`, fit a clone to each training set, and predict its test set.

    Parameters
    ----------
    cv : int or cross-validator, default=5
        A number of folds (stratified, shuffled), or any splitter of scikit-learn, which is shown the labeled rows only.
    missing_label : default="auto"
        The mark of unlabeled rows, as in :class:`~agnoboost.AgnosticBoostingClassifier`: by default NaN, None, and -1
        beside at least two classes.
    random_state : int, default=0
        For the shuffling of a number of folds.
    label_model : LabelModel, optional
        That of the classifier, where ``y`` holds votes, soft labels or positives. Votes and soft labels are stratified
        by the likelier class. With positives alone test sets hold positives alone: they can compare models by how
        many of those are found, but neither classes nor priors.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.semi_supervised import SelfTrainingClassifier
    >>> X, y = make_classification(300, random_state=0)
    >>> y[60:] = -1
    >>> model = SelfTrainingClassifier(LogisticRegression())
    >>> len(cross_val_score(model, X, y, cv=LabeledSplit(3)))
    3
    """

    def __init__(
        self,
        cv: Any = 5,
        *,
        missing_label: Any = "auto",
        random_state: int = 0,
        label_model: LabelModel | None = None,
    ):
        self.cv = cv
        self.missing_label = missing_label
        self.random_state = random_state
        self.label_model = label_model

    def __repr__(self) -> str:
        return f"LabeledSplit(cv={self.cv!r})"

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[Ints, Ints]]:
        """Row numbers of each training and test set."""
        try:
            found = _model(self.label_model).read(y, row_count(y), self.missing_label, "LabeledSplit")
        except ValueError as error:
            if self.label_model is not None:
                raise
            raise ValueError(
                f"{error} LabeledSplit reads y as classes; if it holds something else, pass the classifier's "
                "label_model= to LabeledSplit, too."
            ) from None
        known, unlabeled = np.flatnonzero(found.known), np.flatnonzero(~found.known)
        present, codes = np.unique(found.codes, return_inverse=True)  # a class may be the likelier one of no row
        counts, splitter = np.bincount(codes), self._splitter()
        if isinstance(self.cv, (int, np.integer)) and counts.min() < self.cv:
            raise ValueError(
                f"Each class needs a labeled row in every fold. Got {self.cv} folds and {counts.min()} labeled row(s) "
                f"of class {shown(found.classes[present[counts.argmin()]])}. Use fewer folds, or label more rows."
            )
        part = None if groups is None else np.asarray(groups)[known]
        for train, test in splitter.split(known, codes, part):
            yield np.sort(np.concatenate([known[train], unlabeled])), known[test]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of folds."""
        return int(self._splitter().get_n_splits(X, y, groups))

    def _splitter(self) -> Any:
        if isinstance(self.cv, (int, np.integer)):
            folds = check_count(int(self.cv), "cv", least=2)
            return StratifiedKFold(folds, shuffle=True, random_state=self.random_state)
        return check_cv(self.cv)


class labeled_scorer:  # noqa: N801 - used like scikit-learn's make_scorer
    """A scorer that leaves unlabeled rows out, for use with any splitter: ``scoring=labeled_scorer("roc_auc")``.

    Parameters
    ----------
    scoring : str or callable, default="accuracy"
        A scorer of scikit-learn, or its name.
    missing_label : default="auto"
        The mark of unlabeled rows, as for :class:`LabeledSplit`.
    label_model : LabelModel, optional
        That of the classifier: votes and soft labels then count for the likelier class.
    """

    def __init__(
        self,
        scoring: str | Callable[..., float] = "accuracy",
        *,
        missing_label: Any = "auto",
        label_model: LabelModel | None = None,
    ):
        self.scoring = scoring
        self.missing_label = missing_label
        self.label_model = label_model

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        column = _model(self.label_model).classes_of(y, row_count(y), self.missing_label, "labeled_scorer")
        rows = np.flatnonzero(scored_rows(column, estimator.classes_, self.missing_label))
        truth = column[rows].astype(estimator.classes_.dtype)
        return float(get_scorer(self.scoring)(estimator, X.iloc[rows] if hasattr(X, "iloc") else X[rows], truth))


def _model(label_model: LabelModel | None) -> LabelModel:
    return ClassLabels() if label_model is None else label_model
