"""How a split is handed to a classifier: as numbers, as codes with named categories, or with its unlabeled rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from agnoboost.basics.typing import Floats, Ints

from ..splits import UNLABELED, RowSplit

Fit = Callable[[RowSplit, int], Callable[[Any], Floats]]  # (split, seed) -> rows -> P(y = +1 | x)


def on_numbers(make: Callable[[int], Any]) -> Fit:
    """A classifier that needs numbers, on the labeled rows."""

    def fit(split: RowSplit, seed: int) -> Callable[[Any], Floats]:
        numbers = split.numbers()
        model = make(seed).fit(numbers.transform(split.labeled[0]), zero_one(split))
        return lambda X: model.predict_proba(numbers.transform(X))[:, 1]

    return fit


def semi_supervised(make: Callable[[int], Any]) -> Fit:
    """A classifier that takes unlabeled rows, marked by -1."""

    def fit(split: RowSplit, seed: int) -> Callable[[Any], Floats]:
        numbers = split.numbers()
        rows = numbers.transform(np.concatenate([split.labeled[0], split.unlabeled]))
        marks = np.concatenate([zero_one(split), np.full(len(split.unlabeled), UNLABELED)])
        model = make(seed).fit(rows, marks)
        return lambda X: np.nan_to_num(model.predict_proba(numbers.transform(X))[:, 1], nan=0.5)

    return fit


def on_codes(make: Callable[[int, list[int]], Any]) -> Fit:
    """A classifier that takes missing values, and is told which columns are categories."""

    def fit(split: RowSplit, seed: int) -> Callable[[Any], Floats]:
        model = make(seed, list(split.categorical)).fit(split.labeled[0], zero_one(split))
        return lambda X: model.predict_proba(X)[:, 1]

    return fit


def with_unlabeled(make: Callable[..., Any]) -> Fit:
    """Our estimators: all rows as they are, unlabeled ones included."""

    def fit(split: RowSplit, seed: int) -> Callable[[Any], Floats]:
        model = make(categorical_features=list(split.categorical) or None, random_state=seed)
        model.fit(*split.labeled, X_unlabeled=split.unlabeled)
        return lambda X: model.predict_proba(X)[:, 1]

    return fit


def zero_one(split: RowSplit) -> Ints:
    """The labels, as most libraries like them."""
    return (split.labeled[1] > 0).astype(np.int64)
