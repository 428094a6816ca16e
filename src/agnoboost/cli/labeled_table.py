"""What commands that learn from a file of labeled rows share: their options, and how they read it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy.typing as npt
import pandas as pd
import typer

from ..tables.files import read_table, take_column
from .label_models import label_column

DataPath = Annotated[Path, typer.Argument(help="CSV or Parquet file; rows without label have an empty target cell.")]
Target = Annotated[str, typer.Option(help="The column with the labels.")]
Drop = Annotated[list[str] | None, typer.Option(help="A column to leave out, such as an identifier.")]
MissingLabel = Annotated[str | None, typer.Option(help="A mark of unlabeled rows, besides empty cells.")]
Seed = Annotated[int, typer.Option(help="Seed: the same seed gives the same result.")]


def read_labeled(
    data: Path, target: str, drop: list[str] | None, missing_label: str | None
) -> tuple[pd.DataFrame, npt.NDArray[Any]]:
    """The columns to learn from, and the labels, with None where there is none."""
    X, column = take_column(read_table(data, target), target, data)
    for name in drop or []:
        X, _ = take_column(X, name, data)
    return X, label_column(column, target, None, missing_label)
