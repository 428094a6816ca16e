"""Dates that are written as text: found by looking at a whole column, and only where there is one way to read it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime

import numpy as np

from .moments import MICROSECONDS, Moments

NEARLY_ALL = 0.95  # of the cells that are not empty

# A zone that is written behind the time is passed over: the clock that was written down is what counts.
_CLOCK = r"(?:[T ]+(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*([ap]m)?\s*(?:z|utc|[+-]\d\d:?(?:\d\d)?)?)?$"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMED = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+)?"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text + _CLOCK, re.IGNORECASE)


# For each way of writing: patterns of which one must fit, with the places of year, month and day among the groups.
# Two digits are a year between slashes, and between points beside two-digit days (1.2.10 may be a version); with dashes
# they may come first as well as last.
_WAYS: dict[str, list[tuple[re.Pattern[str], tuple[int, int, int]]]] = {
    "year first": [(_pattern(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})"), (1, 3, 4))],
    "day first": [
        (_pattern(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})"), (4, 3, 1)),
        (_pattern(r"(\d{1,2})(/)(\d{1,2})\2(\d\d)"), (4, 3, 1)),
        (_pattern(r"(\d\d)(\.)(\d\d)\2(\d\d)"), (4, 3, 1)),
    ],
    "month first": [
        (_pattern(r"(\d{1,2})([-/])(\d{1,2})\2(\d{4})"), (4, 1, 3)),
        (_pattern(r"(\d{1,2})(/)(\d{1,2})\2(\d\d)"), (4, 1, 3)),
    ],
    "month by name": [
        (_pattern(_WEEKDAY + r"(\d{1,2})(?:st|nd|rd|th)?[\s.-]+" + _NAMED + r"[\s,-]+(\d{4})"), (3, 2, 1)),
        (_pattern(_WEEKDAY + _NAMED + r"\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})"), (3, 1, 2)),
    ],
}


WAYS = tuple(_WAYS)
PLAIN_WAYS = ("year first", "month by name")  # which no other way can be taken for
PIVOT = 70  # of years with two digits: 1970 to 2069


def way_of_writing(counts: Mapping[str, int]) -> str | None:
    """How nearly all of these texts write a date; None if they do not, or if 3/4 may be in March as well as in April.

    A column may have been written by several people: beside the way that is found, plain ones do not count as odd.

    >>> way_of_writing({"2024-01-31": 5, "2024-02-01": 1}), way_of_writing({"13/4/2024": 1, "3/4/2024": 1})
    ('year first', 'day first')
    >>> way_of_writing({"13/4/2024": 1, "2024-05-06": 1, "7 Aug 2024": 1})
    'day first'
    >>> way_of_writing({"3/4/2024": 1, "5/6/2024": 1}) is None
    True
    """
    total = sum(counts.values())
    read = {way: sum(n for text, n in counts.items() if _read(text, way)) for way in _WAYS}
    numeric = sum(n for text, n in counts.items() if _read(text, "day first") or _read(text, "month first"))
    more, less = max(read["day first"], read["month first"]), min(read["day first"], read["month first"])
    if more == less or more < NEARLY_ALL * numeric:
        read["day first"] = read["month first"] = 0  # nothing tells one from the other, or both were meant
    beside = {way: sum(read[plain] for plain in PLAIN_WAYS if plain != way) for way in _WAYS}
    ways = [way for way, own in read.items() if own and own + beside[way] >= NEARLY_ALL * total]
    return max(ways, key=lambda way: (read[way] + beside[way], read[way]), default=None)


def moments_of_text(texts: Iterable[str | None], way: str) -> Moments:
    """Moments; what is no date in that way of writing, nor in one that is plain, is empty."""
    known: dict[str | None, datetime | None] = {None: None}
    values = [known[text] if text in known else known.setdefault(text, _read_any(text or "", way)) for text in texts]
    return Moments(np.array(values, dtype=MICROSECONDS))


def _read_any(text: str, way: str) -> datetime | None:
    tried = (_read(text, one) for one in (way, *PLAIN_WAYS))
    return next((found for found in tried if found is not None), None)


def _read(text: str, way: str) -> datetime | None:
    text = text.strip()
    for pattern, places in _WAYS[way]:
        if found := pattern.match(text):
            try:
                year, month, day = (_number(found[place]) for place in places)
                hour, minute, second = _clock(*found.groups()[-4:])
                return datetime(_whole_year(year, found[places[0]]), month, day, hour, minute, second)
            except ValueError:  # the 31st of February
                return None
    return None


def _whole_year(year: int, written: str) -> int:
    if len(written) > 2:
        return year
    return 1900 + year if year >= PIVOT else 2000 + year


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _MONTHS.index(text[:3].lower()) + 1


def _clock(hour: str | None, minute: str | None, second: str | None, half: str | None) -> tuple[int, int, int]:
    if hour is None:
        return 0, 0, 0
    shown = int(hour) if half is None else int(hour) % 12 + 12 * (half.lower() == "pm")
    return shown, int(minute or 0), int(second or 0)
