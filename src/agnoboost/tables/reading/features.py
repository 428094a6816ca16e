"""Columns to learn from: bare cells, gaps, and numbers where cells are numbers."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from .blanks import bare_cells
from .cells import GAPS
from .codes import CODE_OR_GAP, example_of_codes, is_lost_code
from .decimals import read_numbers
from .findings import Findings, counted, listed
from .grid import Grid, as_text
from .machine_numbers import plain_numbers


def read_features(
    grid: Grid,
    wanted: list[str],
    text: Collection[str],
    numbers_of: Collection[str],
    decimal: str | None,
    usual_decimal: str | None,
    findings: Findings,
) -> dict[str, pd.Series]:
    """The wanted columns; those in ``text`` stay text, those in ``numbers_of`` are not taken for codes."""
    result: dict[str, pd.Series] = {}
    texts: dict[str, pd.Series] = {}
    plain: dict[str, pd.Series | None] = {}
    stripped, not_available = [], {}
    for name, column in zip(grid.names, grid.columns, strict=True):
        if name not in wanted:
            continue
        column, is_text = _by_kind(column, grid.typed)
        if not is_text:
            result[name] = column
            continue
        marks = [""] if grid.typed else GAPS
        not_available[name] = 0 if grid.typed else int((column == CODE_OR_GAP).sum())
        column = column.where(~column.isin(marks))
        may_be_numbers = name not in text and (not grid.typed or _is_mixed(grid, name))
        numbers = plain_numbers(column) if may_be_numbers else None  # most are: then there is nothing to clean
        if numbers is not None and name not in numbers_of and (code := example_of_codes(column)):
            findings.note(
                f"column {name}: codes with leading zeros, such as {code}, are left as text",
                "columns of codes with leading zeros",
            )
            may_be_numbers, numbers = False, None
        if numbers is None:
            cleaned, changed = bare_cells(column)
            if cleaned is not column:
                column = cleaned.where(~cleaned.isin(marks))
            stripped.extend([name] if changed else [])
            numbers = plain_numbers(column) if may_be_numbers and changed else None
        result[name] = column
        if may_be_numbers:
            texts[name], plain[name] = column, numbers
    result.update(read_numbers(texts, plain, decimal, usual_decimal, grid.comma_for_decimals, findings))
    for name, count in not_available.items():
        if count and result[name].dtype.kind == "O" and is_lost_code(result[name]):
            findings.note(
                f"column {name}: {CODE_OR_GAP!r} ({counted(count, 'row')}) is read as a gap. If it is a code like the "
                "others, as that of a country is, write it in another way, such as Namibia"
            )
    told = [name for name in stripped if result[name].dtype.kind == "O"]
    if told:
        findings.note(f"blanks around texts were left out in {listed(told)}")
    return result


def _by_kind(column: pd.Series, typed: bool) -> tuple[pd.Series, bool]:
    """The column with one kind of values, and whether they are texts."""
    if not typed:
        return column, True
    if column.dtype.kind != "O" or isinstance(column.dtype, pd.CategoricalDtype):
        return column, False
    kinds = {type(value) for value in column.dropna()}
    if kinds and kinds <= {int, float, Decimal}:
        return column.map(_float, na_action="ignore").astype(np.float64), False
    if str in kinds and kinds <= {str, int, float, bool}:
        return column.map(as_text, na_action="ignore"), True
    return column, False


def _is_mixed(grid: Grid, name: str) -> bool:
    """Whether a column of a file with types holds texts beside other things: then its types say nothing."""
    return len({type(value) for value in grid.columns[grid.names.index(name)].dropna()}) > 1


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
