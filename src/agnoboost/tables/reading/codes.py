"""Codes that look like numbers, such as ZIP codes: their leading zeros would be lost."""

from __future__ import annotations

import pandas as pd


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
