"""Cells as numbers, however they are written: 1.234,50 EUR, $1,234.50, 12 %, (1,234), 1 234, 1'234."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ...basics.typing import Floats

POINT, COMMA = ".", ","
# What spreadsheets and data bases write for a gap; pandas takes the same for gaps.
BROKEN = {"#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "1.#IND", "1.#QNAN"}
GAPS = BROKEN | {"", "<NA>", "N/A", "n/a", "NA", "NULL", "null", "None", "NaN", "nan", "-NaN", "-nan"}
# Marks that are gaps among numbers, but may be words elsewhere.
MARKS = frozenset(["?", "-", "--", "---", ".", "na", "none", "missing", "unknown", "unbekannt", "#VALUE!", "#DIV/0!"])
CODES = "EUR|USD|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|BRL|CAD|AUD|NZD|MXN|ZAR|TRY|RUB|KRW"
CURRENCY = rf"[$€£¥₹₽₩₺₫₪₴₦฿¢]|{CODES}"
CELL = re.compile(
    rf"(?P<open>\()? ?(?P<before>[-+])? ?(?P<first>{CURRENCY})? ?(?P<sign>[-+])?"
    r"(?P<body>\d[\d., ']*|[.,]\d+)(?P<power>[eE][-+]?\d+)?"
    rf" ?(?P<after>-)? ?(?P<last>{CURRENCY})? ?(?P<percent>%)? ?(?P<close>\))?"
)
# Signs that are written in several ways: minus, non-breaking and thin blanks, apostrophes.
USUAL = str.maketrans({"\u2212": "-", "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2019": "'"})
GROUPED = re.compile(r"[1-9]\d{0,2}(?P<mark>[., '])\d{3}((?P=mark)\d{3})*")


@dataclass(frozen=True)
class WrittenNumber:
    """A number as its cell shows it, before it is settled what its marks mean."""

    body: str
    power: str
    factor: float
    currency: str
    percent: bool

    def under(self, decimal: str) -> float | None:
        """The number, if this is the decimal mark; None where the cell does not allow it."""
        whole, _, fraction = self.body.partition(decimal)
        if fraction and not fraction.isdecimal():
            return None
        if not whole.isdecimal() and whole:
            grouped = GROUPED.fullmatch(whole)
            if grouped is None or grouped["mark"] == decimal:
                return None
            whole = whole.replace(grouped["mark"], "")
        value = float(f"{whole or '0'}.{fraction or '0'}{self.power}")
        return self.factor * value / 100 if self.percent else self.factor * value


def written_number(cell: str) -> WrittenNumber | None:
    """The parts of a cell that is a number, or None.

    >>> written_number("(1.234,50 EUR)").under(",")
    -1234.5
    """
    found = CELL.fullmatch(cell.strip().translate(USUAL))
    if found is None or (found["open"] is None) != (found["close"] is None):
        return None
    signs = [sign for sign in (found["before"], found["sign"], found["after"], found["open"]) if sign]
    if len(signs) > 1 or (found["first"] and found["last"]):
        return None
    return WrittenNumber(
        body=found["body"].rstrip(" "),
        power=found["power"] or "",
        factor=-1.0 if signs and signs[0] != "+" else 1.0,
        currency=found["first"] or found["last"] or "",
        percent=found["percent"] is not None,
    )


def plain_numbers(column: pd.Series) -> pd.Series | None:
    """A column of texts (or gaps) whose cells are all numbers as computers write them, or all true or false."""
    present = column.dropna()
    if present.isin(["True", "False", "TRUE", "FALSE", "true", "false"]).all() and len(present):
        truth = column.str.lower().map({"true": True, "false": False})
        return truth.astype(bool) if len(present) == len(column) else truth.astype(np.float64)
    try:
        numbers = pd.to_numeric(column)
    except (TypeError, ValueError):
        return None
    if numbers.dtype.kind in "iuf":
        return numbers
    return column.astype(object).map(float, na_action="ignore").astype(np.float64)  # longer than machines count


@dataclass(frozen=True)
class WrittenColumn:
    """A column whose cells are all numbers, under one decimal mark or under either.

    ``cells`` are its different texts, ``values`` what they are under each mark that all of them allow; ``codes`` say
    which text each row has, -1 for a gap.
    """

    cells: list[str]
    values: dict[str, Floats]
    codes: Any
    currencies: list[str]
    percents: int
    gaps: list[str]

    @property
    def is_ambiguous(self) -> bool:
        """Whether both marks are possible, and make a difference."""
        return len(self.values) == 2 and not np.array_equal(self.values[POINT], self.values[COMMA])

    @property
    def evidence(self) -> str | None:
        """The decimal mark that this column shows, if it shows one."""
        return next(iter(self.values)) if len(self.values) == 1 else None

    def read(self, decimal: str) -> Floats:
        """The column as numbers."""
        return np.asarray(np.append(self.values[decimal], np.nan)[self.codes])

    def is_plain(self, decimal: str) -> bool:
        """Whether a computer would write and read all cells that are no gaps like this."""
        try:
            return bool(np.array_equal([float(cell) for cell in self.cells], self.values[decimal]))
        except ValueError:
            return False

    def example(self, decimal: str) -> tuple[str, float]:
        """The cell that is furthest from what a computer would write, and what it is read as."""
        place = max(range(len(self.cells)), key=lambda i: (sum(not c.isdecimal() for c in self.cells[i]), -i))
        return self.cells[place], float(self.values[decimal][place])


def written_column(column: pd.Series) -> WrittenColumn | None:
    """A column of bare texts (or gaps) as numbers, or None if some cell is none."""
    codes, values = pd.factorize(column)
    cells = [str(value) for value in values.tolist()]
    gaps = [cell for cell in cells if cell.lower() in MARKS or cell in MARKS]
    parsed = []
    for cell in cells:
        parsed.append(None if cell in gaps else written_number(cell))
        if parsed[-1] is None and cell not in gaps:
            return None
    numbers = [number for number in parsed if number is not None]
    if not numbers:
        return None
    possible = {}
    for mark in (POINT, COMMA):
        found = [number.under(mark) for number in numbers]
        if None not in found:
            possible[mark] = np.array(found, dtype=np.float64)
    if not possible:
        return None
    place = np.full(len(cells) + 1, -1)
    place[[i for i, number in enumerate(parsed) if number is not None]] = np.arange(len(numbers))
    return WrittenColumn(
        cells=[cell for cell in cells if cell not in gaps],
        values=possible,
        codes=place[codes],
        currencies=sorted({number.currency for number in numbers if number.currency}),
        percents=sum(number.percent for number in numbers),
        gaps=gaps,
    )
