"""Tables as users hand them over: what is unlike any other is told at once, and masks are honoured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..basics.device_arrays import on_device, to_host
from .cells import is_frame, names_of
from .readers.number import check_range


def arrived(X: Any) -> Any:
    """The table, with NaN where an array was masked; refuses lazy and empty frames, and names that occur twice.

    Arrays on a GPU are brought here, where columns are read.
    """
    if on_device(X):
        return to_host(X)
    if isinstance(X, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(X)
        return np.where(mask, np.nan, X.data) if mask.any() else X.data
    if type(X).__name__ == "LazyFrame":
        raise ValueError(f"X must be a table in memory. Got a {type(X).__name__}. Pass X.collect().")
    if is_frame(X):
        if 0 in X.shape:
            raise ValueError(
                f"X must have at least one row and one column. Got shape {X.shape}. Check the filter or split that "
                "produced it."
            )
        twice = [name for name, count in Counter(names_of(X)).items() if count > 1]
        if twice:
            raise ValueError(
                f"The columns of X must have different names. Got {', '.join(map(repr, twice))} more than once. Rename "
                "or drop them."
            )
    return X


def check_arrays(tables: Iterable[Any]) -> None:
    """Refuse numbers of arrays that floats cannot hold, or bins cannot be cut between."""
    for X in tables:
        if not is_frame(X) and X.dtype.kind in "fiu" and X.dtype.itemsize >= 8:
            check_range(X, "X", whole=X.dtype.kind != "f")


def numbers_as_names(X: Any) -> list[int]:
    """The names of columns if they are whole numbers, about which scikit-learn does not care."""
    names = names_of(X) if is_frame(X) else []
    return [int(name) for name in names] if all(isinstance(name, (int, np.integer)) for name in names) else []


def check_same_numbers(X: Any, known: list[int]) -> None:
    """Refuse columns in another order than in training."""
    found = numbers_as_names(X)
    if found and known and found != known:
        raise ValueError(
            f"The columns of X must be those of training, in the same order: {_shown(known)}. Got {_shown(found)}. "
            "Select them by name, as in X[names]."
        )


def _shown(names: list[int]) -> str:
    return ", ".join(map(str, names[:8])) + (", ..." if len(names) > 8 else "")
