"""Tables as the boosters see them: a float matrix in which categories are whole numbers and NaN is missing."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.gaps import is_gap
from ..basics.typing import Floats
from ..kernels.binning import MAX_BINS

# How text and categorical columns are recognised in pandas and polars alike: by the name of their type.
_TEXT_TYPES = ("cat", "str", "enum", "large_string", "dictionary")


class TableEncoder:
    """Learn the categories of a table, then turn tables with the same columns into float matrices.

    Parameters
    ----------
    categorical : "auto", None or sequence of column names or numbers
        "auto" takes the columns of categorical or text type of a data frame, and none of an array.
    """

    def __init__(self, categorical: str | Sequence[Any] | None = "auto"):
        self._requested = categorical
        self.categories: dict[int, list[Any]] = {}

    @property
    def categorical(self) -> list[int]:
        """The numbers of the categorical columns."""
        return sorted(self.categories)

    def fit(self, *tables: Any) -> TableEncoder:
        """Find the categorical columns and all categories that occur in any of the tables."""
        first = tables[0]
        for column in self._chosen(first):
            values = {value for table in tables for value in _column(table, column) if not is_gap(value)}
            if any(isinstance(value, str) for value in values):
                values = {_text(value) for value in values}  # 7 in one file and "7" in another are the same
            if len(values) > MAX_BINS:
                raise ValueError(
                    f"Categorical column {_label(first, column)!r} must have at most {MAX_BINS} categories. "
                    f"Got {len(values)}. Join rare ones, or leave it out if it is an identifier."
                )
            self.categories[column] = sorted(values, key=lambda value: (type(value).__name__, value))
        return self

    def transform(self, table: Any) -> Floats:
        """The table as floats; categories not seen in ``fit`` become missing."""
        if not self.categories and not is_frame(table):
            return np.asarray(table, dtype=np.float64)
        matrix = np.empty(table.shape)
        for column in range(table.shape[1]):
            read = self._codes if column in self.categories else _numbers
            matrix[:, column] = read(table, column)
        return matrix

    def _codes(self, table: Any, column: int) -> Floats:
        codes = {value: code for code, value in enumerate(self.categories[column])}
        values = self._values(table, column)
        found = np.array([np.nan if value is None else codes.get(value, np.nan) for value in values])
        if len(values) and np.isnan(found).all() and any(value is not None for value in values):
            example = next(value for value in values if value is not None)
            warnings.warn(
                f"No value of column {_label(table, column)!r} was seen in training (for example {example!r}): all of "
                "them count as missing. Is the column of the same kind as in training?",
                stacklevel=2,
            )
        return found

    def _values(self, table: Any, column: int) -> list[Any]:
        """Cells as they are compared with the known categories; None where empty."""
        text = any(isinstance(value, str) for value in self.categories[column])
        return [None if is_gap(value) else _text(value) if text else value for value in _column(table, column)]

    def unknown(self, table: Any) -> dict[int, list[Any]]:
        """Categories of a table that ``fit`` has not seen, by column."""
        found = {}
        for column, known in self.categories.items():
            if values := set(self._values(table, column)) - {None, *known}:
                found[column] = sorted(values, key=str)
        return found

    def _chosen(self, table: Any) -> list[int]:
        if self._requested is None:
            return []
        if isinstance(self._requested, str):
            if self._requested != "auto":
                raise ValueError(
                    "categorical_features must be 'auto', None, or a list of columns. "
                    f"Got {self._requested!r}. Pass [{self._requested!r}] for one column."
                )
            return [i for i in range(table.shape[1]) if _is_text(table, i)] if is_frame(table) else []
        requested = list(self._requested)
        if requested and isinstance(requested[0], (bool, np.bool_)):
            if len(requested) != table.shape[1]:
                raise ValueError(
                    f"categorical_features as a mask must have one entry for each of the {table.shape[1]} columns. "
                    f"Got {len(requested)}."
                )
            return [i for i, chosen in enumerate(requested) if chosen]
        return [_number_of(table, column) for column in requested]


def is_frame(table: Any) -> bool:
    """Whether this is a data frame of pandas, polars or the like."""
    return hasattr(table, "columns") and hasattr(table, "shape") and not isinstance(table, np.ndarray)


def _series(table: Any, number: int) -> Any:
    if not is_frame(table):
        return table[:, number]
    return table.iloc[:, number] if hasattr(table, "iloc") else table[table.columns[number]]


def _column(table: Any, number: int) -> list[Any]:
    column = _series(table, number)
    return list(column.tolist() if hasattr(column, "tolist") else column.to_list())


def _numbers(table: Any, number: int) -> npt.NDArray[Any]:
    plain = np.asarray(_series(table, number))
    if plain.dtype.kind in "mMc":
        raise ValueError(
            f"Column {_label(table, number)!r} must be numeric. Got {plain.dtype}. Turn dates into numbers that mean "
            "something for the task (days since an event, month, weekday), and complex numbers into two columns."
        )
    try:
        return plain.astype(np.float64)
    except (TypeError, ValueError):  # nullable types and mixtures: value by value
        values = _column(table, number)
    try:
        return np.array([np.nan if is_gap(value) else value for value in values], dtype=np.float64)
    except (TypeError, ValueError):
        example = next(value for value in values if not isinstance(value, (int, float)))
        raise ValueError(
            f"Column {_label(table, number)!r} must be numeric. Got values such as {example!r}. Give it a categorical "
            "type, list it in categorical_features, or encode it first."
        ) from None


def _is_text(table: Any, number: int) -> bool:
    dtypes = table.dtypes
    name = str(dtypes.iloc[number] if hasattr(dtypes, "iloc") else dtypes[number]).lower()
    if name.startswith("object"):  # anything can hide here: look
        return any(isinstance(value, str) for value in _column(table, number))
    return name.startswith(_TEXT_TYPES)


def _text(value: Any) -> str:
    """A category as text: a whole number that was read as 7.0 is "7"."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _label(table: Any, number: int) -> Any:
    return table.columns[number] if is_frame(table) else number


def _number_of(table: Any, column: Any) -> int:
    if isinstance(column, (int, np.integer)) and 0 <= column < table.shape[1]:
        return int(column)
    if is_frame(table) and column in list(table.columns):
        return list(table.columns).index(column)
    raise ValueError(
        f"categorical_features must name columns of X. Got {column!r}, which is not among its {table.shape[1]} columns."
    )
