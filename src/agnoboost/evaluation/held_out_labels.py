"""Held-out labels for a judgement of a model: all there, and named as the model names its classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..labels.reading import as_column, known_rows, mark_beside, plain_values, shown


def held_out_labels(y: Any, rows: int, own: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """One label for each of ``rows`` rows, for a model with the classes ``own``; refuses gaps."""
    column = as_column(y)
    if column.ndim != 1 or len(column) != rows or not rows:
        raise ValueError(f"y must hold a label for each of the {rows} rows of X. Got shape {column.shape}.")
    gaps = int(np.sum(~known_rows(column, mark_beside(own.tolist(), "auto"))))
    if gaps:
        raise ValueError(
            f"y must hold labels only. Got {gaps} row(s) without one: NaN, None, or -1 beside two classes. Leave "
            "unlabeled rows out, or pass them as X_unlabeled."
        )
    return plain_values(column)


def all_classes(own: npt.NDArray[Any], labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The classes of the model and of the labels; refuses labels that name the model's classes otherwise.

    Numbers against texts can never agree. Other values are new classes, on which the model is wrong, as long as all of
    its own occur: otherwise they look like other names for those.
    """
    given = np.unique(labels)
    if _of_text(own) != _of_text(given) or (np.setdiff1d(own, given).size and np.setdiff1d(given, own).size):
        raise ValueError(
            f"y must name the classes as the model does: {_some(own)}. Got {_some(given)}. Turn labels into those of "
            f"the model first, for example with y.astype({type(own.tolist()[0]).__name__}) where only the type differs."
        )
    return np.union1d(own, given)


def _of_text(values: npt.NDArray[Any]) -> bool:
    return any(isinstance(value, str) for value in values.tolist())


def _some(values: npt.NDArray[Any], most: int = 5) -> str:
    return ", ".join(shown(value) for value in values[:most]) + (", ..." if len(values) > most else "")
