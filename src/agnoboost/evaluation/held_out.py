"""Honest estimates: every labeled row is judged by models that have not seen it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed

from ..basics.intervals import paired_difference, wilson
from ..basics.typing import Bools, Floats, Ints
from ..labels.machine import beside
from ..tables.rows import take
from .by_class import ClassFigures, by_class, quiet_fits
from .identifiers import without_identifiers
from .model_selection import LabeledSplit
from .ranking import knows_something


@dataclass(frozen=True)
class HeldOutPredictions:
    """Predictions for labeled rows from models that were fitted without them, selection included.

    Attributes
    ----------
    y, predicted : array of shape (labels,)
        The labels that are judged, and what the models say.
    probabilities : array of shape (labels, classes)
        The models' chances of the classes that are judged.
    labeled_only : array of shape (labels,) or None
        What the same model says without any unlabeled row, if that was compared.
    folds : int
        How many there were.
    """

    y: npt.NDArray[Any]
    predicted: npt.NDArray[Any]
    probabilities: Floats
    labeled_only: npt.NDArray[Any] | None
    folds: int

    @property
    def right(self) -> Bools:
        """Which of them are right."""
        return np.asarray(self.predicted == self.y)

    @property
    def accuracy(self) -> tuple[float, float, float]:
        """Share of right predictions with Wilson's 95% interval."""
        return wilson(self.right)

    @property
    def by_class(self) -> list[ClassFigures]:
        """How well each class is found."""
        return by_class(self.y, self.predicted, self.probabilities, sorted(set(self.y.tolist())))

    @property
    def knows_something(self) -> bool:
        """Whether rows are ranked clearly better than by chance."""
        return knows_something(self.probabilities, np.unique(self.y.tolist(), return_inverse=True)[1])

    @property
    def without_unlabeled(self) -> tuple[float, float, float] | None:
        """The same model without any unlabeled row: its accuracy, the gain by these rows, half of its 95% interval."""
        if self.labeled_only is None:
            return None
        alone = np.asarray(self.labeled_only == self.y)
        return float(np.mean(alone)), *paired_difference(self.right, alone)


def possible_folds(counts: Iterable[int], asked: int) -> int:
    """As many folds as were asked for, if two classes have a row for each; else as many as two have, or 0.

    >>> possible_folds([150, 149, 1], 5), possible_folds([297, 3], 5), possible_folds([299, 1], 5)
    (5, 3, 0)
    """
    most = sorted([0, 0, *counts])[-2]
    return min(asked, most) if min(asked, most) >= 2 else 0


def cross_evaluate(
    model: Any,
    X: Any,
    y: Any,
    extra: Any,
    folds: int,
    tick: Callable[[], None] = lambda: None,
    jobs: int = 1,
    compare: bool = True,
    truth: npt.NDArray[Any] | None = None,
    machine_labels: Any = None,
) -> HeldOutPredictions:
    """Cross-validated predictions of the model, and of the same model without any unlabeled row.

    Classes that have fewer rows than there are folds are learned in every fold, and not judged.

    Parameters
    ----------
    model : classifier
        It is cloned, and stays as it is.
    X, y : table and labels
        Rows without label are marked in y; they are in every training set.
    extra : table or None
        More unlabeled rows.
    folds : int
        How many.
    tick : callable
        Called after every fit.
    jobs : int, default=1
        How many fits go on at a time. With one, fits use as many threads as the model does, else one each.
    compare : bool, default=True
        Whether the model is also fitted without any unlabeled row.
    truth : array, optional
        The classes to judge by, None for unlabeled rows, where ``y`` holds something else, such as votes.
    machine_labels : optional
        As for ``fit``. Rows that are held out are held out with them: nothing has learned from these.

    Returns
    -------
    HeldOutPredictions
        With accuracy and interval.
    """
    truth = y if truth is None else truth
    known = np.array([value is not None for value in truth])
    judged = known & _enough(truth, folds)
    shown = np.array(truth, dtype=object)
    shown[~judged] = None
    unlabeled = compare and ((~known).any() or extra is not None)
    changes = {"checkpoint": None, "verbose": 0} | ({} if jobs == 1 else {"n_jobs": 1})
    plain = clone(model).set_params(**{name: value for name, value in changes.items() if name in model.get_params()})
    X, extra = without_identifiers(model, X, extra)
    tasks = []
    for train, test in LabeledSplit(folds, missing_label=None).split(X, shown):
        tasks.append((False, train, test))
        if unlabeled:
            tasks.append((True, train[known[train]], test))
    names = sorted(set(truth[judged].tolist()))
    found = Parallel(n_jobs=jobs, return_as="generator")(
        delayed(_predict)(plain, X, y, *((None, None) if alone else (extra, machine_labels)), train, test, names)
        for alone, train, test in tasks
    )
    predicted, predicted_alone = np.empty(len(y), dtype=object), np.empty(len(y), dtype=object)
    probabilities = np.zeros((len(y), len(names)))
    for (alone, _, test), (classes, p) in zip(tasks, found, strict=True):
        (predicted_alone if alone else predicted)[test] = classes
        if not alone:
            probabilities[test] = p
        tick()
    return HeldOutPredictions(
        truth[judged], predicted[judged], probabilities[judged], predicted_alone[judged] if unlabeled else None, folds
    )


def _enough(truth: npt.NDArray[Any], folds: int) -> Bools:
    """Which rows are of a class with a row for every fold; all, where fewer than two classes have that many."""
    counts = Counter(value for value in truth if value is not None)
    enough = {name for name, count in counts.items() if count >= folds}
    return np.array([len(enough) < 2 or value in enough for value in truth])


def _predict(
    model: Any, X: Any, y: Any, extra: Any, machine_labels: Any, train: Ints, test: Ints, names: list[Any]
) -> tuple[npt.NDArray[Any], Floats]:
    """Classes, and probabilities of the named ones: votes may know a class that is never the likeliest."""
    with quiet_fits():  # figures by class follow
        fitted = clone(model).fit(
            take(X, train), _safe_indexing(y, train), X_unlabeled=extra, **beside(machine_labels, train)
        )
    left_out = take(X, test)
    p, places = fitted.predict_proba(left_out), {name: place for place, name in enumerate(fitted.classes_.tolist())}
    columns = [p[:, places[name]] if name in places else np.zeros(len(p)) for name in names]
    return fitted.predict(left_out), np.column_stack(columns)
