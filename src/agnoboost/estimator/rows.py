"""From a table and its label column to labeled and unlabeled rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import column_or_1d
from sklearn.utils.class_weight import compute_sample_weight

from .._typing import Floats
from ..labels import Labels, as_column
from ..sources import Pool
from .data import Data


def label_column(y: Any, rows: int, model: str) -> npt.NDArray[Any]:
    """Labels as a plain column, one for each row; ``model`` is who asks for them."""
    if y is None:
        raise ValueError(f"{model} requires y to be passed, but the target y is None. Mark unlabeled rows in y by NaN.")
    if hasattr(y, "shape") and len(y.shape) == 2 and not hasattr(y, "to_numpy"):
        column_or_1d(y, warn=True)  # scikit-learn's own warning, or its error for several columns
    column = as_column(y)
    if column.ndim != 1:
        raise ValueError(f"y must be one column of labels. Got shape {column.shape}.")
    if len(column) != rows:
        raise ValueError(f"y must have one label (or NaN) for each of the {rows} rows of X. Got {len(column)}.")
    return column


def split_rows(
    X: Floats, labels: Labels, weight: Floats, more: Floats | None, class_weight: Any
) -> tuple[Data, npt.NDArray[Any]]:
    """The labeled rows with the pool of unlabeled ones, and the classes; rows of weight 0 are as if not there."""
    known, loose = labels.known & (weight > 0), ~labels.known & (weight > 0)
    present, codes = np.unique(labels.codes[known], return_inverse=True)
    if len(present) < 2:
        raise ValueError("Rows with positive sample_weight must hold at least 2 classes. Got one class or none.")
    classes = labels.classes[present]
    labeled_weight = weight[known]
    if class_weight is not None:
        labeled_weight = labeled_weight * compute_sample_weight(class_weight, classes[codes])
    rows, mass = X[loose], weight[loose]
    if more is not None:
        rows, mass = np.concatenate([rows, more]), np.concatenate([mass, np.ones(len(more))])
    pool = Pool(rows, mass=mass) if len(rows) else None
    return Data.of_classes(X[known], codes, len(classes), labeled_weight, pool), classes
