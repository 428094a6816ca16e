"""Codes that look like something else: ZIP codes like numbers, and the country code of Namibia like a gap."""

from __future__ import annotations

import re

import pandas as pd

CODE_OR_GAP = "NA"
SHORT = re.compile("[A-Z]{2}")
MOSTLY = 0.5  # of the different cells


def example_of_codes(column: pd.Series) -> str | None:
    """A cell with leading zeros, if all cells of a column of numbers are equally many digits; else None.

    >>> example_of_codes(pd.Series(["10115", "01067", None]))
    '01067'
    """
    present = column.dropna()
    first = str(present.iloc[0]).strip() if len(present) else ""
    if len(first) < 2 or not first.isdecimal():
        return None
    cells = present.str.strip()
    zeros = cells.str.startswith("0")
    if not zeros.any() or not (cells.str.len() == len(first)).all() or not cells.str.isdecimal().all():
        return None
    return str(cells[zeros].iloc[0])


def is_lost_code(column: pd.Series) -> bool:
    """Whether NA may be a code like others in a column of texts (or gaps): most of the others are two capitals.

    >>> is_lost_code(pd.Series(["DE", "AT", None, "Nordics"])), is_lost_code(pd.Series(["basic", "pro", None]))
    (True, False)
    """
    others = [str(cell).strip() for cell in column.dropna().unique()]
    short = [cell for cell in others if SHORT.fullmatch(cell)]
    return len(short) >= 2 and len(short) > MOSTLY * len(others)
