"""Columns that no model can use, and some that are of no use."""

from __future__ import annotations

import shlex

import numpy as np
import pandas as pd

from .findings import Findings, listed
from .grid import Grid

NESTED = (list, dict, tuple, set, bytes, complex, np.ndarray)
SOME = 10
EXACT = 2**53  # whole numbers beyond it are rounded


def check_columns(table: pd.DataFrame, grid: Grid, judged: bool, findings: Findings) -> None:
    """Problems and notes by column; ``judged`` says whether columns without information are worth a note."""
    for name in table.columns:
        _check_column(str(name), table[name], grid, findings)
    if judged and len(table) > 1:
        empty = [name for name in table.columns if table[name].isna().all()]
        same = [name for name in table.columns if name not in empty and _is_constant(table[name])]
        if empty:
            findings.note(f"columns without any value: {listed(empty)}")
        if same:
            findings.note(f"columns with the same value in all rows: {listed(same)}")


def _check_column(name: str, column: pd.Series, grid: Grid, findings: Findings) -> None:
    kind = column.dtype.kind
    if kind == "c":
        findings.problem(f"has complex numbers in column {name!r}. Make two columns of it.", name)
    elif kind == "f":
        infinite = np.flatnonzero(np.isinf(column.to_numpy(dtype=np.float64, na_value=np.nan))).tolist()
        if infinite:
            findings.problem(
                f"has infinite numbers, or numbers beyond 1.8e308, in column {name!r}: "
                f"{listed(map(grid.place, infinite))}. Correct these cells, or leave them empty.",
                name,
            )
    elif kind == "O":
        _check_objects(name, column, grid, findings)
    if kind in "iuf" and (largest := _largest(column)) > EXACT and (kind != "f" or _is_whole(column)):
        findings.note(
            f"column {name}: whole numbers beyond 2^53, up to {largest:.17g}, are rounded. Leave out "
            f"identifiers (--drop {shlex.quote(name)})",
            "columns with whole numbers beyond 2^53",
        )


def _check_objects(name: str, column: pd.Series, grid: Grid, findings: Findings) -> None:
    if column.dtype != object:
        return  # texts or categories
    odd = [row for row, value in enumerate(column) if isinstance(value, NESTED)]
    if odd:
        kind = type(column.iloc[odd[0]]).__name__
        findings.problem(
            f"has cells of kind {kind} in column {name!r}: {listed(map(grid.place, odd))}. A cell must be one "
            "number or text: make columns of its parts.",
            name,
        )


def _largest(column: pd.Series) -> float:
    return max(abs(float(column.max())), abs(float(column.min()))) if column.notna().any() else 0.0


def _is_whole(column: pd.Series) -> bool:
    """Whether a column with gaps holds whole numbers only."""
    values = column.dropna().to_numpy(dtype=np.float64)
    values = values[np.isfinite(values)]
    return bool(len(values)) and bool((values == np.floor(values)).all()) and bool((np.abs(values) < 1e40).all())


def _is_constant(column: pd.Series) -> bool:
    try:
        if column.iloc[:SOME].nunique(dropna=False) > 1:  # most show it at once
            return False
        return bool(column.nunique(dropna=False) == 1)
    except TypeError:  # cells that cannot be compared are reported elsewhere
        return False
