"""Files that people fill in: written again, they would lose what was filled in by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from ..basics.places import place_of
from ..basics.typing import Bools
from ..tables.reading.blanks import bare
from ..tables.reading.findings import Findings, TableFileError, counted
from ..tables.reading.formats import read_grid
from .console import UserError

Cells = dict[str, "pd.Series"]  # columns by name, as they lie in the file


def refuse_filled_in(path: Path, mark: str, by_people: Callable[[Cells], Iterable[str]], asked: str | None) -> None:
    """Complain about a place that holds a file of the same kind, in which somebody has filled in cells.

    The kind is known by its column ``mark``. Looked at are the columns ``by_people``, in rows with yes in the column
    ``asked``, if there is one: these had nothing there when they were written.
    """
    cells = _cells(path)
    if mark not in cells:
        return
    rows = np.ones(len(cells[mark]), dtype=bool) if asked is None else _texts(cells[asked]).str.lower().eq("yes")
    filled = {name: int((_is_filled(cells[name]) & rows).sum()) for name in by_people(cells)}
    if lost := [f"{counted(count, 'cell')} of its column {name}" for name, count in filled.items() if count]:
        raise UserError(
            f"{path} is from an earlier run, and would lose what may be filled in by hand: {' and '.join(lost)}. "
            "Name another file with --out, or move that one away."
        )


def _cells(path: Path) -> Cells:
    """Nothing where there is no file yet, or none that is a table."""
    place = place_of(path)
    if not place.is_regular or not place.path.exists():
        return {}
    try:
        grid = read_grid(path, None, None, None, Findings(path))
    except (TableFileError, ImportError):
        return {}
    return {bare(name): column for name, column in zip(grid.names, grid.columns, strict=True)}


def _texts(column: pd.Series) -> pd.Series:
    return column.astype(object).where(column.notna(), "").map(str).map(bare)


def _is_filled(column: pd.Series) -> Bools:
    return np.asarray(_texts(column) != "")
