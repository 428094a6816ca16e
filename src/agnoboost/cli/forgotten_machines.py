"""Columns of machines: those that nobody has named as such, and those that new rows have and a model does not use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import cohen_kappa_score

from .console import note
from .training_rows import TrainingRows

if TYPE_CHECKING:
    import pandas as pd

FEWEST, MOST = 20, 2000  # rows with labels that are looked at
WRITTEN_ALIKE = 0.8  # of the cells: a machine may also say that it cannot tell
AGREES = 0.4  # Cohen's kappa: columns of yes and no that mean something else agree by chance only


def note_forgotten_machines(rows: TrainingRows) -> None:
    """What was meant may be another thing than what was said."""
    for name in forgotten_machines(rows.X, rows.truth):
        note(
            f"The column {name!r} holds the classes of {rows.name}, as if a machine or a rule had filled it. If new "
            f"rows will not have it, name it with --machine-column {name!r}. If they will have it, leave it as it is: "
            "a column like others, which the model learns from and wants of every new row; that is mostly better."
        )


def unused_machines(model: Any) -> dict[str, str]:
    """New rows may have what a machine says, too: what to note of it, for a model that does not look at it."""
    machines = getattr(model, "machines_", None)
    return {
        one.name: f"the column {one.name!r} is there, but this model does not use it: it was fitted with "
        f"--machine-column {one.name!r}, for rows without it. If new rows always have it, fit without that option: "
        "then it is a column like others, and answers are mostly better"
        for one in ([] if machines is None else machines.machines)
    }


def forgotten_machines(X: pd.DataFrame, truth: npt.NDArray[Any]) -> list[str]:
    """Names of columns whose cells are classes, and which agree with the labels far more often than by chance."""
    rows = np.flatnonzero([value is not None for value in truth])[:MOST]
    labels = np.array([_written(truth[row]) for row in rows])
    classes, some = set(labels), X.iloc[rows]
    return [str(name) for name in X.columns if len(classes) > 1 and _is_like(some[name], labels, classes)]


def _is_like(column: pd.Series, labels: npt.NDArray[Any], classes: set[str]) -> bool:
    filled = column.notna().to_numpy()
    said = np.array([_written(value) for value in column[filled]])
    named = np.isin(said, list(classes))
    if named.sum() < FEWEST or named.mean() < WRITTEN_ALIKE or len(set(said[named])) < 2:
        return False
    return bool(cohen_kappa_score(labels[filled][named], said[named]) >= AGREES)


def _written(value: Any) -> str:
    """1 and 1.0 are one class."""
    return f"{value:g}" if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) else str(value)
