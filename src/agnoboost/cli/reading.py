"""How tables are read on the command line: options that all commands with tables share, and notes for the user."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import pandas as pd
import typer

from ..tables.files import read_table
from .console import err

Reader = Callable[..., pd.DataFrame]


def _option(text: str) -> Any:
    return typer.Option(help=text, rich_help_panel="How tables are read, if not by looking")


Sep = Annotated[str | None, _option("What separates cells: a character, or tab, comma, semicolon, pipe, blank.")]
Encoding = Annotated[str | None, _option("How text is encoded, such as utf-8, utf-16 or cp1252.")]
Decimal = Annotated[str | None, _option("The decimal mark of numbers that can be read in two ways: . or ,")]
Sheet = Annotated[str | None, _option("Name or number of the sheet of an Excel workbook.")]


def table_reader(sep: str | None, encoding: str | None, decimal: str | None, sheet: str | None) -> Reader:
    """``read_table`` with what the user has set; notes go to the error stream, one a line."""
    return partial(read_table, sep=sep, encoding=encoding, decimal=decimal, sheet=sheet, tell=_tell)


def _tell(note: str) -> None:
    err.print(f"Note: {note}", highlight=False, markup=False, soft_wrap=True)


def text_columns(table: pd.DataFrame) -> list[str]:
    """Columns that were read as text: in further files of the same kind they must not become numbers."""
    return [name for name in table.columns if table[name].dtype.kind not in "biufcmM"]


def text_columns_of(model: Any) -> list[str]:
    """Columns whose categories a model knows as text."""
    known = model._encoder.categories
    return [model._column_names[i] for i, values in known.items() if any(isinstance(value, str) for value in values)]
