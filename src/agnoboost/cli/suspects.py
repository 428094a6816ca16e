"""``agnoboost suspects``: labels that look wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from rich.table import Table

from ..basics.stages import heard_by
from ..estimators import TableClassifier
from ..evaluation.by_class import quiet_fits
from ..tables.files import check_kind
from .classifiers import Effort
from .console import Facts, cell, out, progress, say
from .labeled_table import Categorical, DataPath, Drop, MachineColumn, MissingLabel, Seed, Target, read_labeled
from .places import check_places, spoken
from .reading import Reader, reads_tables
from .telling import say_what_was_left_out
from .writing import EscapeFormulas, say_formulas, write_cells

SHOWN = 10
CHANCE = "chance that it is wrong"


@reads_tables
def suspects(
    read: Reader,
    data: DataPath,
    target: Target,
    out_path: Annotated[Path, typer.Option("--out", help="Where to write the rows; - for standard output.")] = Path(
        "suspects.csv"
    ),
    n: Annotated[
        int | None, typer.Option("--n", min=1, help="How many to write; by default those that are worth a look.")
    ] = None,
    machine_column: MachineColumn = None,
    drop: Drop = None,
    categorical: Categorical = None,
    missing_label: MissingLabel = None,
    effort: Annotated[Effort, typer.Option(help="fast: about twice as quick as full.")] = Effort.full,
    seed: Seed = 0,
    escape_formulas: EscapeFormulas = False,
) -> Facts:
    """List the labels that look wrong, the most suspicious first."""
    check_places([data], {"--out": out_path})
    check_kind(out_path)
    rows = read_labeled(read, data, target, drop, categorical, missing_label, machine_column)
    model = TableClassifier(effort=effort.value, missing_label=None, random_state=seed, **rows.settings)
    with progress() as show, heard_by(show), quiet_fits():
        model.fit(rows.X, rows.y, **rows.beside)
    say_what_was_left_out(model)
    found = model.suspicious_labels_
    listed = found.to_frame(n if found.knows_something else 0)
    machines = pd.DataFrame(dict(rows.machines), index=rows.cells.index)  # no columns to learn from, but to look at
    seen = machines.join(rows.cells)
    cells = seen.iloc[listed["row"].to_numpy()].reset_index(drop=True)
    names = {name: f"{name} (column)" for name in set(cells.columns) & set(listed.columns)}
    cells = cells.rename(columns=names)
    listed["row"] += 1  # people count rows from 1
    written = write_cells(listed.join(cells), out_path, escape_formulas)
    say(str(found))
    if len(listed):
        _show(listed.head(SHOWN), cells[[names.get(name, name) for name in machines.columns]])
    if unknown := int(rows.known.sum()) - len(found):
        say(f"{unknown} labels could not be judged: all parts of the model have learned from them.")
    say(f"{len(listed)} rows written to {spoken(out_path)}; row 1 is the first one below the header.")
    say_formulas(written)
    return {
        "labels": len(found),
        "knows_something": found.knows_something,
        "count": found.count,
        "interval": found.interval,
        "unknown_classes": [
            {"name": name, "listed": some, "labels": all_of} for name, (some, all_of) in found.unknown_classes.items()
        ],
        "suspects": listed.to_dict("records"),
        "out": out_path,
        **written,
    }


def _show(listed: pd.DataFrame, machines: pd.DataFrame) -> None:
    """The first ones, with what machines say of them."""
    table = Table("row", "label", "rather", *map(cell, machines.columns), "probability of the label", CHANCE)
    for one, said in zip(listed.itertuples(), machines.itertuples(index=False), strict=False):
        shares = (f"{one.probability:.2f}", f"{one.suspicion:.2f}")
        answers = ("" if pd.isna(answer) else cell(answer) for answer in said)
        table.add_row(str(one.row), cell(one.given), cell(one.suggested), *answers, *shares)
    out.print(table)
