"""A table as it lies in a file: names as they are written, and cells as text or with types of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from ...basics.typing import Ints


@dataclass
class Grid:
    """Columns by place, since names may still be empty or occur twice.

    ``lines`` are the lines of the file on which rows begin, where it has lines. ``comma_for_decimals`` says that,
    with nothing else to go by, a comma is more likely a decimal mark than a thousands mark. ``first`` is the number of
    the first row, where others come before it.
    """

    names: list[str]
    columns: list[pd.Series]
    typed: bool
    lines: Ints | None = None
    comma_for_decimals: bool = False
    first: int = 0

    def place(self, row: int) -> str:
        """Where a row is, in words that help to find it."""
        return f"row {self.first + row + 1}" if self.lines is None else f"line {self.lines[row]}"


def as_text(value: Any) -> str:
    """A cell of another type as text: a whole number that became 7.0 beside gaps is "7"."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
