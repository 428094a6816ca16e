"""Columns of dates and times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ...basics.typing import Arrays, Floats
from ..cells import Column, ColumnProblem
from ..date_text import moments_of_text, way_of_writing
from ..moments import MICROSECONDS, Moments
from .base import ColumnReader
from .category import comparable, counted, tell_of_nothing_known

DAYS = "days"
VARYING = ("year", "month", "weekday", "hour")  # each is there if it differs among the rows of training


@dataclass(frozen=True)
class DateColumn(ColumnReader):
    """Days since the first date of training, and of year, month, weekday and hour those that differ.

    ``way`` is how dates are written, if they are text; ``zone`` the time zone on whose clock they are read.
    """

    first: str
    varying: list[str]
    way: str | None = None
    zone: str | None = None
    kind = "date"

    @classmethod
    def of(cls, columns: Sequence[Column], way: str | None = None) -> Self:
        zone = None if way else next((column.zone for column in columns if column.zone), None)
        found = Moments(np.concatenate([_moments(column, way, zone).values for column in columns]))
        known = Moments(found.values[found.known])
        first = known.values.min() if len(known.values) else np.datetime64(0, "us")
        varying = [part for part in VARYING if len(np.unique(known.part(part))) > 1]
        return cls(str(first), varying, way, zone)

    @property
    def parts(self) -> list[str]:
        return [DAYS, *self.varying]

    @property
    def is_text(self) -> bool:
        return self.way is not None

    def read(self, column: Column) -> Floats:
        moments = self.moments(column)
        if len(column.cells) and not moments.known.any() and not column.is_empty:
            tell_of_nothing_known(column, next(cell for cell in column.cells if cell is not None))
        days = moments.days_since(np.datetime64(self.first, "us"))
        return np.column_stack([days, *(moments.part(part) for part in self.varying)])

    def moments(self, column: Column) -> Moments:
        """The dates themselves."""
        return _moments(column, self.way, self.zone)

    def pack(self) -> tuple[dict[str, Any], Arrays]:
        return {"first": self.first, "varying": self.varying, "way": self.way, "zone": self.zone}, {}

    @classmethod
    def unpack(cls, facts: dict[str, Any], arrays: Arrays) -> Self:
        np.datetime64(facts["first"], "us")  # a ValueError if it is none
        if not set(facts["varying"]) <= set(VARYING):
            raise ValueError(f"unknown parts of dates: {facts['varying']}")
        return cls(facts["first"], list(facts["varying"]), facts["way"], facts["zone"])


def _moments(column: Column, way: str | None, zone: str | None) -> Moments:
    """Of dates, or of text, whichever the column holds: a file may have as text what a frame had as dates."""
    if column.is_empty:
        return Moments(np.full(len(column.cells), "NaT", dtype=MICROSECONDS))
    if column.kind == "date":
        return column.moments(zone)
    if column.kind in ("text", "category") and (way := way or way_of_writing(counted([column]))):
        return moments_of_text(comparable(column.cells, True), way)
    example = next(cell for cell in column.cells if cell is not None)
    raise ColumnProblem(
        f"Column {column.name!r} must hold dates, as in training. Got values such as {example!r}. Convert it, for "
        "example with pandas.to_datetime."
    )
