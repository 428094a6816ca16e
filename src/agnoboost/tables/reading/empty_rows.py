"""Rows of separators only, as spreadsheets leave them below a table: they are no rows."""

from __future__ import annotations

import numpy as np

from .findings import Findings, counted
from .grid import Grid


def drop_empty_rows(grid: Grid, only_last: bool, findings: Findings) -> None:
    """Leave out rows without any content, with a note; ``only_last`` keeps those that other rows follow.

    Files with types say themselves how many rows they have.
    """
    if grid.typed or not grid.columns:
        return
    empty = np.ones(len(grid.columns[0]), dtype=bool)
    for column in grid.columns:
        places = np.flatnonzero(empty)
        if not len(places):
            return
        empty[places] = column.iloc[places].str.strip().eq("").to_numpy(dtype=bool)
    if only_last:
        empty = np.logical_and.accumulate(empty[::-1])[::-1]
    if not empty.any():
        return
    first = grid.place(int(empty.argmax()))
    where = " at the end" if only_last else ""
    findings.note(f"{counted(int(empty.sum()), 'row')} without any content{where} left out (first: {first})")
    grid.columns = [column[~empty].reset_index(drop=True) for column in grid.columns]
    grid.lines = None if grid.lines is None else grid.lines[~empty]
