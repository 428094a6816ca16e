"""What ``agnoboost fit`` learns from: columns, and labels of one column or votes of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..basics.typing import Bools
from ..labels import LabelModel, SoftLabels
from ..tables.files import same_columns, take_column
from ..tables.label_marks import LabelMarks
from ..tables.large_numbers import counting, rounded
from ..tables.reading.blanks import bare
from ..tables.reading.findings import Findings
from ..tables.reading.headers import asked_names
from ..tables.reading.label_cells import tell_of_idle_marks
from .console import UserError, note
from .label_models import label_column, machine_column, vote_columns
from .reading import Reader, text_columns


@dataclass(frozen=True)
class TrainingRows:
    """``y`` is what the model is fitted to; ``truth`` the class of each row as far as labels tell, else None.

    ``cells`` are the columns as they were read, for people; in ``X`` large whole numbers are rounded.
    """

    X: pd.DataFrame
    y: Any
    truth: npt.NDArray[Any]
    name: str  # of the label column, or columns
    categorical: Sequence[str] = ()  # columns that the user has named
    soft: bool = False
    decimal: str | None = None  # the decimal mark of the file, if there was need of one
    machines: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)  # by column, None where one says nothing
    cells: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def settings(self) -> dict[str, Any]:
        """For a classifier: what was said of columns, and nothing where nothing was."""
        return {"categorical_features": list(self.categorical)} if self.categorical else {}

    @property
    def beside(self) -> dict[str, Any]:
        """For a fit: what machines say, if there are any."""
        return {"machine_labels": dict(self.machines)} if self.machines else {}

    @property
    def known(self) -> Bools:
        return np.array([value is not None for value in self.truth])

    @property
    def counts(self) -> pd.Series:
        """How often each class occurs."""
        return pd.Series(self.truth[self.known]).value_counts()

    def described(self, more: int) -> str:
        """What was read, with so many unlabeled rows from elsewhere."""
        classes = "soft" if self.soft else ", ".join(f"{name}: {count}" for name, count in self.counts.items())
        unlabeled = int((~self.known).sum()) + more
        said = f"{self.known.sum()} labeled rows ({classes}), {unlabeled} unlabeled rows, {self.X.shape[1]} columns."
        counts = [(name, sum(value is not None for value in own)) for name, own in self.machines.items()]
        return said + "".join(f" Machine labels in {name}: {count} rows." for name, count in counts)


def read_training_rows(
    read: Reader,
    data: Path,
    target: str | None,
    votes: str | None,
    drop: list[str],
    label_model: LabelModel | None,
    missing_label: LabelMarks,
    categorical: list[str],
    machine_columns: Sequence[str] = (),
) -> TrainingRows:
    """Rows with labels of the column ``target``, or with ``votes`` of several columns, separated by commas.

    Columns that are named as ``categorical`` are read as text: 007 and 7 are two categories. ``machine_columns`` hold
    what machines say of the rows.
    """
    named = [name for text in categorical for name in (text, *text.split(","))]
    if (target is None) == (votes is None):
        raise UserError("Either --target or --votes must be given: the column, or columns, with the labels.")
    if target is not None:
        _check_machines(machine_columns, [target], named)
        table = read(data, target, drop=drop, missing_label=missing_label, text=named, labels=machine_columns)
        X, column = take_column(table, target, data)
        y = label_column(column, target, label_model, missing_label)
        X, machines = _take_machines(X, machine_columns, y, missing_label, data)
        categories = _categories(categorical, _some(X, data), data)
        soft = isinstance(label_model, SoftLabels)
        learned = _rounded(X, categories)
        return TrainingRows(learned, y, y, target, categories, soft, table.attrs["decimal"], machines, X)
    assert votes is not None
    assert label_model is not None
    names = [name.strip() for name in votes.split(",")]
    if len(set(names)) < max(2, len(names)):
        raise UserError(f"--votes must name two or more columns, such as ann,ben,cleo. Got {votes!r}.")
    _check_machines(machine_columns, names, named)
    X, columns = read(data, drop=drop, text=[*names, *named], labels=machine_columns), []
    decimal = X.attrs["decimal"]
    for name in names:
        X, column = take_column(X, name, data)
        columns.append(column)
    findings = Findings(data)
    tell_of_idle_marks(columns, missing_label, findings)
    for told in findings.notes:
        note(f"{data}: {told}.")
    y = vote_columns(columns, missing_label)
    truth = label_model.classes_of(y, len(y), None, "--votes")
    X, machines = _take_machines(X, machine_columns, truth, missing_label, data)
    categories = _categories(categorical, _some(X, data), data)
    learned, name = _rounded(X, categories), ", ".join(names)
    return TrainingRows(learned, y, truth, name, categories, decimal=decimal, machines=machines, cells=X)


def _check_machines(asked: Sequence[str], labels: Sequence[str], categorical: Sequence[str]) -> None:
    """What machines say cannot be what they are compared with, nor a column to learn from."""
    for name in asked:
        if bare(name) in map(bare, categorical):
            raise UserError(
                f"--categorical and --machine-column both name {name!r}. What a machine says is no column of the "
                "model: leave it out of --categorical."
            )
        if bare(name) in map(bare, labels):
            raise UserError(
                f"--machine-column must name another column than the one with the labels, {name!r}: machines are "
                "compared with these. Leave it out, or name the machine's own column."
            )


def _take_machines(
    X: pd.DataFrame, asked: Sequence[str], truth: npt.NDArray[Any], missing_label: LabelMarks, path: Path
) -> tuple[pd.DataFrame, dict[str, npt.NDArray[Any]]]:
    """The other columns, and what each machine says."""
    findings, found = Findings(path), {}
    names = asked_names(asked, list(X.columns), findings)
    findings.raise_problems()
    classes = sorted({value for value in truth if value is not None})
    for name in dict.fromkeys(names):
        X, column = take_column(X, name, path)
        found[name] = machine_column(column, name, classes, missing_label)
    return X, found


def more_rows(read: Reader, paths: list[Path], rows: TrainingRows) -> pd.DataFrame | None:
    """Unlabeled rows of other files, with the same columns."""
    names, text = list(rows.X.columns), text_columns(rows.X)
    numbers = [name for name in names if name not in text]
    known = {"columns": names, "text": text, "numbers": numbers, "usual_decimal": rows.decimal}
    tables = [same_columns(read(path, **known), names, path) for path in paths]
    return rounded(pd.concat(tables, ignore_index=True), rows.categorical) if tables else None


def _rounded(X: pd.DataFrame, categories: list[str]) -> pd.DataFrame:
    """What no model can tell apart is rounded, as the note on it says; identifiers stay recognisable."""
    return rounded(X, [*categories, *counting(X)])


def _categories(asked: list[str], X: pd.DataFrame, path: Path) -> list[str]:
    """The columns that the user has named; each must exist."""
    findings = Findings(path)
    names = asked_names(asked, list(X.columns), findings)
    findings.raise_problems()
    return names


def _some(X: pd.DataFrame, path: Path) -> pd.DataFrame:
    if not X.shape[1]:
        raise UserError(f"{path} has no columns left to learn from.")
    return X
