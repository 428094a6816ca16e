"""Tables in files: CSV and Parquet, with errors in the user's words."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pandas as pd

from ..basics.atomic import replacing
from ..basics.places import place_of
from .places import from_any_place


class TableFileError(ValueError):
    """A file that is no table, lacks a column, or cannot be written."""


@from_any_place
def read_table(path: Path, target: str | None = None) -> pd.DataFrame:
    """A CSV (also .csv.gz, .tsv) or Parquet file.

    In the target column only an empty cell is a gap: "None" or "NA" may well be the name of a class.
    """
    if not path.exists():
        raise TableFileError(f"There is no file {path}. Check the name and the folder.")
    if path.is_dir():
        raise TableFileError(f"{path} is a folder. Name a CSV or Parquet file in it.")
    try:
        if path.suffix == ".parquet":
            table = pd.read_parquet(path)
        else:
            table = _read_text(path)
            if target is not None and target in table.columns:
                table[target] = _read_text(path, usecols=[target], keep_default_na=False, na_values=[""])[target]
    except Exception as error:
        raise TableFileError(f"{path} cannot be read as a table: {error}. Expected CSV or Parquet.") from None
    if not len(table):
        raise TableFileError(f"{path} has no rows.")
    table.columns = [str(column) for column in table.columns]
    return table


def _read_text(path: Path, **options: Any) -> pd.DataFrame:
    separator = "\t" if ".tsv" in path.suffixes else ","
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # rows with more cells than the header
        return pd.read_csv(path, sep=separator, index_col=False, low_memory=False, encoding="utf-8-sig", **options)


def write_table(table: pd.DataFrame, path: Path) -> None:
    """The file appears whole or not at all; ``-`` is standard output, as CSV."""
    try:
        with replacing(path) as file:
            if path.suffix == ".parquet":
                table.to_parquet(file, index=False)
            else:
                separator = "\t" if ".tsv" in path.suffixes else ","
                packed = "gzip" if path.suffix == ".gz" else None
                table.to_csv(file, index=False, sep=separator, compression=packed)
    except BrokenPipeError:  # whoever reads our output has seen enough
        raise
    except OSError as error:
        raise TableFileError(f"Cannot write {path}: {error}.") from None


def take_column(table: pd.DataFrame, column: str, path: Path) -> tuple[pd.DataFrame, pd.Series]:
    """The other columns, and this one."""
    if column not in table.columns:
        known = ", ".join(table.columns[:12]) + (", ..." if len(table.columns) > 12 else "")
        raise TableFileError(f"{path} has no column {column!r}. Its columns are: {known}.")
    return table.drop(columns=column), table[column]


def check_place(path: Path) -> None:
    """Complain before any work about a place where nothing can be written."""
    try:
        place_of(path).check()
    except OSError as error:
        raise TableFileError(str(error)) from None


def same_columns(table: pd.DataFrame, names: list[str], path: Path) -> pd.DataFrame:
    """The table with exactly these columns, in this order; further ones are left out."""
    absent = [name for name in names if name not in table.columns]
    if absent:
        raise TableFileError(
            f"{path} lacks the column(s) {', '.join(map(repr, absent))} that the model was trained with."
        )
    return table[names]
