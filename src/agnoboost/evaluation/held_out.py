"""Honest estimates for ``agnoboost fit``: every labeled row is judged by models that have not seen it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from ..basics.typing import Bools, Floats, Ints
from .model_selection import LabeledSplit


@dataclass(frozen=True)
class Evaluation:
    """Predictions for labeled rows from models that were fitted without them, selection included."""

    y: npt.NDArray[Any]
    predicted: npt.NDArray[Any]
    probabilities: Floats
    labeled_only: npt.NDArray[Any] | None
    folds: int

    @property
    def right(self) -> Bools:
        return np.asarray(self.predicted == self.y)


def cross_evaluate(
    model: Any, X: Any, y: npt.NDArray[Any], extra: Any, folds: int, tick: Callable[[], None], jobs: int = 1
) -> Evaluation:
    """Cross-validated predictions of the model, and of the same model without any unlabeled row."""
    known = np.array([value is not None for value in y])
    unlabeled = (~known).any() or extra is not None
    tasks = []
    for train, test in LabeledSplit(folds, missing_label=None).split(X, y):
        tasks.append((False, train, test))
        if unlabeled:
            tasks.append((True, train[known[train]], test))
    found = Parallel(n_jobs=jobs, return_as="generator")(
        delayed(_predict)(model, X, y, None if alone else extra, train, test) for alone, train, test in tasks
    )
    predicted, predicted_alone = np.empty(len(y), dtype=object), np.empty(len(y), dtype=object)
    probabilities = np.zeros((len(y), len(set(y[known].tolist()))))
    for (alone, _, test), (classes, p) in zip(tasks, found, strict=True):
        (predicted_alone if alone else predicted)[test] = classes
        if not alone:
            probabilities[test] = p
        tick()
    return Evaluation(
        y[known], predicted[known], probabilities[known], predicted_alone[known] if unlabeled else None, folds
    )


def _predict(
    model: Any, X: Any, y: npt.NDArray[Any], extra: Any, train: Ints, test: Ints
) -> tuple[npt.NDArray[Any], Floats]:
    plain = {name: value for name, value in {"n_jobs": 1, "checkpoint": None}.items() if name in model.get_params()}
    fitted = clone(model).set_params(**plain).fit(X.iloc[train], y[train], X_unlabeled=extra)
    return fitted.predict(X.iloc[test]), fitted.predict_proba(X.iloc[test])


def wilson(right: Bools, z: float = 1.96) -> tuple[float, float, float]:
    """Share of successes with Wilson's 95% interval.

    >>> [round(v, 3) for v in wilson(np.array([True] * 81 + [False] * 19))]
    [0.81, 0.722, 0.875]
    """
    n, p = len(right), float(np.mean(right))
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return p, float(centre - half), float(centre + half)


def paired_difference(first: Bools, second: Bools) -> tuple[float, float]:
    """Mean difference in accuracy on the same rows, and half the width of its 95% interval."""
    difference = first.astype(float) - second.astype(float)
    return float(difference.mean()), float(1.96 * difference.std(ddof=1) / np.sqrt(len(difference)))
