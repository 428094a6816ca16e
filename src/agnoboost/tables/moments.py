"""Moments in time as microseconds, on the clock of a time zone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from ..basics.typing import Bools, Floats

MICROSECONDS = "datetime64[us]"
QUARTER = np.timedelta64(15, "m")  # offsets of time zones change at quarters of an hour only


@dataclass(frozen=True)
class Moments:
    """Dates with times (datetime64[us], NaT where empty), without a zone."""

    values: npt.NDArray[np.datetime64]

    @property
    def known(self) -> Bools:
        return ~np.isnat(self.values)

    def on_the_clock(self, zone: str | None) -> Moments:
        """Moments of UTC, as the clocks of a zone show them."""
        if zone is None or not self.known.any():
            return self
        since = self.values[self.known] - np.datetime64(0, "us")
        quarters, place = np.unique(since // QUARTER, return_inverse=True)
        where = _zone(zone)
        offsets = [_offset(where, int(quarter)) for quarter in quarters]
        shown = self.values.copy()
        shown[self.known] += np.array(offsets, dtype="timedelta64[us]")[place]
        return Moments(shown)

    def days_since(self, first: np.datetime64) -> Floats:
        """Days, with the part of the day that has gone."""
        return np.asarray((self.values - first) / np.timedelta64(1, "D"))

    def part(self, name: str) -> Floats:
        """The year, month, weekday (0 is Monday) or hour; NaN where empty."""
        shown = self.values.astype("datetime64[s]")
        units = {"year": "Y", "month": "M", "weekday": "D", "hour": "h"}
        counted = shown.astype(f"datetime64[{units[name]}]").astype(np.int64)
        found = {
            "year": lambda: counted + 1970,
            "month": lambda: counted % 12 + 1,
            "weekday": lambda: (counted + 3) % 7,  # the first of January 1970 was a Thursday
            "hour": lambda: counted % 24,
        }[name]()
        return np.where(self.known, found, np.nan)


def utc_of(cells: Iterable[Any]) -> Moments:
    """Moments of single dates; where they have zones, of UTC."""
    return Moments(np.array([_without_zone(cell) for cell in cells], dtype=MICROSECONDS))


def zone_of(cell: Any) -> str | None:
    """The name of the zone of a single date."""
    zone = getattr(cell, "tzinfo", None)
    return None if zone is None else str(zone)


def check_zone(name: str) -> None:
    """Raise if there is no zone of this name."""
    _zone(name)


def _without_zone(cell: Any) -> Any:
    if cell is None:
        return np.datetime64("NaT")
    if isinstance(cell, datetime) and cell.tzinfo is not None:
        return np.datetime64(cell.astimezone(UTC).replace(tzinfo=None))
    return np.datetime64(cell) if isinstance(cell, date) else cell


def _zone(name: str) -> tzinfo:
    if found := re.search(r"([+-])(\d\d):?(\d\d)$", name):
        offset = timedelta(hours=int(found[2]), minutes=int(found[3]))
        return timezone(-offset if found[1] == "-" else offset)
    return ZoneInfo(name)


def _offset(zone: tzinfo, quarter: int) -> timedelta:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + quarter * timedelta(minutes=15)
    return moment.astimezone(zone).utcoffset() or timedelta(0)
