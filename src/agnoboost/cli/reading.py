"""How tables are read on the command line: options that all commands with tables share, and notes for the user."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import pandas as pd
import typer

from ..tables.files import read_table
from .console import note

Reader = Callable[..., pd.DataFrame]


def _option(text: str) -> Any:
    return Annotated[str | None, typer.Option(help=text, rich_help_panel="How tables are read, if not by looking")]


OPTIONS = {
    "sep": _option("What separates cells: a character, or tab, comma, semicolon, pipe, blank."),
    "encoding": _option("How text is encoded, such as utf-8, utf-16 or cp1252."),
    "decimal": _option("The decimal mark of numbers that can be read in two ways: . or ,"),
    "sheet": _option("Name or number of the sheet of an Excel workbook."),
}


def reads_tables(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options, and what they make of ``read_table`` as its first argument."""
    told = inspect.signature(command, eval_str=True)

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        given = {name: kwargs.pop(name, None) for name in OPTIONS}
        return command(partial(read_table, **given, tell=note), *args, **kwargs)

    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in OPTIONS.items()
    ]
    own = list(told.parameters.values())[1:]
    wrapped.__signature__ = told.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
    return wrapped


def text_columns(table: pd.DataFrame) -> list[str]:
    """Columns that were read as text: in further files of the same kind they must not become numbers."""
    return [name for name in table.columns if table[name].dtype.kind not in "biufcmM"]
