"""Reading and writing tables for the command line, with errors in the user's words."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd


class UserError(Exception):
    """Something the user can mend; shown without a traceback."""


def read_table(path: Path, target: str | None = None) -> pd.DataFrame:
    """A CSV (also .csv.gz, .tsv) or Parquet file.

    In the target column only an empty cell is a gap: "None" or "NA" may well be the name of a class.
    """
    if not path.exists():
        raise UserError(f"There is no file {path}. Check the name and the folder.")
    if path.is_dir():
        raise UserError(f"{path} is a folder. Name a CSV or Parquet file in it.")
    try:
        if path.suffix == ".parquet":
            table = pd.read_parquet(path)
        else:
            table = _read_text(path)
            if target is not None and target in table.columns:
                table[target] = _read_text(path, usecols=[target], keep_default_na=False, na_values=[""])[target]
    except Exception as error:
        raise UserError(f"{path} cannot be read as a table: {error}. Expected CSV or Parquet.") from None
    if not len(table):
        raise UserError(f"{path} has no rows.")
    table.columns = [str(column) for column in table.columns]
    return table


def _read_text(path: Path, **options: Any) -> pd.DataFrame:
    separator = "\t" if ".tsv" in path.suffixes else ","
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # rows with more cells than the header
        return pd.read_csv(path, sep=separator, index_col=False, low_memory=False, encoding="utf-8-sig", **options)


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Written beside its place and moved there, so that it appears whole or not at all."""
    part = path.with_name(f".{path.name}.part")
    try:
        if path.suffix == ".parquet":
            table.to_parquet(part, index=False)
        else:
            table.to_csv(part, index=False, compression="gzip" if path.suffix == ".gz" else None)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise UserError(f"Cannot write {path}: {error}.") from None


def take_column(table: pd.DataFrame, column: str, path: Path) -> tuple[pd.DataFrame, pd.Series]:
    """The other columns, and this one."""
    if column not in table.columns:
        known = ", ".join(table.columns[:12]) + (", ..." if len(table.columns) > 12 else "")
        raise UserError(f"{path} has no column {column!r}. Its columns are: {known}.")
    return table.drop(columns=column), table[column]


def as_labels(column: pd.Series) -> npt.NDArray[Any]:
    """Labels as they were meant: whole numbers that gaps have turned into floats become whole again."""
    values = column.to_numpy(dtype=object, copy=True)
    gaps = column.isna().to_numpy()
    if column.dtype.kind == "f" and all(float(v).is_integer() for v in values[~gaps]):
        values = np.array([None if gap else int(v) for v, gap in zip(values, gaps, strict=True)], dtype=object)
    values[gaps] = None
    return np.asarray(values)


def check_place(path: Path) -> None:
    """Complain before any work about a place where nothing can be written."""
    folder = path.parent
    if not folder.is_dir():
        raise UserError(f"There is no folder {folder} for {path.name}. Make it first, or choose another place.")
    if path.is_dir() or not os.access(folder, os.W_OK):
        raise UserError(f"Cannot write {path}. Choose another place.")


def same_columns(table: pd.DataFrame, names: list[str], path: Path) -> pd.DataFrame:
    """The table with exactly these columns, in this order; further ones are left out."""
    absent = [name for name in names if name not in table.columns]
    if absent:
        raise UserError(f"{path} lacks the column(s) {', '.join(map(repr, absent))} that the model was trained with.")
    return table[names]
