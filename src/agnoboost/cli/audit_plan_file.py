"""Files of audit plans: the whole table, rows to check first, which is filled in and read again."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..basics.typing import Floats
from ..evaluation.audit_plan import AuditPlan, in_part
from ..tables.files import take_column
from ..tables.reading.blanks import bare
from .console import Facts, UserError, note, say
from .filled_in import refuse_filled_in
from .places import spoken
from .writing import say_formulas, write_cells

NEXT, CHANCE, BEFORE, GOLD = "audit_next", "audit_probability", "audit_before", "gold"  # its columns


def read_probabilities(table: pd.DataFrame, column: str, y: npt.NDArray[np.object_], path: Path) -> Floats:
    """How likely each row was to be checked; if only some rows of a plan were, as likely as that makes it."""
    chance = _numbers(table, column, path)
    if column != CHANCE or NEXT not in table.columns:
        return chance
    asked = (table[NEXT].astype(str).str.strip().str.lower() == "yes").to_numpy()
    done = np.array([value is not None for value in y])[asked]
    if done.all():
        return chance
    order = "" if done[: done.sum()].all() else " They are not the first ones: figures are right if chance chose them."
    note(f"{np.sum(~done)} of {len(done)} rows with yes in column {NEXT} have no checked label.{order}")
    before = _numbers(table, BEFORE, path) if BEFORE in table.columns else np.zeros(len(table))
    return in_part(chance, before, float(done.mean()))


def _numbers(table: pd.DataFrame, column: str, path: Path) -> Floats:
    try:
        return np.asarray(pd.to_numeric(take_column(table, column, path)[1]), dtype=np.float64)
    except (TypeError, ValueError):
        raise UserError(f"The column {column!r} of {path} must hold probabilities. It holds text.") from None


def check_not_filled_in(path: Path, gold_column: str | None) -> None:
    """A plan that is there already, and filled in, is not written again: rows to check had no checked label."""
    gold = {GOLD, bare(gold_column or GOLD)}
    refuse_filled_in(path, NEXT, lambda cells: gold & set(cells), NEXT)


def write_plan(
    plan: AuditPlan, table: pd.DataFrame, gold_column: str | None, path: Path, escape_formulas: bool
) -> Facts:
    """Checked cells are filled in where they belong."""
    chosen = np.isin(np.arange(len(table)), plan.row)
    cells = table.drop(columns=[NEXT, CHANCE, BEFORE], errors="ignore")
    if gold_column is None:
        gold_column = GOLD
        if GOLD in cells.columns:
            raise UserError(f"The table has a column {GOLD} already. Name the column of checked labels: --gold-column")
        cells.insert(0, GOLD, None)
    if plan.before.any():
        cells.insert(0, BEFORE, plan.before)
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
