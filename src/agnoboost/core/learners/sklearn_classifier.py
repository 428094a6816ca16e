"""Any scikit-learn classifier as a weak learner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from ...basics.checks import refuse_missing
from ...basics.typing import Floats, Matrix, Rng
from ..batch import Batch
from .base import Constant, Hypothesis, WeakLearner


@dataclass(frozen=True, eq=False, slots=True)
class FittedClassifier(Hypothesis):
    """A fitted estimator with classes -1 and +1."""

    estimator: Any

    def predict(self, X: Matrix) -> Floats:
        return np.asarray(self.estimator.predict(X), dtype=np.float64)


@dataclass(frozen=True, eq=False, slots=True)
class FittedProbability(Hypothesis):
    """The mean label 2*P(+1|x) - 1 of a fitted estimator: values in [-1, 1]."""

    estimator: Any
    binary = False

    def predict(self, X: Matrix) -> Floats:
        return 2.0 * np.asarray(self.estimator.predict_proba(X), dtype=np.float64)[:, 1] - 1.0


@dataclass(frozen=True)
class ClassifierLearner(WeakLearner):
    """Fit a clone of a classifier to each batch.

    A row with mean label t becomes two rows, (x, +1) and (x, -1), with weights mass*(1+t)/2 and mass*(1-t)/2, scaled
    so that the weights average one a row (regularisers such as C in LogisticRegression then mean what they usually
    do). A classifier that takes no ``sample_weight`` works with ``realize=bernoulli(m)``.

    Parameters
    ----------
    estimator : classifier
        It is cloned, never fitted itself. Its ``random_state``, where it has one, is set from the run's generator.
    """

    savable = False

    estimator: Any

    def __post_init__(self) -> None:
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit") or not is_classifier(self.estimator):
            raise ValueError(
                f"estimator must be a scikit-learn classifier with fit and predict. Got {self.estimator!r}. "
                "Pass an instance, for example DecisionTreeClassifier(max_depth=2)."
            )

    def check(self, X: Matrix) -> None:
        if not get_tags(self.estimator).input_tags.allow_nan:
            refuse_missing(X, f"{type(self.estimator).__name__} takes none.")

    @property
    def needs_hard_labels(self) -> bool:  # type: ignore[override]
        return not has_fit_parameter(self.estimator, "sample_weight")

    def fit(self, batch: Batch, rng: Rng) -> Hypothesis:
        positive = batch.mass * (1.0 + batch.target) / 2.0
        negative = batch.mass * (1.0 - batch.target) / 2.0
        up, down = positive > 0, negative > 0
        if not up.any() or not down.any():
            return Constant(1 if up.any() else -1)
        estimator = clone(self.estimator)
        seed_estimator(estimator, rng)
        X = np.concatenate([batch.X[up], batch.X[down]])
        y = np.concatenate([np.ones(up.sum(), dtype=int), -np.ones(down.sum(), dtype=int)])
        weights = np.concatenate([positive[up], negative[down]])
        if self.needs_hard_labels:
            estimator.fit(X, y)
        else:
            estimator.fit(X, y, sample_weight=weights * (len(weights) / weights.sum()))
        return self._hypothesis(estimator)

    def _hypothesis(self, estimator: Any) -> Hypothesis:
        return FittedClassifier(estimator)


@dataclass(frozen=True)
class ProbabilityLearner(ClassifierLearner):
    """As :class:`ClassifierLearner`, with real values: the hypothesis is 2*P(+1|x) - 1.

    Parameters
    ----------
    estimator : classifier
        One with ``predict_proba``; it is cloned, never fitted itself.
    """

    binary = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not hasattr(self.estimator, "predict_proba"):
            raise ValueError(
                f"estimator must have predict_proba. Got {self.estimator!r}. Use ClassifierLearner instead."
            )

    def _hypothesis(self, estimator: Any) -> Hypothesis:
        return FittedProbability(estimator)


def seed_estimator(estimator: Any, rng: Rng) -> None:
    """Give every ``random_state`` of an estimator, nested ones included, a number from ``rng``."""
    names = sorted(name for name in estimator.get_params() if name.split("__")[-1] == "random_state")
    if names:
        estimator.set_params(**{name: int(rng.integers(2**31)) for name in names})
