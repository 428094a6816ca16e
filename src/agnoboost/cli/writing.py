"""Tables for people: what a spreadsheet would run in them is told of, or escaped."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from ..tables.files import write_table
from ..tables.spreadsheets import formula_cells, without_formulas
from .console import Facts, say

EscapeFormulas = Annotated[
    bool,
    typer.Option("--escape-formulas", help="Put an apostrophe before text that a spreadsheet would run (= + - @)."),
]


def write_cells(table: pd.DataFrame, path: Path, escape_formulas: bool) -> Facts:
    """Write a table; what comes back is for :func:`say_formulas`, and for programs."""
    formulas = 0 if path.suffix == ".parquet" else formula_cells(table)
    write_table(without_formulas(table) if escape_formulas else table, path)
    return {"formulas": formulas, "formulas_escaped": escape_formulas}


def say_formulas(written: Facts) -> None:
    """Warn of cells that would run."""
    count = written["formulas"]
    if count and not written["formulas_escaped"]:
        say(f"{count} cells begin with = + - or @: a spreadsheet would run them. --escape-formulas prevents that.")
