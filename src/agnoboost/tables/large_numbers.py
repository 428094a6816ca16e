"""Whole numbers beyond 2^53, which floats cannot tell apart: rounded where a model shall learn from their size."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd

from .cells import Column
from .readers.left_out import count_up
from .readers.number import EXACT


def rounded(table: pd.DataFrame, exact: Collection[str] = ()) -> pd.DataFrame:
    """The table with floats in the columns that have such numbers, but in those to keep ``exact``.

    >>> rounded(pd.DataFrame({"account": [2**60 + 1, 5], "size": [1, 2]})).dtypes.astype(str).tolist()
    ['float64', 'int64']
    """
    large = [name for name in table.columns if name not in exact and _is_beyond(table[name])]
    return table.astype(dict.fromkeys(large, np.float64)) if large else table


def counting(table: pd.DataFrame) -> list[str]:
    """Columns that number the rows: as floats nobody could see that, and leave them out."""
    return [str(name) for name in table.columns if count_up([Column(name, table[name])])]


def _is_beyond(column: pd.Series) -> bool:
    if column.dtype.kind not in "iu" or not column.notna().any():
        return False
    return max(float(column.max()), -float(column.min())) >= EXACT
