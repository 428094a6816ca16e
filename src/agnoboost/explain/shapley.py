"""Exact Shapley values: how much each column of a row moves the log-odds away from those of an average row.

The value of a set of columns is the mean log-odds of rows that have these cells from the explained row and the others
from a row of the background (the interventional game). All parts of a blend are sums of products over columns, for
which Shapley values have closed forms: curves and straight lines add up, leaves are products of conditions
(``leaf_games``), kernels products of similarities (``similarity_games``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.threads import threads_asked
from ..basics.typing import Floats, Ints, Matrix
from ..estimators.table import TableClassifier
from ..estimators.table.kernel_ridge import KernelSum, LinearSum
from ..estimators.table.model import TableModel
from ..estimators.table.players import players
from ..kernels.leaf_paths import leaf_paths
from ..tables.cells import columns_of
from ..tables.rows import row_count, take
from .leaf_games import leaf_values
from .similarity_games import product_values, similarities
from .words import column_names

MOST_BACKGROUND = 100
ROWS_AT_A_TIME = 500


@dataclass(frozen=True)
class ShapleyValues:
    """Of some rows: ``base`` plus the values of a row is its log-odds.

    Attributes
    ----------
    values : array of shape (rows, columns) for two classes, (rows, columns, classes) for more
        For two classes positive values speak for ``classes[1]``.
    base : float, or array of shape (classes,)
        The mean log-odds of the background.
    columns : list of str
        Their names.
    cells : list of lists
        For each column what the rows have in it.
    classes : array
        The classes, in the order of the values.
    """

    values: Floats
    base: Any
    columns: list[str]
    cells: list[list[Any]]
    classes: npt.NDArray[Any]

    def of(self, label: Any) -> tuple[Floats, float]:
        """Values and base of the log-odds of one class against all others (shape of the values: rows, columns)."""
        names = self.classes.tolist()
        if label not in names:
            raise ValueError(f"The class must be one of {', '.join(map(repr, names))}. Got {label!r}.")
        if self.values.ndim == 3:
            return self.values[:, :, names.index(label)], float(self.base[names.index(label)])
        sign = 1.0 if label == names[1] else -1.0
        return sign * self.values, sign * float(self.base)


def shapley_values(
    model: Any, X: Any, background: Any = None, *, most_background: int = MOST_BACKGROUND
) -> ShapleyValues:
    """Exact Shapley values of the log-odds of a :class:`~agnoboost.TableClassifier`.

    Parameters
    ----------
    model : TableClassifier
        A fitted one. For other models there are effects and permutation importance.
    X : table
        The rows to explain.
    background : table, optional
        Rows that say what is usual, best some of the training table: a model does not keep its rows. Without them the
        explained rows themselves are the background: each is then explained as different from the others.
    most_background : int, default=100
        Of more background rows so many are used, at even distances.

    Returns
    -------
    ShapleyValues

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from agnoboost import TableClassifier
    >>> X, y = make_classification(200, 5, random_state=0)
    >>> model = TableClassifier("fast", random_state=0).fit(X[:100], y[:100])
    >>> found = shapley_values(model, X[100:110], background=X[:100])
    >>> found.values.shape
    (10, 5)
    >>> p = model.predict_proba(X[100:110])[:, 1]
    >>> bool(np.allclose(found.base + found.values.sum(axis=1), np.log(p / (1 - p))))
    True
    """
    if not isinstance(model, TableClassifier):
        raise ValueError(
            f"Shapley values are there for a TableClassifier. Got a {type(model).__name__}. "
            "Use agnoboost.explain.effect or permutation_importance, which need predictions only."
        )
    rows = model._rows(X)
    usual = X if background is None else background
    count = row_count(usual)
    if not len(rows) or not count:
        raise ValueError(f"Shapley values need rows to explain and background rows. Got {len(rows)} and {count}.")
    if background is None and count == 1:
        raise ValueError("One row cannot be compared with itself. Pass background rows, such as the training table.")
    if count > most_background:
        usual = take(usual, np.linspace(0, count - 1, most_background).astype(np.int64))
    others = model._rows(usual)
    threads = threads_asked(model.n_jobs)
    values = log_odds_values(model._model, rows, others, players(model), model.n_features_in_, threads)
    base = (model._margins(others) * model._model.slopes).mean(axis=0)
    cells = [column.cells for column in columns_of(X if hasattr(X, "shape") else np.asarray(X))]
    two = len(model.classes_) == 2
    return ShapleyValues(
        values[:, :, 0] if two else values, float(base[0]) if two else base, column_names(model), cells, model.classes_
    )


def log_odds_values(
    model: TableModel, rows: Matrix, background: Matrix, groups: Ints, columns: int, threads: int | None = None
) -> Floats:
    """Shape: rows, columns, problems; ``groups`` are the table's columns that the matrix's come from."""
    parts = [rows[start : start + ROWS_AT_A_TIME] for start in range(0, len(rows), ROWS_AT_A_TIME)]
    return np.concatenate([_Games(model, part, background, groups, columns, threads).values() for part in parts])


class _Games:
    """Values of all parts, for some rows."""

    def __init__(
        self, model: TableModel, rows: Matrix, background: Matrix, groups: Ints, columns: int, threads: int | None
    ):
        self._model, self._groups, self._columns, self._threads = model, groups, columns, threads
        self._codes, self._usual_codes = model.coder.encode(rows), model.coder.encode(background)
        self._scores, self._usual_scores = model.scores.transform(rows), model.scores.transform(background)
        self._score_groups = np.append(groups, -1)[model.scores.columns]

    def values(self) -> Floats:
        blends = self._model.blends
        found = np.stack([self._curves(one.curves) + self._forest(one.forest) for one in blends], axis=2)
        for problem, one in enumerate(blends):
            for part in one.sums:
                if isinstance(part, LinearSum):
                    found[:, :, problem] += self._line(part.coefficients)
        self._add_kernels(found)
        return found * self._model.slopes

    def _summed(self, parts: Floats, groups: Ints) -> Floats:
        """Additive parts (shape: columns of the matrix or scores, rows), by column of the table."""
        total = np.zeros((self._columns, parts.shape[1]))
        np.add.at(total, groups[groups >= 0], parts[groups >= 0])
        return total.T

    def _curves(self, curves: Floats) -> Floats:
        own = np.take_along_axis(curves, self._codes.astype(np.int64), axis=1)
        usual = np.take_along_axis(curves, self._usual_codes.astype(np.int64), axis=1)
        return self._summed(own - usual.mean(axis=1, keepdims=True), self._groups)

    def _line(self, coefficients: Floats) -> Floats:
        moved = coefficients * (self._scores - self._usual_scores.mean(axis=0))
        return self._summed(moved.T, self._score_groups)

    def _forest(self, forest: Any) -> Floats:
        total = np.zeros((self._codes.shape[1], self._columns))
        for paths in leaf_paths(forest, self._groups):
            failed, usual = paths.failed(self._codes), paths.failed(self._usual_codes)
            total += leaf_values(paths, failed, usual, self._columns)
        return total

    def _add_kernels(self, found: Floats) -> None:
        """Problems mostly share their kernels, but for the coefficients: these are worked on together."""
        shared: dict[Any, list[tuple[int, KernelSum]]] = {}
        for problem, one in enumerate(self._model.blends):
            for part in one.sums:
                if isinstance(part, KernelSum):
                    shared.setdefault((part.kernel, part.width, part.rows.tobytes()), []).append((problem, part))
        for same in shared.values():
            part = same[0][1]
            settings = (part.rows, part.width / part.rows.shape[1], self._score_groups, self._columns)
            own, usual = (similarities(part.kernel, scores, *settings) for scores in (self._scores, self._usual_scores))
            coefficients = np.column_stack([one.coefficients for _, one in same])
            found[:, :, [problem for problem, _ in same]] += product_values(own, usual, coefficients, self._threads)
