"""A model file, and rows for it: what all commands that use a model begin with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy.typing as npt
import pandas as pd
import typer

from ..basics.places import STANDARD
from ..basics.suggestions import same_but_for_case
from ..files import ModelFileError, load
from ..tables.files import same_columns
from ..tables.large_numbers import rounded
from ..tables.readers.number import NumberColumn
from ..tables.reading.findings import Findings
from ..tables.reading.headers import asked_names
from .console import UserError
from .forgotten_machines import unused_machines
from .reading import Reader

ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="A model written by fit; - for standard input.")]
RowsPath = Annotated[
    Path, typer.Argument(help="A table (CSV, Parquet, Excel, JSON lines) with the model's columns; - for stdin.")
]
Keep = Annotated[
    list[str] | None, typer.Option(metavar="A,B", help="Columns to copy to the output, such as identifiers.")
]
AllowUnknown = Annotated[bool, typer.Option(help="Treat categories not seen in training as missing.")]


def load_model(path: Path, rows: Path | None = None) -> Any:
    """The model of a file; if it is none, but the file of the ``rows`` is, they were given the wrong way round."""
    if path != STANDARD and not path.exists():
        raise UserError(f"There is no file {path}. Train a model with: agnoboost fit data.csv --target label")
    try:
        return load(path)
    except ModelFileError:
        if rows is not None and _is_model(rows):
            raise UserError(f"The model comes first, then the table: {rows} {path}. Got {path} {rows}.") from None
        raise


def _is_model(path: Path) -> bool:
    try:
        return path != STANDARD and load(path) is not None
    except (ModelFileError, OSError):
        return False


def table_for(
    read: Reader, model: Any, path: Path, target: str | None = None, also: Sequence[str] = (), are_new: bool = True
) -> pd.DataFrame:
    """The model's columns as it knows them, the target, and others as they are, of rows that ``are_new`` to it."""
    unused = unused_machines(model) if are_new else None
    return read(path, target, columns=model._column_names, keep=also, unused=unused, **columns_as_known(model))


def columns_as_known(model: Any) -> dict[str, Any]:
    """Which columns were text in training, which were not, and the decimal mark: other files may leave it open."""
    text = model._encoder.written
    numbers = [name for name in model._column_names if name not in text]
    return {"text": text, "numbers": numbers, "usual_decimal": model._encoder.decimal}


def columns_of(model: Any, table: pd.DataFrame, path: Path, allow_unknown: bool) -> pd.DataFrame:
    """The model's columns of a table; categories that it does not know are refused, if not allowed."""
    names = model._column_names
    X = same_columns(table, names, path)
    unknown = model._encoder.unknown(X)
    if unknown and not allow_unknown:
        parts = "; ".join(f"{names[c]}: {', '.join(map(repr, values[:5]))}" for c, values in unknown.items())
        raise UserError(
            f"{path} has categories that were not in the training data ({parts}). "
            "Correct them, or pass --allow-unknown to treat them as missing."
        )
    readers = zip(names, model._encoder.readers, strict=True)
    return rounded(X, [name for name, reader in readers if not isinstance(reader, NumberColumn)])


def kept_beside(table: pd.DataFrame, keep: Sequence[str], written: Sequence[str], path: Path) -> dict[str, pd.Series]:
    """The columns of ``--keep``, to stand before those that are ``written``."""
    kept = {name: table[name] for name in asked_names(keep, list(table.columns), Findings(path))}
    if taken := sorted(set(kept) & set(written)):
        raise UserError(f"--keep {taken[0]} would collide with a column of the output. Rename it first.")
    return kept


def check_classes(labels: npt.NDArray[Any], model: Any, path: Path) -> None:
    """Complain about labels (None where there is none) of classes that the model does not know."""
    known = [str(name) for name in model.classes_]
    strangers = sorted({str(value) for value in labels if value is not None} - set(known))
    if strangers:
        raise UserError(
            f"{path} has classes that the model does not know: {', '.join(strangers)}. It knows: "
            f"{', '.join(known)}.{same_but_for_case(strangers, known)} Write them as the model does, or empty the "
            "cells."
        )
