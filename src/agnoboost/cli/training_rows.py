"""What ``agnoboost fit`` learns from: columns, and labels of one column or votes of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..basics.typing import Bools
from ..labels import LabelModel, SoftLabels
from ..tables.files import same_columns, take_column
from ..tables.reading.findings import Findings
from ..tables.reading.headers import asked_names
from .console import UserError
from .label_models import label_column, vote_columns
from .reading import Reader, text_columns


@dataclass(frozen=True)
class TrainingRows:
    """``y`` is what the model is fitted to; ``truth`` the class of each row as far as labels tell, else None."""

    X: pd.DataFrame
    y: Any
    truth: npt.NDArray[Any]
    name: str  # of the label column, or columns
    categorical: Sequence[str] = ()  # columns that the user has named
    soft: bool = False
    decimal: str | None = None  # the decimal mark of the file, if there was need of one

    @property
    def settings(self) -> dict[str, Any]:
        """For a classifier: what was said of columns, and nothing where nothing was."""
        return {"categorical_features": list(self.categorical)} if self.categorical else {}

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
        return f"{self.known.sum()} labeled rows ({classes}), {unlabeled} unlabeled rows, {self.X.shape[1]} columns."


def read_training_rows(
    read: Reader,
    data: Path,
    target: str | None,
    votes: str | None,
    drop: list[str],
    label_model: LabelModel | None,
    missing_label: str | None,
    categorical: list[str],
) -> TrainingRows:
    """Rows with labels of the column ``target``, or with ``votes`` of several columns, separated by commas.

    Columns that are named as ``categorical`` are read as text: 007 and 7 are two categories.
    """
    named = [name for text in categorical for name in (text, *text.split(","))]
    if (target is None) == (votes is None):
        raise UserError("Either --target or --votes must be given: the column, or columns, with the labels.")
    if target is not None:
        table = read(data, target, drop=drop, missing_label=missing_label, text=named)
        X, column = take_column(table, target, data)
        y = label_column(column, target, label_model, missing_label)
        categories = _categories(categorical, _some(X, data), data)
        return TrainingRows(X, y, y, target, categories, isinstance(label_model, SoftLabels), table.attrs["decimal"])
    assert votes is not None
    assert label_model is not None
    names = [name.strip() for name in votes.split(",")]
    if len(set(names)) < max(2, len(names)):
        raise UserError(f"--votes must name two or more columns, such as ann,ben,cleo. Got {votes!r}.")
    X, columns = read(data, drop=drop, text=[*names, *named]), []
    decimal = X.attrs["decimal"]
    for name in names:
        X, column = take_column(X, name, data)
        columns.append(column)
    y = vote_columns(columns, missing_label)
    truth = label_model.classes_of(y, len(y), None, "--votes")
    categories = _categories(categorical, _some(X, data), data)
    return TrainingRows(X, y, truth, ", ".join(names), categories, decimal=decimal)


def more_rows(read: Reader, paths: list[Path], rows: TrainingRows) -> pd.DataFrame | None:
    """Unlabeled rows of other files, with the same columns."""
    names, text = list(rows.X.columns), text_columns(rows.X)
    numbers = [name for name in names if name not in text]
    known = {"columns": names, "text": text, "numbers": numbers, "usual_decimal": rows.decimal}
    tables = [same_columns(read(path, **known), names, path) for path in paths]
    return pd.concat(tables, ignore_index=True) if tables else None


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
