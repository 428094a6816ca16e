"""Cells as numbers, however they are written: 1.234,50 EUR, $1,234.50, 12 %, (1,234), 1 234, 1'234."""

from __future__ import annotations

import re
from dataclasses import dataclass

POINT, COMMA = ".", ","
# What spreadsheets and data bases write for a gap; pandas takes the same for gaps.
BROKEN = {"#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "1.#IND", "1.#QNAN"}
GAPS = BROKEN | {"", "<NA>", "N/A", "n/a", "NA", "NULL", "null", "None", "NaN", "nan", "-NaN", "-nan"}
# Marks that are gaps among numbers, but may be words elsewhere; in lower case. Errors of spreadsheets are translated.
ERRORS = {"#value!", "#div/0!", "#ref!", "#name?", "#num!", "#null!", "#wert!", "#nv", "#bezug!", "#zahl!", "#n/a"}
MARKS = frozenset(ERRORS | {"?", "-", "--", "---", ".", "na", "n/a", "n.a.", "k.a.", "k. a."}) | frozenset(
    ["none", "missing", "unknown", "unbekannt", "keine angabe"]
)
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


def is_mark(cell: str) -> bool:
    """Whether a cell is a gap among numbers."""
    return cell.lower() in MARKS
