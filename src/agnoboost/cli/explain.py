"""``agnoboost explain``: why rows are predicted as they are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from ..explain.reasons import Reason, RowReasons, reasons
from ..explain.shapley import ShapleyValues
from ..tables.files import check_kind
from .console import Facts, UserError, say
from .model_rows import AllowUnknown, Keep, ModelPath, RowsPath, columns_of, kept_beside, load_model, table_for
from .places import check_places, spoken
from .reading import Reader, reads_tables
from .writing import EscapeFormulas, say_formulas, write_cells

SHOWN = 20  # rows that are printed; a file holds them all
LEAST_ROWS = 10  # fewer say little of what is usual
OWN, LOG_ODDS = ("row", "prediction", "probability", "usual probability", "for", "against"), "log-odds of "


@reads_tables
def explain(
    read: Reader,
    model_path: ModelPath,
    data: RowsPath,
    background: Annotated[
        Path | None,
        typer.Option(help="Usual rows to compare with, best the training table. Default: the rows themselves."),
    ] = None,
    out_path: Annotated[
        Path | None,
        typer.Option("--out", help="Where to write all rows, with a number for every column; - for standard output."),
    ] = None,
    keep: Keep = None,
    top: Annotated[int, typer.Option(min=1, help="How many columns to name for and against each prediction.")] = 3,
    allow_unknown: AllowUnknown = False,
    escape_formulas: EscapeFormulas = False,
) -> Facts:
    """Say for every row which columns speak for its prediction, and which against it."""
    check_places([path for path in (model_path, data, background) if path is not None], {"--out": out_path})
    if out_path is not None:
        check_kind(out_path)
    model = load_model(model_path, data)
    table = table_for(read, model, data, also=keep or [])
    kept = kept_beside(table, keep or [], [*OWN, *(LOG_ODDS + name for name in model._column_names)], data)
    X = columns_of(model, table, data, allow_unknown)
    if background is None and len(X) < LEAST_ROWS:
        raise UserError(
            f"{data} has {len(X)} row(s), too few to say what is usual. Give rows to compare with, for example the "
            "training table: --background train.csv"
        )
    usual = None
    if background is not None:
        usual = columns_of(model, table_for(read, model, background, are_new=False), background, allow_unknown)
    found, values = reasons(model, X, usual, top=top)
    _print(found, data if background is None else background, len(model.classes_))
    written: Facts = {}
    if out_path is not None:
        written = write_cells(_table(found, values, kept), out_path, escape_formulas)
        say(f"{len(found)} explanations written to {spoken(out_path)}; row 1 is the first one below the header.")
        say_formulas(written)
    elif len(found) > SHOWN:
        say(f"{len(found) - SHOWN} more rows: write them all with --out explanations.csv")
    return {"out": out_path, "rows": [_facts(number, one) for number, one in enumerate(found, 1)], **written}


def _print(found: list[RowReasons], usual: Path, classes: int) -> None:
    several = " That is by the model of this class alone, before the classes are brought together." * (classes > 2)
    say(
        f"Compared with the rows of {usual}. Odds x 3: against all else the prediction is three times as likely as "
        f"with a usual cell; odds x 0.5: half as likely.{several}\n"
    )
    for number, one in enumerate(found[:SHOWN], 1):
        say(f"row {number}: {one.prediction} ({one.probability:.0%}; on average {one.usual:.0%})")
        for title, some in (("for", one.speaking_for), ("against", one.against)):
            if some:
                say(f"  {title + ':':<8} {', '.join(map(str, some))}")


def _table(found: list[RowReasons], values: ShapleyValues, kept: Mapping[str, pd.Series]) -> pd.DataFrame:
    """The reasons as text, then what every column adds to the log-odds of the row's prediction.

    The number of the row comes first, and what was kept: that is how rows are found again.
    """
    columns: dict[str, Any] = {
        "row": range(1, len(found) + 1),  # people count rows from 1
        **{name: column.to_numpy() for name, column in kept.items()},
        "prediction": [one.prediction for one in found],
        "probability": [one.probability for one in found],
        "usual probability": [one.usual for one in found],
        "for": [", ".join(map(str, one.speaking_for)) for one in found],
        "against": [", ".join(map(str, one.against)) for one in found],
    }
    by_class = {name: values.of(name)[0] for name in values.classes.tolist()}
    for number, name in enumerate(values.columns):
        columns[LOG_ODDS + name] = [by_class[one.prediction][row, number] for row, one in enumerate(found)]
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
