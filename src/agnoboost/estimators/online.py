"""Boosting of online learners: rows come one after the other, and each is learned from as it passes."""

from __future__ import annotations

from math import sqrt
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import SGDClassifier
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import check_is_fitted, check_random_state, validate_data

from ..basics.checks import check_count, check_gamma
from ..basics.typing import Floats


class OnlineBoostingClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Agnostic online boosting by regret minimisation (Brukhim, Chen, Hazan, Moran, 2020), for two classes.

    Every row passes all weak learners in turn. What those before a weak learner say of the row decides, through an
    online learner of its own, the weight p in [0, 1] with which the row still counts: the weak learner gets the true
    label with probability (1 + p)/2, else the other one. The statistical form, on a table, is
    :func:`agnoboost.brukhim_2020`.

    Parameters
    ----------
    estimator : classifier with ``partial_fit``, default=None
        The weak learner; None for scikit-learn's SGDClassifier.
    n_estimators : int, default=20
        How many of them. In the worst case the regret of the online learners costs (1 + 1/gamma)/sqrt(n_estimators) in
        correlation, which says something from some hundred on; a row costs a call of each.
    gamma : float in (0, 1], default=0.25
        The weak learners' edge: their share of the best correlation.
    random_state : int, RandomState or None
        For the labels that are passed on.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The classes, sorted.
    estimators_ : list
        The weak learners.
    n_features_in_ : int
        Number of columns.

    Notes
    -----
    The rows of one call of ``partial_fit`` are one time step: all of them are looked at before any is learned from.
    """

    def __init__(
        self, estimator: Any = None, n_estimators: int = 20, gamma: float = 0.25, random_state: Any = None
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.gamma = gamma
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Forget everything, and learn from the rows one by one, in their order."""
        rows, labels = validate_data(self, X, y)
        self._start(unique_labels(labels))
        signed = np.where(labels == self.classes_[1], 1.0, -1.0)
        for place in range(len(rows)):
            self._learn(rows[place : place + 1], signed[place : place + 1], first=place == 0)
        return self

    def partial_fit(self, X: npt.ArrayLike, y: npt.ArrayLike, classes: npt.ArrayLike | None = None) -> Self:
        """Learn from rows as they come; ``classes`` must be given the first time unless both are among ``y``."""
        first = not hasattr(self, "estimators_")
        rows, labels = validate_data(self, X, y, reset=first)
        known = self.classes_ if not first else unique_labels(labels) if classes is None else np.unique(classes)
        if not np.isin(labels, known).all():
            raise ValueError(f"y must hold the classes {known.tolist()}. Got {np.unique(labels).tolist()}.")
        if first:
            self._start(known)
        self._learn(rows, np.where(labels == self.classes_[1], 1.0, -1.0), first)
        return self

    def _learn(self, rows: Any, signed: Floats, first: bool) -> None:
        """One time step; before the first one nobody has an opinion."""
        votes = np.zeros((self.n_estimators, len(rows))) if first else self._votes(rows)
        for learner, weight in zip(self.estimators_, self._weights(votes, signed), strict=True):
            kept = np.where(self._random.random_sample(len(rows)) < (1.0 + weight) / 2.0, signed, -signed)
            learner.partial_fit(rows, kept, classes=np.array([-1.0, 1.0]))

    def _start(self, classes: Any) -> None:
        check_count(self.n_estimators, "n_estimators")
        check_gamma(self.gamma)
        base = SGDClassifier() if self.estimator is None else self.estimator
        if not hasattr(base, "partial_fit"):
            raise ValueError(f"estimator must have partial_fit, to learn row by row. Got {type(base).__name__}.")
        if len(classes) != 2:
            raise ValueError(
                f"Only binary classification is supported. Got {len(classes)} classes: {list(classes)}. Where the "
                "first rows are of one class, name both: partial_fit(X, y, classes=[...]). For more than two classes "
                "wrap this in sklearn.multiclass.OneVsRestClassifier."
            )
        self.classes_ = np.asarray(classes)
        self._random = check_random_state(self.random_state)
        self.estimators_ = [clone(base) for _ in range(self.n_estimators)]
        for learner in self.estimators_:
            if "random_state" in learner.get_params():
                learner.set_params(random_state=self._random.randint(2**31 - 1))

    def _votes(self, rows: Any) -> Floats:
        return np.array([learner.predict(rows) for learner in self.estimators_], dtype=np.float64)

    def _weights(self, votes: Floats, signed: Floats) -> Floats:
        """p for every weak learner and row: lazy gradient descent on p * (y h/gamma - 1), from p = 1."""
        pace = 1.0 / ((1.0 + 1.0 / self.gamma) * sqrt(self.n_estimators))
        losses = np.cumsum(signed * votes / self.gamma - 1.0, axis=0)
        before = np.vstack([np.zeros(len(signed)), losses[:-1]])
        return np.clip(1.0 - pace * before, 0.0, 1.0)

    def decision_function(self, X: npt.ArrayLike) -> Floats:
        """The mean vote over gamma; clipped to [-1, 1] it is the mean label of the theorem's randomised prediction."""
        check_is_fitted(self, "estimators_")
        rows = validate_data(self, X, reset=False)
        return np.asarray(self._votes(rows).mean(axis=0) / self.gamma)

    def predict_proba(self, X: npt.ArrayLike) -> Floats:
        """How likely the randomised prediction is each class. (It says how it bets, and is not calibrated.)"""
        up = (1.0 + np.clip(self.decision_function(X), -1.0, 1.0)) / 2.0
        return np.column_stack([1.0 - up, up])

    def predict(self, X: npt.ArrayLike) -> Any:
        """The likelier class."""
        up = self.decision_function(X) >= 0
        return self.classes_[up.astype(int)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
