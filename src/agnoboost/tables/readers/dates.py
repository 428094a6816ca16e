"""Columns of dates and times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ...basics.fact_schema import ListOf, Maybe, OneOf, Record, Text
from ...basics.typing import Arrays, Floats
from ...basics.user_warnings import tell
from ..cells import Column, ColumnProblem
from ..date_text import NEARLY_ALL, PLAIN_WAYS, WAYS, moments_of_text, way_of_writing
from ..moments import MICROSECONDS, Moments, check_zone
from .base import ColumnReader
from .category import comparable

DAYS = "days"
VARYING = ("year", "month", "weekday", "hour")  # each is there if it differs among the rows of training
SWAPPED = {"day first": "month first", "month first": "day first"}


@dataclass(frozen=True)
class DateColumn(ColumnReader):
    """Days since the first date of training, and of year, month, weekday and hour those that differ.

    ``way`` is how dates are written, if they are text; ``zone`` the time zone on whose clock they are read. New rows
    may be written in another way: what their column shows by itself counts, and the way of training where it is open.
    """

    first: str
    varying: list[str]
    way: str | None = None
    zone: str | None = None
    kind = "date"
    fact_schema: ClassVar[Record] = Record(
        {
            "first": Text(40),
            "varying": ListOf(OneOf(VARYING), distinct=True),
            "way": Maybe(OneOf(WAYS)),
            "zone": Maybe(Text(100)),
        }
    )

    @classmethod
    def of(cls, columns: Sequence[Column], way: str | None = None) -> Self:
        zone = None if way else next((column.zone for column in columns if column.zone), None)
        moments = [_moments(column, _way_of(column, way), zone) for column in columns]
        found = Moments(np.concatenate([one.values for one in moments]))
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
        way = _way_of(column, self.way)
        if self.way is not None and way is not None and way == SWAPPED.get(self.way):
            _tell_of_swapped(column, self.way, way)
        moments = _moments(column, way, self.zone)
        _tell_of_unread(column, moments)
        days = moments.days_since(np.datetime64(self.first, "us"))
        return np.column_stack([days, *(moments.part(part) for part in self.varying)])

    def moments(self, column: Column) -> Moments:
        """The dates themselves."""
        return _moments(column, _way_of(column, self.way), self.zone)

    def pack(self) -> tuple[dict[str, Any], Arrays]:
        return {"first": self.first, "varying": self.varying, "way": self.way, "zone": self.zone}, {}

    @classmethod
    def unpack(cls, facts: dict[str, Any], arrays: Arrays) -> Self:
        first = np.datetime64(facts["first"], "us")  # which also understands words such as "today"
        if np.isnat(first) or str(first) != facts["first"]:
            raise ValueError(f"the first date must be written as in 2024-01-31T00:00:00.000000, not {facts['first']!r}")
        if facts["zone"] is not None:
            check_zone(facts["zone"])
        return cls(facts["first"], list(facts["varying"]), facts["way"], facts["zone"])


def _moments(column: Column, way: str | None, zone: str | None) -> Moments:
    """Of dates, or of text, whichever the column holds: a file may have as text what a frame had as dates."""
    if column.is_empty:
        return Moments(np.full(len(column.cells), "NaT", dtype=MICROSECONDS))
    if column.kind == "date":
        return column.moments(zone)
    if column.kind in ("text", "category") and way is not None:
        return moments_of_text(comparable(column.cells, True), way)
    example = next(cell for cell in column.cells if cell is not None)
    raise ColumnProblem(
        f"Column {column.name!r} must hold dates, as in training. Got values such as {example!r}. Convert it, for "
        "example with pandas.to_datetime."
    )


def _way_of(column: Column, way: str | None) -> str | None:
    """How the column writes dates: in the given way if that reads nearly all of it, else as it plainly shows by itself.

    Plain ways are read beside any other, so that they are no reason to leave the given one.
    """
    if column.kind not in ("text", "category"):
        return way
    counts = Counter(text for text in comparable(column.cells, True) if text is not None)
    found = way_of_writing(counts)
    if way is not None and (found in (None, *PLAIN_WAYS) or _share_read(counts, way) >= NEARLY_ALL):
        return way
    return found


def _share_read(counts: Counter[str], way: str) -> float:
    known = moments_of_text(counts, way).known
    return float(np.average(known, weights=list(counts.values()))) if counts else 1.0


def _tell_of_swapped(column: Column, trained: str, found: str) -> None:
    """Days and months that have changed places are read as they are written, but seldom expected."""
    tell(
        f"Column {column.name!r} has dates with the {found}, which were written with the {trained} in training. "
        "They are read as they are written. Is the column of the same kind as in training?"
    )


def _tell_of_unread(column: Column, moments: Moments) -> None:
    unread = [column.cells[place] for place in np.flatnonzero(~moments.known) if column.cells[place] is not None]
    if not unread:
        return
    present = sum(cell is not None for cell in column.cells)
    tell(
        f"Column {column.name!r} must hold dates, as in training: {len(unread)} of {present} cells could not be read, "
        f"for example {unread[0]!r}, and count as missing. Write dates as in 2024-01-31."
    )
