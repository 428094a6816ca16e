"""Reading label columns: which rows are labeled, and with which class.

Conventions, stated once:

- NaN, None and pandas.NA always mean unlabeled.
- Labels that are all -1 or +1 are two classes.
- -1 means unlabeled when at least two other classes occur (scikit-learn's convention).
- -1 beside exactly one other class could mean either; that is refused. ``missing_label`` says which is meant: -1 (or
  any other value) marks unlabeled rows, None says that every value is a class.
- numpy makes the text "nan" of NaN among texts: such a class in an array of texts is kept, with a warning.
- Empty text is neither a class nor a gap, and refused, unless ``missing_label`` says that it is the mark.
- A column of very many classes, most of which have a single row, holds no classes: it is refused before any work.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from ..basics.gaps import is_gap, is_missing
from ..basics.typing import Bools, Ints
from ..basics.user_warnings import tell

GAPS_MADE_TEXT = ("nan", "None", "NaT", "<NA>")  # what arrays of texts hold where there was nothing
MANY_CLASSES = 50  # beyond which a column with hardly any class twice is taken for texts, amounts or identifiers
FEW_ROWS = 3.0  # of a class, on average; long tails have more, also in the folds of a cross-validation
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


def as_column(y: Any) -> npt.NDArray[Any]:
    """A label column of any kind as a plain array, in which nothing that marks a gap has been lost."""
    if isinstance(y, np.ma.MaskedArray):
        filled = y.data.astype(object)
        filled[np.ma.getmaskarray(y)] = None
        y = filled
    elif hasattr(y, "to_pylist") and not hasattr(y, "column_names"):  # a column of pyarrow, whose to_numpy may refuse
        y = np.array(y.to_pylist(), dtype=object)
    elif hasattr(y, "to_numpy"):
        y = y.to_numpy()
    elif not isinstance(y, np.ndarray):
        y = np.array(y, dtype=object)  # numpy would turn NaN among texts into the text "nan"
    return np.asarray(y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y)


def label_table(y: Any, missing_label: Any = "auto") -> npt.NDArray[Any]:
    """Several columns (or one) of labels: numbers with NaN, or objects with None, where there is none."""
    masked = isinstance(y, np.ma.MaskedArray)
    found = y.data if masked else y.to_numpy() if hasattr(y, "to_numpy") else y
    plain = isinstance(found, np.ndarray) and found.dtype.kind in "iuf"
    table = np.array(found, dtype=np.float64 if plain else object)
    if masked:
        table[np.ma.getmaskarray(y)] = np.nan if plain else None
    table = table[:, None] if table.ndim == 1 else table
    mark = None if isinstance(missing_label, str) and missing_label == "auto" else missing_label
    if plain:
        return np.where(table == mark, np.nan, table) if isinstance(mark, (int, float)) else table
    for place, value in np.ndenumerate(table):
        if is_gap(value) or (mark is not None and value == mark):
            table[place] = None
    return table


def label_column(y: Any, rows: int, caller: str) -> npt.NDArray[Any]:
    """Labels as a plain column, one for each row; ``caller`` is who needs them."""
    if y is None:
        raise ValueError(
            f"{caller} requires y to be passed, but the target y is None. Mark unlabeled rows in y by NaN."
        )
    if hasattr(y, "shape") and len(y.shape) == 2 and not hasattr(y, "to_numpy"):
        column_or_1d(y, warn=True)  # scikit-learn's own warning, or its error for several columns
    column = as_column(y)
    if column.ndim != 1:
        raise ValueError(f"y must be one column of labels. Got shape {column.shape}.")
    if len(column) != rows:
        raise ValueError(f"y must have one label (or NaN) for each of the {rows} rows of X. Got {len(column)}.")
    return column


def known_rows(y: npt.NDArray[Any], missing_label: Any = "auto") -> Bools:
    """Which rows have a label (see the module's conventions)."""
    if isinstance(missing_label, (list, tuple, dict, set, np.ndarray)):
        raise ValueError(f"missing_label must be a single value, 'auto' or None. Got {missing_label!r}.")
    known = ~is_missing(y)
    if isinstance(missing_label, str) and missing_label == "auto":
        known[known] = ~_marked_by_convention(plain_values(y[known]))
        _tell_of_gaps_made_text(y)
    elif not is_gap(missing_label):
        known[known] = ~_marked_by(y[known], missing_label)
    return known


def mark_beside(classes: Sequence[Any], missing_label: Any) -> Any:
    """``missing_label`` for the labels of a model with these classes: -1 marks no gaps where it is one of them."""
    auto = isinstance(missing_label, str) and missing_label == "auto"
    return None if auto and -1 in classes else missing_label


def rows_said(y: npt.NDArray[Any], classes: Sequence[Any], missing_label: Any) -> Bools:
    """Which rows have a label, where the classes are known beforehand: -1 is a gap unless it is one of them."""
    known = ~is_missing(y)
    mark = -1 if isinstance(missing_label, str) and missing_label == "auto" else missing_label
    if mark is not None and mark not in classes:
        known[known] = np.array([value != mark for value in y[known]], dtype=bool)
    return known


def scored_rows(y: npt.NDArray[Any], classes: npt.NDArray[Any], missing_label: Any) -> Bools:
    """Rows whose label counts for a score."""
    known = rows_said(y, classes.tolist(), missing_label)
    refuse_empty_text(y[known])
    if not known.any():
        raise ValueError(f"score needs labeled rows. Got none among {len(y)}.")
    return known


def shown(value: Any) -> str:
    """A label as the user wrote it, for messages."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def different_names(names: Any, what: str) -> tuple[Any, ...]:
    """Names of at least two classes, or of what is seen: all different, and of one kind, so that they have an order."""
    found = (names,) if isinstance(names, str) or not isinstance(names, Iterable) else tuple(names)
    kinds = {isinstance(name, str) for name in found}
    different = len(set(found)) if all(isinstance(name, Hashable) for name in found) else 0
    if different < max(2, len(found)) or len(kinds) > 1:
        raise ValueError(f"{what} must hold at least two different names, all texts or all numbers. Got {names!r}.")
    return found


def read_labels(y: npt.NDArray[Any], missing_label: Any = "auto") -> Labels:
    """Find the classes and the unlabeled rows of a label column (see the module's conventions)."""
    missing = ~known_rows(y, missing_label)
    values = plain_values(y[~missing])
    if not len(values):
        raise ValueError(
            f"y must have labels. Got none: all {len(y)} rows are unlabeled. Label some rows of at least two classes."
        )
    check_classification_targets(values)
    classes, codes = np.unique(values, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y must have labeled rows of at least 2 classes. Got one class, {shown(classes[0])}, and "
            f"{int(missing.sum())} unlabeled rows. Label rows of another class; or, if others are of a class that "
            "is never named, say what share is of this one: label_model=PositiveUnlabeled(0.3), on the command line "
            "--label-model positives:0.3; in cross-validation use agnoboost.model_selection.LabeledSplit, which keeps "
            "every class in every fold."
        )
    check_come_again(np.bincount(codes))
    full = np.full(len(y), UNLABELED)
    full[~missing] = codes
    return Labels(classes, full)


def check_come_again(counts: npt.ArrayLike) -> None:
    """Refuse labels that are no classes, by how many labeled rows each has: a model of each would take its time."""
    rows = np.asarray(counts)
    single = int((rows == 1).sum())
    if len(rows) > MANY_CLASSES and single > len(rows) / 2 and rows.sum() < FEW_ROWS * len(rows):
        raise ValueError(
            f"y must hold classes, which come again. Got {len(rows):,} of them in {int(rows.sum()):,} labeled rows, "
            f"{single:,} with a single row. Is it the column of labels, and not one of texts, amounts or identifiers? "
            "If it is, put rare classes together, or leave their rows unlabeled."
        )


def plain_values(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Objects as numbers, booleans or strings where they are all of a kind."""
    if values.dtype.kind == "f":
        return _finite(values)
    refuse_empty_text(values)
    if values.dtype.kind != "O" or not len(values):
        return values
    if all(isinstance(value, (bool, np.bool_)) for value in values):
        return values.astype(bool)
    if all(isinstance(value, (int, float, np.number)) for value in values):
        numbers = _finite(values.astype(np.float64))
        return numbers if (numbers != np.floor(numbers)).any() else numbers.astype(np.int64)
    if all(isinstance(value, str) for value in values):
        return values
    kinds = sorted({type(value).__name__ for value in values})
    raise ValueError(
        f"y must hold labels of one kind. Got a mixture of {', '.join(kinds)}. "
        "Convert the column first, for example with y.astype(str)."
    )


def refuse_empty_text(values: npt.NDArray[Any], name: str = "y") -> None:
    """What ``fillna("")`` and readers that keep empty cells make of gaps would be one more class."""
    if values.dtype.kind not in "OU":
        return
    if empty := sum(isinstance(value, str) and not value.strip() for value in values):
        raise ValueError(
            f"y must hold classes, or None or NaN where there is no label. Got empty text (rows: {empty:,}), which is "
            "neither. Put None or NaN there; or pass missing_label='' if it marks rows without label."
        )


def _finite(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if not (np.abs(values) < 2.0**53).all():
        raise ValueError("y must hold class labels. Got infinity or a huge number. Use NaN for unlabeled rows.")
    return values


def _marked_by(values: npt.NDArray[Any], mark: Any) -> Bools:
    """Which values are the user's own mark."""
    marked = np.array([value == mark for value in values], dtype=bool)
    if not marked.any() and len(values) and isinstance(mark, str) != isinstance(values[0], str):
        raise ValueError(
            f"missing_label must be of the kind of the labels. Got {mark!r} for labels such as {shown(values[0])}."
        )
    return marked


def _tell_of_gaps_made_text(y: npt.NDArray[Any]) -> None:
    """Only arrays of texts are meant: in columns of files and frames None may well be the name of a class."""
    found = [text for text in GAPS_MADE_TEXT if y.dtype.kind == "U" and (y == text).any()]
    if found:
        tell(
            f"y has the label {found[0]!r} (rows: {(y == found[0]).sum()}), which numpy makes of gaps when it turns "
            f"them into text. It is read as a class. Pass missing_label={found[0]!r} if it marks unlabeled rows, or "
            "missing_label=None if it is a class."
        )


def _marked_by_convention(values: npt.NDArray[Any]) -> Bools:
    """Which values are -1 beside at least two other classes."""
    none = np.zeros(len(values), dtype=bool)
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
