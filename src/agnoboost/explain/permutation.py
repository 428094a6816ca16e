"""Which columns a model's score depends on: how much worse it gets when the cells of a column are shuffled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.metrics import get_scorer

from ..basics.checks import check_count
from ..basics.typing import Floats
from ..evaluation.by_class import quiet_fits
from ..evaluation.identifiers import without_identifiers
from ..evaluation.model_selection import LabeledSplit
from ..labels.reading import label_column, scored_rows
from ..tables.rows import row_count, take
from .words import column_names

LOG_LOSS = "log loss"
LEAST_PROBABILITY = 1e-12


@dataclass(frozen=True)
class Importances:
    """Of all columns.

    Attributes
    ----------
    columns : list of str
        Their names.
    losses : array of shape (columns, shuffles)
        What each shuffle of a column costs: the score before it minus the score after it.
    score : float
        The score with nothing shuffled; where there are folds, their mean.
    measure : str
        What the score is.
    held_out : bool
        Whether the labels were held out by this very call: models of folds judged rows that they have not seen.
    """

    columns: list[str]
    losses: Floats
    score: float
    measure: str
    held_out: bool

    @property
    def mean(self) -> Floats:
        """What a shuffle costs on average."""
        return np.asarray(self.losses.mean(axis=1))

    @property
    def interval(self) -> tuple[Floats, Floats]:
        """Between these lie 19 shuffles in 20: the luck of shuffles (and folds), not that of the rows at hand."""
        low, high = np.quantile(self.losses, [0.025, 0.975], axis=1)
        return low, high

    @property
    def order(self) -> list[int]:
        """Numbers of the columns, the most important first."""
        return [int(place) for place in np.argsort(-self.mean, kind="stable")]


def permutation_importance(
    model: Any, X: Any, y: Any, *, cv: int | None = None, scoring: Any = None, repeats: int = 10, random_state: int = 0
) -> Importances:
    """How much worse predictions get when the cells of one column are shuffled among the rows.

    Parameters
    ----------
    model : classifier
        With ``cv`` an unfitted one does, and a fitted one stays as it is.
    X, y : table and labels
        Rows without a label are left out. Without ``cv`` they should be rows that the model has not seen: on its own
        rows a model looks as if all it has learned were true.
    cv : int, optional
        So many folds, each judged by a model of the others: the labels are then held out whatever is passed.
        Unlabeled rows are in every training set.
    scoring : str or callable, optional
        A scorer of scikit-learn ("accuracy", "roc_auc", ...). By default minus the log loss of the probabilities, which
        also shows what does not change any decision.
    repeats : int, default=10
        How often each column is shuffled (in each fold).
    random_state : int, default=0
        For folds and shuffles.

    Returns
    -------
    Importances
        Of all columns.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from agnoboost import TableClassifier
    >>> X, y = make_classification(300, 4, n_informative=2, n_redundant=0, shuffle=False, random_state=0)
    >>> found = permutation_importance(TableClassifier("fast", random_state=0), X, y, cv=2)
    >>> sorted(found.order[:2]), found.losses.shape
    ([0, 1], (4, 20))
    """
    check_count(repeats, "repeats")
    mark = getattr(model, "missing_label", "auto")
    column = label_column(y, row_count(X), "permutation_importance")
    table = X.to_pandas() if hasattr(X, "to_pandas") and not hasattr(X, "iloc") else X
    judged = _Judged(scoring, repeats, random_state, mark)
    if cv is None:
        judged.add(model, table, column)
        return judged.result(model, held_out=False)
    table, _ = without_identifiers(model, table)
    for train, test in LabeledSplit(cv, missing_label=mark).split(table, column):
        with quiet_fits():
            fitted = clone(model).fit(take(table, train), column[train])
        judged.add(fitted, take(table, test), column[test])
    return judged.result(fitted, held_out=True)


class _Judged:
    """Collects what shuffles cost, by fold."""

    def __init__(self, scoring: Any, repeats: int, seed: int, mark: Any):
        self._scorer: Callable[..., float] = _minus_log_loss if scoring is None else get_scorer(scoring)
        self._measure = LOG_LOSS if scoring is None else str(scoring).replace("_", " ")
        self._repeats, self._seed, self._mark = repeats, seed, mark
        self._losses: list[Floats] = []
        self._scores: list[float] = []

    def add(self, model: Any, X: Any, y: npt.NDArray[Any]) -> None:
        from sklearn.inspection import permutation_importance as shuffled_scores  # brings half of scikit-learn with it

        rows = np.flatnonzero(scored_rows(y, model.classes_, self._mark))
        if strangers := sorted(set(y[rows].tolist()) - set(model.classes_.tolist()), key=str):
            raise ValueError(
                f"y must hold classes that the model knows. Got {', '.join(map(repr, strangers))} as well."
            )
        some, truth = take(X, rows), y[rows].astype(model.classes_.dtype)
        found = shuffled_scores(
            model, some, truth, scoring=self._scorer, n_repeats=self._repeats, random_state=self._seed
        )
        self._losses.append(found.importances)
        self._scores.append(float(self._scorer(model, some, truth)))

    def result(self, model: Any, held_out: bool) -> Importances:
        losses = np.concatenate(self._losses, axis=1)
        return Importances(column_names(model), losses, float(np.mean(self._scores)), self._measure, held_out)


def _minus_log_loss(model: Any, X: Any, y: npt.NDArray[Any]) -> float:
    """Unlike scikit-learn's it does not mind that some class does not occur."""
    place = np.searchsorted(model.classes_, y)
    p = model.predict_proba(X)[np.arange(len(place)), place]
    return float(np.mean(np.log(np.maximum(p, LEAST_PROBABILITY))))
