"""Soft labels: how sure somebody is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..basics.checks import check_word
from ..basics.typing import Floats
from .models import Evidence, LabelModel
from .reading import different_names, label_column, label_table

SCALES = {"signed": (-1.0, [-1, 1]), "probability": (0.0, [0, 1])}  # lowest value, classes


class LikelierClass(LabelModel):
    """Label models whose labels are probabilities: for a score they count for the likelier class.

    One column of names, or of whole votes, holds classes.
    """

    may_be_cut = True
    several_columns: ClassVar[bool]  # whether labels come in several columns only

    def classes_of(self, y: Any, rows: int, missing_label: Any, caller: str) -> npt.NDArray[Any]:
        table = label_table(y, missing_label)
        named = table.dtype.kind == "O" and any(isinstance(value, str) for value in table[:, 0])
        if table.shape[1] == 1 and (self.several_columns or named):
            return label_column(y, rows, caller)
        found = self.read(y, rows, missing_label, caller)
        column = np.full(rows, None, dtype=object)
        column[found.known] = found.classes[found.codes]
        return column


@dataclass(frozen=True)
class SoftLabels(LikelierClass):
    """Labels between the classes: an annotator's confidence, a teacher's prediction, a share of votes.

    If the soft label is E[y|x] plus anything of mean 0, it stands for the label without bias, and with less noise than
    a label that was rounded.

    Parameters
    ----------
    scale : {"probability", "signed"}, default="probability"
        Numbers in [0, 1], the probability of class 1; or in [-1, 1]. NaN marks unlabeled rows. For several classes pass
        a table with one column of probabilities for each.
    classes : list, optional
        Names of the classes, in the order of the columns (for one column: first the class of the lowest value). By
        default 0, 1, ..., or -1 and 1 on the signed scale.

    Examples
    --------
    >>> SoftLabels().read([0.9, 0.2, None], 3).targets[:, 0].round(6).tolist()
    [0.8, -0.6]
    """

    several_columns = False

    scale: str = "probability"
    classes: Any = None

    def __post_init__(self) -> None:
        check_word(self.scale, tuple(SCALES), "scale")
        object.__setattr__(self, "classes", None if self.classes is None else different_names(self.classes, "classes"))

    def read(self, y: Any, rows: int, missing_label: Any = "auto", caller: str = "The label model") -> Evidence:
        low, names = SCALES[self.scale]
        column = _numbers(label_table(y, missing_label), rows)
        known = np.asarray(~np.isnan(column).any(axis=1))
        values = column[known]
        if not len(values):
            raise ValueError(f"y must have soft labels. Got none: all {rows} rows are NaN.")
        if (values < low).any() or (values > 1.0).any():
            raise ValueError(
                f"Soft labels of scale {self.scale!r} must lie in [{low:g}, 1]. Got values from {values.min():g} to "
                f"{values.max():g}. Pass scale='signed' for [-1, 1], or leave the label model out for class labels."
            )
        if column.shape[1] == 1 and values.min() == values.max() and values.min() in (low, 1.0):
            raise ValueError(
                f"Soft labels must speak for both classes. Got {values.min():g} for all {len(values)} rows."
            )
        share = (values - low) / (1.0 - low)
        if column.shape[1] == 1:
            share = np.hstack([1.0 - share, share])
        else:
            if self.scale == "signed":
                raise ValueError("Several columns of soft labels must be probabilities. Got scale='signed'.")
            if np.abs(share.sum(axis=1) - 1.0).max() > 1e-3:
                raise ValueError("Probabilities of the classes must sum to 1 in every row. Divide each row by its sum.")
            names = list(range(column.shape[1]))
        return evidence_of(share, known, self._named(names))

    def _named(self, default: list[int]) -> npt.NDArray[Any]:
        if self.classes is None:
            return np.array(default)
        if len(self.classes) != len(default):
            raise ValueError(f"classes must name {len(default)} different classes. Got {list(self.classes)}.")
        return np.array(self.classes)


def evidence_of(share: Floats, known: npt.NDArray[np.bool_], classes: npt.NDArray[Any]) -> Evidence:
    """Evidence from probabilities of the classes (shape: known rows, classes)."""
    order = np.argsort(classes, kind="stable")
    share = share[:, order]
    wanted = share[:, 1:] if share.shape[1] == 2 else share
    return Evidence(classes[order], known, share.argmax(axis=1), 2.0 * wanted - 1.0)


def _numbers(table: npt.NDArray[Any], rows: int) -> Floats:
    if table.ndim != 2 or len(table) != rows:
        raise ValueError(f"y must hold soft labels for each of the {rows} rows of X. Got shape {table.shape}.")
    try:
        if table.dtype.kind == "O":
            return np.array([[np.nan if value is None else value for value in row] for row in table], dtype=np.float64)
        return table
    except (TypeError, ValueError):
        raise ValueError(f"Soft labels must be numbers. Got values such as {table.flat[0]!r}.") from None
