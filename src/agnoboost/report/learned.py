"""What a model learned, by changing the cells of a column and looking at its probabilities.

The model is only asked for probabilities of tables, so this serves every kind of model and of column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from ..basics.typing import Floats, Ints
from .cells import TableColumn, cells_at, columns_of, with_cells

SHOWN = 9  # columns with a picture
POINTS = 20  # of a picture
ROWS = 60  # over which a picture is averaged
CELLS = 1_000_000  # at most, in a table that is predicted at once


@dataclass(frozen=True)
class Effect:
    """Mean probability of every class (points, classes) as the cells of one column change.

    ``x`` are numbers, or the names of categories.
    """

    column: int
    x: Sequence[Any]
    probabilities: Floats
    categorical: bool


@dataclass(frozen=True)
class Learned:
    """How much each column counts (shares that sum to one), and the effects of those that count most."""

    names: list[str]
    importances: Floats
    effects: list[Effect]
    usual: Floats  # mean probability of every class

    @property
    def order(self) -> list[int]:
        """Columns, those that count most first."""
        return [int(i) for i in np.argsort(-self.importances, kind="stable") if self.importances[i] > 0]


def learned(model: Any, X: Any) -> Learned:
    """What the model learned from the columns of ``X``."""
    columns = list(columns_of(X))
    sample = _some(X, int(np.clip(20_000 // len(columns), 40, 200)))
    importances = _importances(model, sample, len(columns))
    few = _some(X, ROWS)
    usual = model.predict_proba(few).mean(axis=0)
    found = Learned([column.name for column in columns], importances, [], usual)
    effects = [_effect(model, X, few, number, columns[number]) for number in found.order[:SHOWN]]
    return Learned(found.names, importances, effects, usual)


def _some(X: Any, rows: int) -> Any:
    return _safe_indexing(X, np.arange(X.shape[0])[:: max(1, X.shape[0] // rows)][:rows])


def _importances(model: Any, sample: Any, columns: int) -> Floats:
    """How far probabilities move when the cells of a column are shuffled among rows."""
    rng, rows, before = np.random.default_rng(0), sample.shape[0], model.predict_proba(sample)
    together = max(1, CELLS // (rows * columns))  # one large call is much quicker than many small ones
    moved = np.zeros(columns)
    for start in range(0, columns, together):
        numbers = range(start, min(start + together, columns))
        tiled = _safe_indexing(sample, np.tile(np.arange(rows), len(numbers)))
        for place, number in enumerate(numbers):
            taken = np.tile(np.arange(rows), len(numbers))
            taken[place * rows : (place + 1) * rows] = rng.permutation(rows)
            tiled = with_cells(tiled, number, cells_at(sample, number, taken))
        after = model.predict_proba(tiled).reshape(len(numbers), rows, -1)
        moved[start : start + len(numbers)] = np.abs(after - before).mean(axis=(1, 2))
    return np.asarray(moved / max(float(moved.sum()), 1e-300))


def _effect(model: Any, X: Any, sample: Any, number: int, column: TableColumn) -> Effect:
    """Every point takes its cell from a row that has it: whatever the kind of the column, the model knows it."""
    donors, x = _donors(column)
    rows = sample.shape[0]
    tiled = _safe_indexing(sample, np.tile(np.arange(rows), len(donors)))
    varied = with_cells(tiled, number, cells_at(X, number, np.repeat(donors, rows)))
    means = model.predict_proba(varied).reshape(len(donors), rows, -1).mean(axis=1)
    return Effect(number, x, means, column.numbers is None)


def _donors(column: TableColumn) -> tuple[Ints, list[Any]]:
    """Rows whose cells are shown: quantiles of numbers, or the most frequent texts."""
    known = np.flatnonzero(~column.missing)
    if column.numbers is None:
        common = np.argsort(-np.bincount(column.codes[known]), kind="stable")[:8]
        first = np.array([int(np.argmax(column.codes == code)) for code in common])
        assert column.texts is not None
        return first, column.texts[first].tolist()
    order = known[np.argsort(column.numbers[known], kind="stable")]
    places = np.unique(np.linspace(0.01, 0.99, POINTS) * (len(order) - 1) + 0.5).astype(int)
    donors = order[places]
    values, first = np.unique(column.numbers[donors], return_index=True)
    return donors[first], values.tolist()
