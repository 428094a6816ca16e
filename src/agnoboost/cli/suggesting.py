"""``agnoboost suggest``: which rows to label next."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer

from ..basics.typing import Ints
from ..estimators.suggesting import suggest as draw
from ..tables.files import check_kind, take_column
from ..tables.label_marks import LabelMarks
from ..tables.reading.blanks import bare
from .console import Facts, UserError, say
from .filled_in import Cells, refuse_filled_in
from .label_models import without_marks
from .labeled_table import MissingLabel, Seed
from .model_rows import AllowUnknown, ModelPath, RowsPath, columns_as_known, columns_of, load_model
from .places import check_places, spoken
from .reading import Reader, reads_tables
from .writing import EscapeFormulas, say_formulas, write_cells

OWN = ("row", "inclusion_probability", "prediction", "uncertainty")  # its columns, beside those of the table


@reads_tables
def suggest(
    read: Reader,
    model_path: ModelPath,
    pool: RowsPath,
    target: Annotated[
        str | None,
        typer.Option(help="The column with the labels, if the file has one: rows that have a label are left out."),
    ] = None,
    missing_label: MissingLabel = None,
    n: Annotated[int, typer.Option("--n", min=1, help="How many rows.")] = 20,
    out_path: Annotated[Path, typer.Option("--out", help="Where to write them; - for standard output.")] = Path(
        "next.csv"
    ),
    at_random: Annotated[float, typer.Option(help="Share of them that the model has no say in; 1 for all.")] = 0.2,
    seed: Seed = 0,
    allow_unknown: AllowUnknown = False,
    escape_formulas: EscapeFormulas = False,
) -> Facts:
    """Draw the rows to label next: rather uncertain ones, unlike each other, with known probabilities."""
    check_places([model_path, pool], {"--out": out_path})
    check_kind(out_path)
    if not 0.0 < at_random <= 1.0:
        raise UserError(f"--at-random must be above 0 and at most 1: every row needs a chance. Got {at_random:g}.")
    model = load_model(model_path, pool)
    table = read(
        pool, target, missing_label=missing_label, **columns_as_known(model)
    )  # with all its columns: people must see what they label
    _check_not_filled_in(out_path, table, target)
    X = columns_of(model, table, pool, allow_unknown)
    unlabeled = _unlabeled(table, target, missing_label, pool)
    if n > len(unlabeled):
        raise UserError(f"--n must be at most the number of rows to draw from, {len(unlabeled)}. Got {n}.")
    found = draw(model, X.iloc[unlabeled], n, at_random=at_random, random_state=seed)
    drawn = found.to_frame().assign(row=unlabeled[found.row])
    cells = table.iloc[drawn["row"]].reset_index(drop=True)
    if taken := sorted(set(cells.columns) & set(OWN)):
        raise UserError(f"The column {taken[0]} of {pool} would collide with one of the output. Rename it first.")
    drawn["row"] += 1  # people count rows from 1
    written = write_cells(drawn.join(cells), out_path, escape_formulas)
    say(
        f"{len(found)} of {found.pool} rows written to {spoken(out_path)}; row 1 is the first one below the header. "
        "Keep the column inclusion_probability: with weights 1/probability their labels speak for the whole file."
    )
    say_formulas(written)
    return {"pool": found.pool, "rows": drawn.to_dict("records"), "out": out_path, **written}


def _check_not_filled_in(path: Path, table: pd.DataFrame, target: str | None) -> None:
    """Labels are filled into the column for them, or into one that was added by hand."""
    written = {*OWN, *table.columns} - {None if target is None else bare(target)}

    def by_people(cells: Cells) -> list[str]:
        return [name for name in cells if name not in written] if written <= set(cells) else []  # else of other rows

    refuse_filled_in(path, OWN[1], by_people, None)


def _unlabeled(table: pd.DataFrame, target: str | None, missing_label: LabelMarks, path: Path) -> Ints:
    """Numbers of the rows to draw from."""
    if target is None:
        return np.arange(len(table))
    rows = np.flatnonzero(without_marks(take_column(table, target, path)[1], missing_label).isna())
    if not len(rows):
        raise UserError(f"Every row of {path} has a label in the column {target!r}: there is nothing left to label.")
    return rows
