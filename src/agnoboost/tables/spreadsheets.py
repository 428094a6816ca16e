"""Cells that a spreadsheet would run as formulas, and how to keep it from that."""

from __future__ import annotations

from typing import Any

import pandas as pd

STARTS = ("=", "+", "-", "@", "\t", "\r")


def formula_cells(table: pd.DataFrame) -> int:
    """How many cells, names of columns included, a spreadsheet would take for formulas."""
    cells = sum(_is_formula(cell) for name in _texts(table) for cell in table[name].tolist())
    return cells + sum(map(_is_formula, table.columns))


def without_formulas(table: pd.DataFrame) -> pd.DataFrame:
    """The same cells, with an apostrophe before each that would run; a spreadsheet shows what follows it.

    Numbers stay numbers, also those that are written as text.

    >>> without_formulas(pd.DataFrame({"note": ["=1+1", "-3", "fine"], "size": [-1, 2, 3]})).to_numpy().tolist()
    [["'=1+1", -1], ['-3', 2], ['fine', 3]]
    """
    escaped = table.copy()
    for name in _texts(table):
        escaped[name] = table[name].astype(object).map(_escaped)
    return escaped.rename(columns=_escaped)


def _texts(table: pd.DataFrame) -> list[Any]:
    """Columns that may hold text."""
    return [name for name in table.columns if table[name].dtype.kind not in "biufcmM"]


def _is_formula(cell: Any) -> bool:
    return isinstance(cell, str) and cell.startswith(STARTS) and not _is_number(cell)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text  # which Python reads over


def _escaped(cell: Any) -> Any:
    return f"'{cell}" if _is_formula(cell) else cell
