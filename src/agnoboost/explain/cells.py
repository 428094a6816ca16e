"""Rows and cells of tables of any kind: arrays, and frames of pandas, polars and the like."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from ..basics.gaps import is_gap
from ..basics.typing import Ints
from ..tables.cells import is_frame


def row_count(X: Any) -> int:
    """How many rows a table has."""
    return int(X.shape[0] if hasattr(X, "shape") else len(X))


def take(X: Any, rows: Ints) -> Any:
    """Some rows of a table, in this order."""
    return _safe_indexing(X if hasattr(X, "shape") else np.asarray(X), rows)


def cells_of(X: Any, column: int) -> list[Any]:
    """The cells of a column; None where there is none."""
    found = _column(X, column)
    values = found.tolist() if hasattr(found, "tolist") else found.to_list()
    return [None if is_gap(value) else value for value in values]


def with_column(X: Any, column: int, source: Any, rows: Ints) -> Any:
    """The table with the cells of one column from these rows of another table of the same kind."""
    values = take(source, rows)
    if hasattr(X, "with_columns"):
        return X.with_columns(values[X.columns[column]])
    if is_frame(X):
        changed = X.reset_index(drop=True)
        changed.isetitem(column, values.iloc[:, column].reset_index(drop=True))
        return changed
    changed = np.array(X)
    changed[:, column] = values[:, column]
    return changed


def column_names(model: Any) -> list[str]:
    """Columns of the table as they are shown."""
    names = getattr(model, "feature_names_in_", None)
    return [f"column {number}" for number in range(model.n_features_in_)] if names is None else [str(n) for n in names]


def shown(cell: Any) -> str:
    """A cell as people read it."""
    if cell is None:
        return "missing"
    if isinstance(cell, float):
        return f"{int(cell)}" if cell.is_integer() and abs(cell) < 1e15 else f"{cell:.4g}"
    return str(cell)


def _column(X: Any, number: int) -> Any:
    if not is_frame(X):
        return np.asarray(X)[:, number]
    return X.iloc[:, number] if hasattr(X, "iloc") else X[X.columns[number]]
