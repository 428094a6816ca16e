"""``agnoboost audit``: how good a model is, from few gold labels and many machine labels; and what to check next."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import typer
from rich.table import Column, Table

from ..basics.typing import Floats
from ..evaluation.audit import Audit, AuditFigure
from ..evaluation.audit import evaluate as audited
from ..evaluation.audit_plan import AuditPlan, rows_to_audit
from ..tables.files import check_kind, take_column
from ..tables.label_marks import LabelMarks
from ..tables.reading.blanks import bare
from .console import Facts, UserError, cell, note, out, say
from .label_models import plain_labels, without_marks
from .labeled_table import MissingLabel, Seed
from .model_rows import AllowUnknown, ModelPath, RowsPath, check_classes, columns_as_known, columns_of, load_model
from .places import check_places, spoken
from .reading import Reader, reads_tables
from .scores import interval
from .writing import EscapeFormulas, say_formulas, write_cells

NEXT, CHANCE, GOLD = "audit_next", "audit_probability", "gold"  # columns of the file for the next audit
TRUTHS = {"0": False, "False": False, "false": False, "1": True, "True": True, "true": True}


@reads_tables
def audit(
    read: Reader,
    model_path: ModelPath,
    data: RowsPath,
    gold_column: Annotated[
        str | None, typer.Option(help="The column with checked labels; most of its cells may be empty.")
    ] = None,
    machine_column: Annotated[
        list[str] | None,
        typer.Option(
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
    machine = _one_machine(machine_column or [], gold_column)
    model = load_model(model_path)
    said = [] if machine is None else [machine]
    table = read(data, gold_column, missing_label=missing_label, labels=said, **columns_as_known(model))
    X = columns_of(model, table, data, allow_unknown)
    y = None if gold_column is None else _labels(model, table, gold_column, data, missing_label)
    checked = y is not None and any(value is not None for value in y)
    if checked and probability_column is None and CHANCE in table.columns:
        say(f"Rows were drawn by a plan: the column {CHANCE} has how likely each was to be checked.")
        probability_column = CHANCE
    given: dict[str, Any] = {
        "machine_labels": None if machine is None else _machine(model, table, machine, data, missing_label),
        "sampling_probability": None
        if probability_column is None
        else _numbers(take_column(table, probability_column, data)[1], probability_column, data),
    }
    unchecked = len(table) if y is None else sum(value is None for value in y)
    if next_rows is not None and next_rows > unchecked:
        raise UserError(
            f"--next must be at most the number of rows that are not checked, {unchecked}. Got {next_rows}."
        )
    _tell_of_unchecked(table, y)
    facts: Facts = {"rows": len(table), "gold": 0, "confidence": confidence, "figures": [], "next": None}
    if checked:
        facts |= _tell(audited(model, X, y, confidence=confidence, missing_label=None, **given), machine)
    elif next_rows is None:
        raise UserError(f"The column {gold_column!r} of {data} has no labels. Have some rows checked: --next 50")
    if next_rows is not None:
        plan = rows_to_audit(model, X, next_rows, y=y, missing_label=None, random_state=seed, **given)
        facts |= _write(plan, table, gold_column, out_path, escape_formulas)
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
    """Gold labels as the model's classes, None where there is none."""
    y = plain_labels(without_marks(take_column(table, column, path)[1], missing_label))
    return _with_known_classes(_as_classes(y, model), column, model, path)


def _machine(model: Any, table: pd.DataFrame, column: str, path: Path, missing_label: LabelMarks) -> npt.NDArray[Any]:
    """Machine labels as the model's classes, or probabilities; None for gaps."""
    cells = without_marks(take_column(table, column, path)[1], missing_label)
    found = _as_classes(plain_labels(cells), model)
    if any(isinstance(value, float) for value in found):
        return _numbers(cells, column, path)
    return _with_known_classes(found, column, model, path)


def _as_classes(values: npt.NDArray[Any], model: Any) -> npt.NDArray[Any]:
    """The same text is the same class: a column of 0 and 1 may have been read as numbers, texts or truth values."""
    kinds = {str(name): name for name in model.classes_.tolist()}
    truths = {_truth(name): name for name in model.classes_.tolist()}
    if set(truths) == {False, True}:
        kinds |= {word: truths[truth] for word, truth in TRUTHS.items()}
    return np.array([None if value is None else kinds.get(str(value), value) for value in values], dtype=object)


def _truth(value: Any) -> bool | None:
    return TRUTHS.get(str(value))


def _with_known_classes(labels: npt.NDArray[Any], column: str, model: Any, path: Path) -> npt.NDArray[Any]:
    """Classes that the model does not know are counted as its errors; if there are no others, something is wrong."""
    known = set(model.classes_.tolist())
    strange = Counter(str(value) for value in labels if value is not None and value not in known)
    if strange.total() == sum(value is not None for value in labels):
        check_classes(labels, model, path)
    elif strange:
        counts = ", ".join(f"{name} ({count:,} rows)" for name, count in strange.most_common(8))
        note(
            f"{column} has classes that the model does not know: {counts}. These rows count as its errors. It knows "
            f"{', '.join(map(str, model.classes_))}."
        )
    return labels


def _numbers(values: pd.Series, column: str, path: Path) -> Floats:
    try:
        return np.asarray(pd.to_numeric(values), dtype=np.float64)
    except (TypeError, ValueError):
        raise UserError(f"The column {column!r} of {path} must hold probabilities. It holds text.") from None


def _tell_of_unchecked(table: pd.DataFrame, y: npt.NDArray[Any] | None) -> None:
    """Whether rows of an earlier plan are left."""
    if NEXT not in table.columns or y is None:
        return
    asked = table[NEXT].astype(str).str.strip().str.lower() == "yes"
    if left := sum(wanted and value is None for wanted, value in zip(asked, y, strict=True)):
        note(f"{left} of {asked.sum()} rows with yes in column {NEXT} have no checked label.")


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


def _write(plan: AuditPlan, table: pd.DataFrame, gold_column: str | None, path: Path, escape_formulas: bool) -> Facts:
    """The whole table, rows to check first: checked cells are filled in where they belong, and it is read again."""
    chosen = np.isin(np.arange(len(table)), plan.row)
    cells = table.drop(columns=[NEXT, CHANCE], errors="ignore")
    if gold_column is None:
        gold_column = GOLD
        if GOLD in cells.columns:
            raise UserError(f"The table has a column {GOLD} already. Name the column of checked labels: --gold-column")
        cells.insert(0, GOLD, None)
    cells.insert(0, CHANCE, plan.sampling_probability)
    cells.insert(0, NEXT, np.where(chosen, "yes", ""))
    order = np.concatenate([plan.row, np.flatnonzero(~chosen)])
    written = write_cells(cells.iloc[order], path, escape_formulas)
    options = shlex.join(["--gold-column", gold_column])
    say(
        f"Plan written to {spoken(path)}: {len(plan)} rows to check stand first, with yes in column {NEXT}. Fill in "
        f"their column {gold_column} from the top (the first ones alone are a fair sample, too), and run audit on that "
        f"file with {options} (and --machine-column as before)."
    )
    say_formulas(written)
    drawn = plan.to_frame()
    drawn["row"] += 1  # people count rows from 1
    return {"next": drawn.to_dict("records"), "out": path, **written}
