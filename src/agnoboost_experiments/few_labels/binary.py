"""A table with two classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from agnoboost.basics.typing import Floats, Ints


@dataclass(frozen=True)
class Binary:
    """Rows with labels -1 and +1; categories as codes, missing values as NaN."""

    X: Floats
    y: Ints
    categorical: tuple[int, ...] = ()


def from_frame(frame: Any, y: Any) -> Binary:
    """A data frame as numbers; columns of categories as codes, missing ones as NaN."""
    categorical = tuple(i for i, kind in enumerate(frame.dtypes) if kind == "category")
    columns = [frame.iloc[:, i] for i in range(frame.shape[1])]
    columns = [c.cat.codes.where(c.notna()) if i in categorical else c for i, c in enumerate(columns)]
    cells = np.column_stack([np.asarray(column, dtype=np.float64) for column in columns])
    return Binary(cells, np.asarray(y), categorical)
