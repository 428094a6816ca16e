"""Reading label columns: which rows are labeled, and with which class.

Conventions, stated once:

- NaN, None and pandas.NA always mean unlabeled.
- Labels that are all -1 or +1 are two classes.
- -1 means unlabeled when at least two other classes occur (scikit-learn's convention).
- -1 beside exactly one other class could mean either; that is refused. ``missing_label`` says which is meant: -1 (or
  any other value) marks unlabeled rows, None says that every value is a class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets

from ._typing import Bools, Ints

UNLABELED = -1  # in ``codes``, where classes are 0, 1, ...


@dataclass(frozen=True)
class Labels:
    """``classes`` in sorted order, and for each row the number of its class, or ``UNLABELED``."""

    classes: npt.NDArray[Any]
    codes: Ints

    @property
    def known(self) -> Bools:
        """Which rows have a label."""
        return np.asarray(self.codes != UNLABELED)


def is_missing(y: npt.NDArray[Any]) -> Bools:
    """Where a label is NaN, None or pandas.NA."""
    if y.dtype.kind == "f":
        return np.asarray(np.isnan(y))
    if y.dtype.kind != "O":
        return np.zeros(y.shape, dtype=bool)
    return np.array([is_gap(value) for value in y], dtype=bool)


def is_gap(value: Any) -> bool:
    """None, NaN (which differs from itself), or pandas.NA (whose comparisons are neither True nor False)."""
    same = value == value
    return value is None or not isinstance(same, (bool, np.bool_)) or not same


def shown(value: Any) -> str:
    """A label as the user wrote it, for messages."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def read_labels(y: npt.NDArray[Any], missing_label: Any = "auto") -> Labels:
    """Find the classes and the unlabeled rows of a label column (see the module's conventions)."""
    missing = is_missing(y)
    values = _plain(y[~missing])
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise ValueError("y must hold class labels. Got infinity. Use NaN for unlabeled rows.")
    missing = missing.copy()
    missing[~missing] = _marked(values, missing_label)
    values = _plain(y[~missing])
    if not len(values):
        raise ValueError(
            f"y must have labels. Got none: all {len(y)} rows are unlabeled. Label some rows of at least two classes."
        )
    check_classification_targets(values)
    classes, codes = np.unique(values, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y must have labeled rows of at least 2 classes. Got one class, {shown(classes[0])}, and "
            f"{int(missing.sum())} unlabeled rows. Label rows of another class; in cross-validation use "
            "agnoboost.model_selection.LabeledSplit, which keeps every class in every fold."
        )
    full = np.full(len(y), UNLABELED)
    full[~missing] = codes
    return Labels(classes, full)


def _plain(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Objects as numbers, booleans or strings where they are all of a kind."""
    if values.dtype.kind != "O" or not len(values):
        return values
    if all(isinstance(value, (bool, np.bool_)) for value in values):
        return values.astype(bool)
    if all(isinstance(value, (int, float, np.number)) for value in values):
        return values.astype(float) if any(value != int(value) for value in values) else values.astype(int)
    if all(isinstance(value, str) for value in values):
        return values
    kinds = sorted({type(value).__name__ for value in values})
    raise ValueError(
        f"y must hold labels of one kind. Got a mixture of {', '.join(kinds)}. "
        "Convert the column first, for example with y.astype(str)."
    )


def _marked(values: npt.NDArray[Any], missing_label: Any) -> Bools:
    """Which of the present values are marks of unlabeled rows."""
    none = np.zeros(len(values), dtype=bool)
    if missing_label is None:
        return none
    if not (isinstance(missing_label, str) and missing_label == "auto"):
        return np.array([value == missing_label for value in values], dtype=bool)
    if values.dtype.kind not in "if":
        return none
    marked = values == -1
    others = np.unique(values[~marked])
    if not marked.any() or np.array_equal(others, [1]) or not len(others):
        return none
    if len(others) == 1:
        raise ValueError(
            f"y holds -1 and {shown(others[0])} only, which can mean two things. If -1 is a class, pass "
            "missing_label=None; if -1 marks unlabeled rows, then only one class is labeled: label rows of a second "
            "one (and pass missing_label=-1 to say so)."
        )
    return np.asarray(marked)
