"""Rows of tables of any kind, and tables with other cells: arrays, and frames of pandas, polars and pyarrow."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from ..basics.typing import Ints
from .cells import is_frame, names_of


def row_count(X: Any) -> int:
    """How many rows a table has."""
    return int(X.shape[0] if hasattr(X, "shape") else len(X))


def spread(places: Ints, most: int) -> Ints:
    """No more than so many, at even distances."""
    if len(places) <= most:
        return places
    return np.asarray(places[np.linspace(0, len(places) - 1, most).round().astype(np.int64)])


def take(X: Any, rows: Ints) -> Any:
    """Some rows of a table, in this order."""
    if hasattr(X, "set_column"):  # pyarrow, which scikit-learn before 1.7 does not know
        return X.take(rows)
    return _safe_indexing(X if hasattr(X, "shape") else np.asarray(X), rows)


def with_column(X: Any, column: int, source: Any, rows: Ints) -> Any:
    """The table with the cells of one column from these rows of another table of the same kind.

    All other columns are shared with ``X``, where frames can share.
    """
    if not is_frame(X):
        changed = np.array(X)
        changed[:, column] = source[rows, column]
        return changed
    if hasattr(X, "iloc"):
        changed = X.copy(deep=False)
        changed.isetitem(column, source.iloc[rows, column].array)  # a new array: that of X stays as it is
        return changed
    name = names_of(X)[column]
    if hasattr(X, "set_column"):  # pyarrow
        return X.set_column(column, name, source.column(column).take(rows))
    return X.with_columns(source[name][rows.tolist()])
