"""Columns of durations, and of times of day, as numbers of seconds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import time, timedelta
from typing import Any

import numpy as np

from ...basics.typing import Floats
from ..cells import Column, ColumnProblem
from .number import NumberColumn

DAY = 86400.0
# As Python and pandas write them. With days the clock goes forward, also from -1 days.
_WRITTEN = re.compile(r"(?:([-+]?\d+) days?,?)?\s*(?:([-+]?)(\d+):(\d\d)(?::(\d\d(?:\.\d+)?))?)?", re.IGNORECASE)


@dataclass(frozen=True)
class DurationColumn(NumberColumn):
    """Seconds. Numbers are taken as such, and text is read: a file may have either where a frame had durations."""

    kind = "duration"

    def read(self, column: Column) -> Floats:
        plain = column.plain()
        if plain.dtype.kind in "iuf":
            return super().read(column)
        if plain.dtype.kind == "m":
            return np.asarray(plain / np.timedelta64(1, "s"))[:, None]
        found = np.array([np.nan if cell is None else _seconds(cell, column.name) for cell in column.cells])
        return found.astype(np.float64)[:, None]


def _seconds(cell: Any, name: Any) -> float:
    if isinstance(cell, timedelta):
        return cell.total_seconds()
    if isinstance(cell, time):
        return 3600.0 * cell.hour + 60.0 * cell.minute + cell.second + 1e-6 * cell.microsecond
    if isinstance(cell, np.timedelta64):
        return float(cell / np.timedelta64(1, "s"))
    found = _of_text(cell.strip()) if isinstance(cell, str) else None
    if found is None:
        raise ColumnProblem(
            f"Column {name!r} must hold durations or times of day, as in training. Got values such as {cell!r}. "
            "Expected numbers of seconds, or texts such as '1 days 02:00:00' or '02:00:00'."
        )
    return found


def _of_text(text: str) -> float | None:
    """
    >>> _of_text("1 days 02:00:00.5"), _of_text("-1 day, 23:00:00"), _of_text("-0:30"), _of_text("90"), _of_text("soon")
    (93600.5, -3600.0, -1800.0, 90.0, None)
    """
    found = _WRITTEN.fullmatch(text)
    if found is not None and text:
        days, sign, hours, minutes, seconds = found.groups()
        clock = 3600.0 * int(hours or 0) + 60.0 * int(minutes or 0) + float(seconds or 0)
        return DAY * int(days or 0) + (-clock if sign == "-" else clock)
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None
