"""The cells of a table, whatever holds them: by column, as numbers or texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.gaps import is_gap, is_missing
from ..basics.typing import Bools, Floats, Ints
from ..tables.cells import is_frame

TIMES = "mM"


@dataclass(frozen=True)
class TableColumn:
    """One column: numbers with NaN for gaps, or texts with empty ones for gaps."""

    name: str
    missing: Bools
    numbers: Floats | None
    texts: npt.NDArray[Any] | None

    @cached_property
    def codes(self) -> Ints:
        """The same number for the same content; -1 for gaps."""
        found = np.full(len(self.missing), -1)
        found[~self.missing] = np.unique(self.known, return_inverse=True)[1]
        return found

    @property
    def known(self) -> npt.NDArray[Any]:
        """Cells that are not empty."""
        cells = self.numbers if self.numbers is not None else self.texts
        assert cells is not None
        return np.asarray(cells[~self.missing])

    @property
    def distinct(self) -> int:
        """How many different contents there are."""
        return int(self.codes.max(initial=-1)) + 1


def names_of(X: Any) -> list[str]:
    """Names of columns; numbers where they have none."""
    return [str(name) for name in X.columns] if is_frame(X) else [str(i) for i in range(X.shape[1])]


def raw_column(X: Any, number: int) -> npt.NDArray[Any]:
    """A column as an array, its values as they came."""
    if not is_frame(X):
        return np.asarray(X[:, number])
    return np.asarray(X.iloc[:, number] if hasattr(X, "iloc") else X[X.columns[number]].to_numpy())


def columns_of(X: Any) -> Iterator[TableColumn]:
    """All columns of a data frame or an array, in order."""
    for place, name in enumerate(names_of(X)):
        raw = raw_column(X, place)
        missing = is_missing(raw)
        try:
            numbers = raw.astype("int64").astype(float) if raw.dtype.kind in TIMES else _floats(raw, missing)
            numbers[missing] = np.nan
            yield TableColumn(name, missing, numbers, None)
        except (TypeError, ValueError):
            texts = np.array(["" if gap else str(value) for value, gap in zip(raw, missing, strict=True)], dtype=str)
            yield TableColumn(name, missing, None, texts)


def _floats(raw: npt.NDArray[Any], missing: Bools) -> Floats:
    """Numbers, unless some are texts: "007" is not 7."""
    if raw.dtype.kind not in "biuf":
        if any(isinstance(value, str) for value in raw):
            raise ValueError
        raw = np.where(missing, np.nan, raw)
    return np.array(raw, dtype=np.float64)


def with_cells(X: Any, number: int, cells: Any) -> Any:
    """A copy of the table with other cells in one column, of the same kind."""
    if not is_frame(X):
        changed = X.copy()
        changed[:, number] = cells
        return changed
    if not hasattr(X, "iloc"):  # polars
        return X.with_columns(cells.alias(X.columns[number]))
    changed = X.copy(deep=False)
    changed.isetitem(number, cells)  # a new array: that of X stays as it is
    return changed


def cells_at(X: Any, number: int, rows: Ints) -> Any:
    """Cells of a column at some rows, in the table's own kind."""
    if not is_frame(X):
        return X[rows, number]
    if not hasattr(X, "iloc"):
        return X[X.columns[number]][rows.tolist()]
    return X.iloc[rows, number].array


def fingerprint(X: Any, y: npt.NDArray[Any]) -> str:
    """A short hash of all names, cells and labels: the same for the same content, however it is stored."""
    found = sha256()
    for column in columns_of(X):
        found.update(f"\0{column.name}\0".encode("utf-8", "replace"))
        found.update(column.missing.tobytes())
        found.update(column.known.astype(float).tobytes() if column.texts is None else _joined(column.known))
    found.update(_joined("" if is_gap(label) else label for label in y))
    return found.hexdigest()[:16]


def _joined(values: Any) -> bytes:
    return "\x1f".join(str(value) for value in values).encode("utf-8", "replace")
