"""``agnoboost suggest``: which rows to label next."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..estimators.suggesting import suggest as draw
from ..tables.files import check_place, read_table, write_table
from .console import UserError, say
from .labeled_table import Seed
from .models import AllowUnknown, ModelPath, _columns_of, _load


def suggest(
    model_path: ModelPath,
    pool: Annotated[Path, typer.Argument(help="CSV or Parquet file of rows without label, with the model's columns.")],
    n: Annotated[int, typer.Option("--n", min=1, help="How many rows.")] = 20,
    out_path: Annotated[Path, typer.Option("--out", help="Where to write them.")] = Path("next.csv"),
    at_random: Annotated[float, typer.Option(help="Share of them that the model has no say in; 1 for all.")] = 0.2,
    seed: Seed = 0,
    allow_unknown: AllowUnknown = False,
) -> dict[str, Any]:
    """Draw the rows to label next: rather uncertain ones, unlike each other, with known probabilities."""
    check_place(out_path)
    if out_path.exists() and pool.exists() and out_path.samefile(pool):
        raise UserError(f"--out must not be the input, {pool}: it would be overwritten.")
    model, table = _load(model_path), read_table(pool)
    found = draw(model, _columns_of(model, table, pool, allow_unknown), n, at_random=at_random, random_state=seed)
    drawn = found.to_frame()
    cells = table.iloc[found.row].reset_index(drop=True)
    if taken := sorted(set(cells.columns) & set(drawn.columns)):
        raise UserError(f"The column {taken[0]} of {pool} would collide with one of the output. Rename it first.")
    drawn["row"] += 1  # people count rows from 1
    write_table(drawn.join(cells), out_path)
    say(
        f"{len(found)} of {found.pool} rows written to {out_path}; row 1 is the first one below the header. Keep the "
        "column inclusion_probability: with weights 1/probability their labels speak for the whole file."
    )
    return {"pool": found.pool, "rows": drawn.to_dict("records"), "out": str(out_path)}
