"""What marks a gap in a column of any kind: NaN, NaT, None and pandas.NA."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .typing import Bools


def is_gap(value: Any) -> bool:
    """None, NaN and NaT (which differ from themselves), or pandas.NA (whose comparisons give itself)."""
    if value is None:
        return True
    same = value == value
    return not same if isinstance(same, (bool, np.bool_)) else type(same).__name__ == "NAType"


def is_missing(column: npt.NDArray[Any]) -> Bools:
    """Where a column has gaps."""
    if column.dtype.kind == "f":
        return np.asarray(np.isnan(column))
    if column.dtype.kind in "mM":
        return np.asarray(np.isnat(column))
    if column.dtype.kind != "O":
        return np.zeros(column.shape, dtype=bool)
    return np.array([is_gap(value) for value in column], dtype=bool)
