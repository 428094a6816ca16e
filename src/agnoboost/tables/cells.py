"""The columns of data frames (pandas, polars, pyarrow) and arrays, as plain cells: nothing else here knows frames.

What a column holds is told by the name of its type, which needs none of these packages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.gaps import is_gap
from .moments import MICROSECONDS, Moments, utc_of, zone_of

# The beginnings of the names of types, in lower case; the first that fits counts. All others are numbers.
_KINDS = {
    "nested": ("list", "large_list", "fixed_size_list", "array", "struct", "map"),
    "category": ("cat", "enum", "dictionary"),
    "text": ("str", "large_string"),
    "date": ("datetime", "timestamp", "date", "period"),
    "duration": ("timedelta", "duration", "time"),
    "complex number": ("complex",),
    "interval": ("interval",),
    "bytes": ("binary", "large_binary", "bytes", "fixed_size_binary"),
}

# What a single cell is, where the type of its column says nothing; the first that fits counts.
_CELLS: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "number": (bool, np.bool_, int, float, np.integer, np.floating, Decimal, Fraction),
    "complex number": (complex, np.complexfloating),
    "date": (date, np.datetime64),
    "duration": (timedelta, time, np.timedelta64),
    "nested": (list, tuple, dict, set, np.ndarray),
    "bytes": (bytes,),
}


class ColumnProblem(ValueError):
    """One column that cannot be used, and what to do; the encoder collects them."""


def is_frame(table: Any) -> bool:
    """Whether this is a data frame of pandas, polars or the like, or a table of pyarrow."""
    return hasattr(table, "columns") and hasattr(table, "shape") and not isinstance(table, np.ndarray)


def names_of(table: Any) -> list[Any]:
    """The names of the columns; their numbers if it is an array."""
    if not is_frame(table):
        return list(range(table.shape[1]))
    return list(table.column_names if hasattr(table, "column_names") else table.columns)


def columns_of(table: Any) -> list[Column]:
    """All columns in order."""
    names = names_of(table)
    if not is_frame(table):
        return [Column(name, table[:, name]) for name in names]
    if hasattr(table, "iloc"):
        return [Column(name, table.iloc[:, number]) for number, name in enumerate(names)]
    return [Column(name, table[name]) for name in names]


@dataclass(frozen=True)
class Column:
    """A column under its name; ``series`` is whatever the frame has for one."""

    name: Any
    series: Any

    @cached_property
    def kind(self) -> str:
        """number, category, text, date or duration; or what cannot be used: nested, complex number, mixed, ..."""
        name = self._type.lower()
        if name.startswith("object"):  # anything can hide here: look
            found = {_kind_of(cell) for cell in self.cells if cell is not None}
            return "number" if not found else found.pop() if len(found) == 1 else "mixed"
        return next((kind for kind, starts in _KINDS.items() if name.startswith(starts)), "number")

    @cached_property
    def cells(self) -> list[Any]:
        """Plain values, None where empty."""
        series = self.series
        take = next(name for name in ("to_pylist", "tolist", "to_list") if hasattr(series, name))
        return [cell if type(cell) is str or not is_gap(cell) else None for cell in getattr(series, take)()]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it."""
        plain = self.plain()
        if plain.dtype.kind in "iub":
            return not len(plain)
        return bool(np.isnan(plain).all()) if plain.dtype.kind == "f" else all(cell is None for cell in self.cells)

    @property
    def holds_integers(self) -> bool:
        """By type; objects are looked at."""
        name = self._type.lower()
        if name.startswith("object"):
            return any(isinstance(cell, int) for cell in self.cells)
        return name.startswith(("int", "uint"))

    def plain(self) -> npt.NDArray[Any]:
        """As numpy sees it."""
        return np.asarray(self.series)

    def moments(self, zone: str | None) -> Moments:
        """Dates and times on the clock of that zone; as they are where either side names none."""
        if self._type.startswith("object"):
            found = utc_of(self.cells)
        else:
            series = self.series.dt.to_timestamp() if self._type.startswith("period") else self.series
            found = Moments(np.asarray(series, dtype=MICROSECONDS))
        return found.on_the_clock(zone if self.zone else None)

    @cached_property
    def zone(self) -> str | None:
        """The time zone of dates, if they have one."""
        if found := re.search(r"(?:tz=|time_zone='|64\[\w+, )([^\]')]+)", self._type):
            return found[1]
        if not self._type.startswith("object"):
            return None
        return next((zone_of(cell) for cell in self.cells if cell is not None), None)

    @property
    def _type(self) -> str:
        series = self.series
        return str(series.dtype if hasattr(series, "dtype") else series.type)


def _kind_of(cell: Any) -> str:
    return next((kind for kind, types in _CELLS.items() if isinstance(cell, types)), type(cell).__name__)
