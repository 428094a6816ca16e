"""Effects of one column and of two: the mean probability of rows, all of which get the same cell (or two).

Cells are taken from rows of the table, so that whatever a column holds (numbers, categories, dates, gaps) is varied
as it occurs. Only predictions are needed: effects are there for every classifier.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.checks import check_count
from ..basics.typing import Floats, Ints
from ..tables.cells import Column, columns_of
from ..tables.readers.base import ColumnReader
from ..tables.readers.dates import DateColumn
from ..tables.readers.duration import DurationColumn
from ..tables.rows import row_count, spread, take, with_column
from .words import column_names

POINTS = {1: 40, 2: 14}  # values of a column, alone and in a pair
ROWS = {1: 100, 2: 50}  # rows over which is averaged
MOST_CATEGORIES = 12


@dataclass(frozen=True)
class Axis:
    """The values of a column that an effect shows.

    Attributes
    ----------
    column : str
        Its name.
    values : list
        In their order; None, the last one, is a missing cell.
    rows : array of int
        Numbers of rows that have them.
    categorical : bool
        Whether they are categories.
    left_out : int
        How many rarer categories are not shown.
    deciles : list
        Where the rows lie, for numbers.
    """

    column: str
    values: list[Any]
    rows: Ints
    categorical: bool
    left_out: int
    deciles: list[Any]


@dataclass(frozen=True)
class Effect:
    """Probabilities of every class for some rows, as one column or two vary.

    Attributes
    ----------
    axes : tuple of Axis
        One for each column that varies.
    each : array of shape (rows, values, classes), or (rows, values, values, classes)
        The probabilities.
    classes : array
        Their order.
    """

    axes: tuple[Axis, ...]
    each: Floats
    classes: npt.NDArray[Any]

    @property
    def mean(self) -> Floats:
        """Over the rows: shape (values, classes), or (values, values, classes)."""
        return np.asarray(self.each.mean(axis=0))


def effect(model: Any, X: Any, columns: Any, *, rows: int | None = None, points: int | None = None) -> Effect:
    """How the probabilities change, on average, as one column varies, or two at the same time.

    Parameters
    ----------
    model : fitted classifier
        Anything with ``predict_proba``.
    X : table
        Rows that say how columns are distributed; labels are not needed.
    columns : name or number, or a pair of them
        Which column varies, or which two.
    rows : int, optional
        Over so many rows, at even distances, is averaged: by default 100, and 50 for a pair.
    points : int, optional
        So many values of a column of numbers: by default 40, and 14 for a pair. Of categories the 12 most frequent.

    Returns
    -------
    Effect
        Probabilities of every class, for each row and value.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from agnoboost import TableClassifier
    >>> X, y = make_classification(200, 5, random_state=0)
    >>> model = TableClassifier("fast", random_state=0).fit(X, y)
    >>> effect(model, X, 1).mean.shape, effect(model, X, (1, 3)).mean.shape
    ((40, 2), (14, 14, 2))
    """
    wanted = columns if isinstance(columns, (tuple, list)) else (columns,)
    if len(wanted) not in POINTS:
        raise ValueError(f"An effect is of one column or of two. Got {len(wanted)}.")
    numbers = [column_number(model, column) for column in wanted]
    if len(set(numbers)) < len(numbers):
        raise ValueError(f"An effect of two columns needs two different ones. Got {wanted[0]!r} twice.")
    if not row_count(X):
        raise ValueError("An effect needs rows. Got an empty table.")
    table = X if hasattr(X, "shape") else np.asarray(X)
    most = check_count(rows or ROWS[len(wanted)], "rows")
    axes = tuple(axis_of(model, table, number, points or POINTS[len(wanted)]) for number in numbers)
    sample = spread(np.arange(row_count(table)), most)
    sizes = (len(sample), *(len(axis.rows) for axis in axes))
    place = np.indices(sizes).reshape(len(sizes), -1)
    varied = take(table, sample[place[0]])
    for number, axis, at in zip(numbers, axes, place[1:], strict=True):
        varied = with_column(varied, number, table, axis.rows[at])
    return Effect(axes, model.predict_proba(varied).reshape(*sizes, -1), model.classes_)


def axis_of(model: Any, X: Any, number: int, points: int) -> Axis:
    """Values of a column at even ranks, or its most frequent categories."""
    readers = getattr(getattr(model, "_encoder", None), "readers", None)
    cells, categorical = _cells(columns_of(X)[number], readers[number] if readers else None)
    known = [place for place, cell in enumerate(cells) if cell is not None]
    gaps = [place for place, cell in enumerate(cells) if cell is None][:1]
    name = column_names(model)[number]
    first: dict[Any, int] = {}
    for place in known:
        first.setdefault(cells[place], place)
    if categorical:
        counts = Counter(cells[place] for place in known)
        values = sorted([value for value, _ in counts.most_common(MOST_CATEGORIES)], key=str)
        rows = np.array([first[value] for value in values] + gaps, dtype=np.int64)
        return Axis(name, values + [None] * len(gaps), rows, True, len(first) - len(values), [])
    by_rank = np.array(sorted(known, key=lambda place: cells[place]), dtype=np.int64)
    different = sorted(first)
    if len(different) > points:
        middle = by_rank[len(by_rank) // 100 : max(1, len(by_rank) - len(by_rank) // 100)]
        different = sorted({cells[place] for place in spread(middle, points)})
    rows = np.array([first[value] for value in different] + gaps, dtype=np.int64)
    deciles = [cells[place] for place in spread(by_rank, 11)[1:-1]] if len(by_rank) else []
    return Axis(name, different + [None] * len(gaps), rows, False, 0, deciles)


def _cells(column: Column, reader: ColumnReader | None) -> tuple[list[Any], bool]:
    """Cells as an axis shows them, None where missing, and whether they are names; text that is dates is dates."""
    if isinstance(reader, DateColumn):
        return reader.moments(column).values.tolist(), False
    if isinstance(reader, DurationColumn):
        return [None if np.isnan(seconds) else float(seconds) for seconds in reader.read(column)[:, 0]], False
    named = reader is not None and (bool(reader.categories) or reader.is_text)
    return column.cells, named or any(isinstance(cell, (str, bool)) for cell in column.cells)


def column_number(model: Any, column: Any) -> int:
    """The number of a column that a user has named."""
    names = column_names(model)
    if isinstance(column, str) and column in names:
        return names.index(column)
    if isinstance(column, (int, np.integer)) and 0 <= column < len(names):
        return int(column)
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    raise ValueError(f"A column must be one of {shown}, or its number from 0 to {len(names) - 1}. Got {column!r}.")
