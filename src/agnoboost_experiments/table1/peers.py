"""What a user would try instead, with scikit-learn's defaults; all see the same labels, and the unlabeled rows if they
can use them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import AdaBoostClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier

from agnoboost.estimators import AgnosticBoostingClassifier
from agnoboost.evaluation.by_class import quiet_fits

from ..splits import UNLABELED, RowSplit


def supervised(make: Callable[[int], Any]) -> Callable[[RowSplit, int], float]:
    """A classifier that needs numbers, on the labeled rows."""

    def accuracy(split: RowSplit, seed: int) -> float:
        X, y = split.all_labels
        numbers = split.numbers()
        model = make(seed).fit(numbers.transform(X), y > 0)
        return _accuracy(model.predict(numbers.transform(split.test[0])), split)

    return accuracy


def semi_supervised(make: Callable[[int], Any]) -> Callable[[RowSplit, int], float]:
    """A classifier that takes unlabeled rows, marked by -1."""

    def accuracy(split: RowSplit, seed: int) -> float:
        X, y = split.all_labels
        numbers = split.numbers()
        rows = numbers.transform(np.concatenate([X, split.unlabeled]))
        marks = np.concatenate([y > 0, np.full(len(split.unlabeled), UNLABELED)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # runs that end early, and rows far from all others: a user gets them too
            model = make(seed).fit(rows, marks)
            return _accuracy(model.predict(numbers.transform(split.test[0])), split)

    return accuracy


def gradient_boosting(split: RowSplit, seed: int) -> float:
    """It takes missing values and categories as they are."""
    X, y = split.all_labels
    model = HistGradientBoostingClassifier(categorical_features=list(split.categorical) or None, random_state=seed)
    return _accuracy(model.fit(X, y > 0).predict(split.test[0]), split)


def estimator(split: RowSplit, seed: int) -> float:
    """Our estimator with its defaults."""
    X, y = split.all_labels
    model = AgnosticBoostingClassifier(categorical_features=list(split.categorical) or None, random_state=seed)
    with quiet_fits():
        model.fit(X, y, X_unlabeled=split.unlabeled)
    return _accuracy(model.predict(split.test[0]) > 0, split)


def _accuracy(predicted: Any, split: RowSplit) -> float:
    return float(np.mean(predicted == (split.test[1] > 0)))


PEERS: dict[str, Callable[[RowSplit, int], float]] = {
    "AgnosticBoostingClassifier": estimator,
    "logistic regression": supervised(lambda seed: LogisticRegression(max_iter=1000)),
    "random forest": supervised(lambda seed: RandomForestClassifier(random_state=seed)),
    "HistGradientBoosting": gradient_boosting,
    "AdaBoost": supervised(lambda seed: AdaBoostClassifier(random_state=seed)),
    "SelfTraining(logistic)": semi_supervised(lambda seed: SelfTrainingClassifier(LogisticRegression(max_iter=1000))),
    "LabelSpreading(knn)": semi_supervised(lambda seed: LabelSpreading(kernel="knn")),
}
