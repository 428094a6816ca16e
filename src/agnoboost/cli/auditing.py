"""``agnoboost audit``: how good a model is, from few gold labels and many machine labels; and what to check next."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import typer
from rich.table import Column, Table

from ..basics.suggestions import same_but_for_case
from ..evaluation.audit import Audit, AuditFigure
from ..evaluation.audit import evaluate as audited
from ..evaluation.audit_plan import rows_to_audit
from ..tables.files import check_kind, take_column
from ..tables.label_marks import LabelMarks
from ..tables.reading.blanks import bare
from .audit_plan_file import CHANCE, NEXT, check_not_filled_in, read_probabilities, write_plan
from .console import Facts, UserError, cell, note, out, say
from .label_models import as_classes, machine_column, plain_labels, without_marks
from .labeled_table import MissingLabel, Seed
from .model_rows import AllowUnknown, ModelPath, RowsPath, check_classes, columns_as_known, columns_of, load_model
from .places import check_places
from .reading import Reader, reads_tables
from .scores import interval
from .writing import EscapeFormulas


@reads_tables
def audit(
    read: Reader,
    model_path: ModelPath,
    data: RowsPath,
    gold_column: Annotated[
        str | None, typer.Option(help="The column with checked labels; most of its cells may be empty.")
    ] = None,
    machine_columns: Annotated[
        list[str] | None,
        typer.Option(
            "--machine-column",
            metavar="COLUMN",
            help="What a machine says: a class, or the probability of the second class. Default: the model.",
        ),
    ] = None,
    probability_column: Annotated[
        str | None,
        typer.Option(
            help=f"How likely each row was to be checked, if that differs. Default: {CHANCE}, the column of a plan."
        ),
    ] = None,
    missing_label: MissingLabel = None,
    confidence: Annotated[float, typer.Option(help="Of each interval.")] = 0.95,
    next_rows: Annotated[
        int | None, typer.Option("--next", min=1, help="Plan: how many further rows to have checked.")
    ] = None,
    out_path: Annotated[Path, typer.Option("--out", help="Where to write the plan; - for standard output.")] = Path(
        "audit.csv"
    ),
    seed: Seed = 0,
    allow_unknown: AllowUnknown = False,
    escape_formulas: EscapeFormulas = False,
) -> Facts:
    """Figures with intervals from few checked labels and many machine labels; and which rows to check next."""
    check_places([model_path, data], {"--out": None if next_rows is None else out_path})
    check_kind(out_path)
    if not 0.0 < confidence < 1.0:
        raise UserError(f"--confidence must be between 0 and 1, such as 0.95. Got {confidence:g}.")
    if gold_column is None and next_rows is None:
        raise UserError(
            "An audit needs labels that were checked: name their column with --gold-column, or plan: --next 50"
        )
    machine = _one_machine(machine_columns or [], gold_column)
    if next_rows is not None:
        check_not_filled_in(out_path, gold_column)
    model = load_model(model_path, data)
    said = [] if machine is None else [machine]
    marks: dict[str, Any] = {"missing_label": missing_label, "marks_gone_if": NEXT}
    table = read(data, gold_column, labels=said, **marks, **columns_as_known(model))
    X = columns_of(model, table, data, allow_unknown)
    y = None if gold_column is None else _labels(model, table, gold_column, data, missing_label)
    checked = y is not None and any(value is not None for value in y)
    if checked and probability_column is None and CHANCE in table.columns:
        say(f"Rows were drawn by a plan: the column {CHANCE} has how likely each was to be checked.")
        probability_column = CHANCE
    given: dict[str, Any] = {
        "machine_labels": None if machine is None else _machine(model, table, machine, data, missing_label, y),
        "sampling_probability": None
        if probability_column is None or y is None
        else read_probabilities(table, probability_column, y, data),
    }
    unchecked = len(table) if y is None else sum(value is None for value in y)
    if next_rows is not None and next_rows > unchecked:
        raise UserError(
            f"--next must be at most the number of rows that are not checked, {unchecked}. Got {next_rows}."
        )
    facts: Facts = {"rows": len(table), "gold": 0, "confidence": confidence, "figures": [], "next": None}
    if checked:
        facts |= _tell(audited(model, X, y, confidence=confidence, missing_label=None, **given), machine)
    elif next_rows is None:
        raise UserError(f"The column {gold_column!r} of {data} has no labels. Have some rows checked: --next 50")
    if next_rows is not None:
        plan = rows_to_audit(model, X, next_rows, y=y, missing_label=None, random_state=seed, **given)
        facts |= write_plan(plan, table, gold_column, out_path, escape_formulas)
    return facts


def _one_machine(asked: list[str], gold_column: str | None) -> str | None:
    """The column of the machine, if one is named."""
    if len(asked) > 1:
        raise UserError(
            f"audit takes one --machine-column. Got {len(asked)}: {', '.join(asked)}. Audit with one, then with "
            "another; or leave it out to use the model's probabilities, which may have learned from all of them."
        )
    if gold_column is not None and bare(gold_column) in map(bare, asked):
        raise UserError(
            f"--gold-column and --machine-column must be two columns. Got {gold_column!r} for both. A machine is "
            "judged by labels that it did not make: leave --machine-column out to use the model's probabilities."
        )
    return asked[0] if asked else None


def _labels(model: Any, table: pd.DataFrame, column: str, path: Path, missing_label: LabelMarks) -> npt.NDArray[Any]:
    """Gold labels, None where there is none; classes that the model does not know count as its errors."""
    cells = plain_labels(without_marks(take_column(table, column, path)[1], missing_label))
    classes = model.classes_.tolist()
    labels = np.array(as_classes(cells.tolist(), classes), dtype=object)
    strange = Counter(str(value) for value in labels if value is not None and value not in classes)
    if same_but_for_case(strange, map(str, classes)) or strange.total() == sum(value is not None for value in labels):
        check_classes(labels, model, path)
    elif strange:
        counts = ", ".join(f"{name} ({count:,} rows)" for name, count in strange.most_common(8))
        note(
            f"{column} has classes that the model does not know: {counts}. These rows count as its errors. It knows "
            f"{', '.join(map(str, classes))}."
        )
    return labels


def _machine(
    model: Any, table: pd.DataFrame, name: str, path: Path, missing_label: LabelMarks, y: npt.NDArray[Any] | None
) -> npt.NDArray[Any]:
    """What the machine says: classes of the model or of the checked labels, or probabilities; None for gaps."""
    classes = model.classes_.tolist()
    more = [] if y is None else sorted({value for value in y if value is not None} - set(classes), key=str)
    return machine_column(take_column(table, name, path)[1], name, classes, missing_label, "the model", more)


def _tell(found: Audit, machine: str | None) -> Facts:
    """The figures, as a table and for programs."""
    own = machine is None or found.machine_unused
    who = "the model's own probabilities" if own else f"the column {machine}"
    say(
        f"{found.gold:,} checked labels among {found.rows:,} rows, {found.confidence:.0%} intervals. Machine labels: "
        f"{who}. Neither the model nor the machine may have learned from the checked labels."
    )
    table = Table("figure", *(Column(head, no_wrap=True) for head in ("with machine labels", "checked alone", "worth")))
    for one in found.figures:
        with_machine, alone = (
            f"{value:.3f} ({low:.3f} to {high:.3f})"
            for value, low, high in ((one.value, one.low, one.high), (one.gold_value, one.gold_low, one.gold_high))
        )
        table.add_row(cell(one.text), with_machine, alone, f"{one.worth:.1f}")
    out.print(table)
    say("worth: how many times as many checked labels would be needed without machine labels.")
    return {"gold": found.gold, "figures": [_figure_facts(one) for one in found.figures]}


def _figure_facts(one: AuditFigure) -> Facts:
    return {
        "name": one.name,
        "class": one.of,
        **interval((one.value, one.low, one.high)),
        "gold_only": interval((one.gold_value, one.gold_low, one.gold_high)),
        "worth": one.worth,
    }
