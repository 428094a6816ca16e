"""What commands that learn from a file of labeled rows share: their options, and how they read it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..tables.label_marks import LabelMarks
from .forgotten_machines import note_forgotten_machines
from .reading import Reader
from .training_rows import TrainingRows, read_training_rows

DataPath = Annotated[
    Path,
    typer.Argument(help="A table (CSV, Parquet, Excel, JSON lines); without label: an empty target cell. - for stdin."),
]
Target = Annotated[str, typer.Option(help="The column with the labels.")]
Drop = Annotated[list[str] | None, typer.Option(metavar="A,B", help="Columns to leave out, such as identifiers.")]
Categorical = Annotated[
    list[str] | None,
    typer.Option(metavar="A,B", help="Columns of categories, whatever they look like, such as postal codes."),
]
MissingLabel = Annotated[
    list[str] | None, typer.Option(help="A mark of unlabeled rows, besides empty cells; may be given several times.")
]
MachineColumn = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="A column with labels of a machine (language model, legacy system, rule); may be given several times.",
    ),
]
LARGEST_SEED = 2**32 - 1  # that numpy takes
Seed = Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Seed: the same seed gives the same result.")]


def read_labeled(
    read: Reader,
    data: Path,
    target: str,
    drop: list[str] | None,
    categorical: list[str] | None,
    missing_label: LabelMarks,
    machine_column: list[str] | None,
) -> TrainingRows:
    """The columns to learn from, and the labels, with None where there is none."""
    machines = machine_column or []
    rows = read_training_rows(read, data, target, None, drop or [], None, missing_label, categorical or [], machines)
    note_forgotten_machines(rows)
    return rows
