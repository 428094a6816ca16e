"""``agnoboost explain``: why rows are predicted as they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from ..explain.reasons import Reason, RowReasons, reasons
from ..explain.shapley import ShapleyValues
from ..tables.files import check_place, read_table, write_table
from .console import UserError, say
from .models import AllowUnknown, ModelPath, _columns_of, _load

SHOWN = 20  # rows that are printed; a file holds them all
LEAST_ROWS = 10  # fewer say little of what is usual


def explain(
    model_path: ModelPath,
    data: Annotated[Path, typer.Argument(help="CSV or Parquet file with the rows to explain.")],
    background: Annotated[
        Path | None,
        typer.Option(help="Usual rows to compare with, best the training table. Default: the rows themselves."),
    ] = None,
    out_path: Annotated[
        Path | None, typer.Option("--out", help="Where to write all rows, with a number for every column.")
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="How many columns to name for and against each prediction.")] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    allow_unknown: AllowUnknown = False,
) -> None:
    """Say for every row which columns speak for its prediction, and which against it."""
    if out_path is not None:
        check_place(out_path)
        for given in (data, background):
            if given is not None and out_path.exists() and given.exists() and out_path.samefile(given):
                raise UserError(f"--out must not be an input, {given}: it would be overwritten.")
    model, table = _load(model_path), read_table(data)
    X = _columns_of(model, table, data, allow_unknown)
    if background is None and len(X) < LEAST_ROWS:
        raise UserError(
            f"{data} has {len(X)} row(s), too few to say what is usual. Give rows to compare with, for example the "
            "training table: --background train.csv"
        )
    usual = None if background is None else _columns_of(model, read_table(background), background, allow_unknown)
    found, values = reasons(model, X, usual, top=top)
    if out_path is not None:
        write_table(_table(found, values), out_path)
    if as_json:
        typer.echo(json.dumps([_facts(number, one) for number, one in enumerate(found, 1)], ensure_ascii=False))
        return
    _print(found, data if background is None else background)
    if out_path is not None:
        say(f"{len(found)} explanations written to {out_path}")
    elif len(found) > SHOWN:
        say(f"{len(found) - SHOWN} more rows: write them all with --out explanations.csv")


def _print(found: list[RowReasons], usual: Path) -> None:
    say(
        f"Compared with the rows of {usual}. Odds x 3: against all else the prediction is three times as likely as "
        "with a usual cell; odds x 0.5: half as likely.\n"
    )
    for number, one in enumerate(found[:SHOWN], 1):
        say(f"row {number}: {one.prediction} ({one.probability:.0%}; a usual row: {one.usual:.0%})")
        for title, some in (("for", one.speaking_for), ("against", one.against)):
            if some:
                say(f"  {title + ':':<8} {', '.join(map(str, some))}")


def _table(found: list[RowReasons], values: ShapleyValues) -> pd.DataFrame:
    """The reasons as text, then what every column adds to the log-odds of the row's prediction."""
    columns: dict[str, Any] = {
        "prediction": [one.prediction for one in found],
        "probability": [one.probability for one in found],
        "usual probability": [one.usual for one in found],
        "for": [", ".join(map(str, one.speaking_for)) for one in found],
        "against": [", ".join(map(str, one.against)) for one in found],
    }
    by_class = {name: values.of(name)[0] for name in values.classes.tolist()}
    for number, name in enumerate(values.columns):
        columns[f"log-odds of {name}"] = [by_class[one.prediction][row, number] for row, one in enumerate(found)]
    return pd.DataFrame(columns)


def _facts(number: int, one: RowReasons) -> dict[str, Any]:
    return {
        "row": number,
        "prediction": one.prediction,
        "probability": one.probability,
        "usual_probability": one.usual,
        "for": [_reason(reason) for reason in one.speaking_for],
        "against": [_reason(reason) for reason in one.against],
    }


def _reason(reason: Reason) -> dict[str, Any]:
    plain = reason.cell is None or isinstance(reason.cell, (str, int, float, bool))
    cell = reason.cell if plain else str(reason.cell)
    return {"column": reason.column, "cell": cell, "log_odds": reason.log_odds, "odds": reason.odds}
