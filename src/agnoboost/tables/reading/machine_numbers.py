"""Columns whose cells are all numbers as computers write them, or all true or false."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .arrow_cells import arrow_texts, used_bytes

TRUTH = {"True": True, "False": False, "TRUE": True, "FALSE": False, "true": True, "false": False}
WHOLE = b"0123456789-"
POINTS, FRACTIONS = b".eE", b".eE+"
SOME = 10  # cells that show whether a column may be truth values


def plain_numbers(column: pd.Series) -> pd.Series | None:
    """A column of texts (or gaps) as numbers or truth values; None if a cell is neither."""
    present = column.dropna()
    if len(present) and present.iloc[:SOME].isin(TRUTH).all() and present.isin(TRUTH).all():
        truth = column.astype(object).map(TRUTH)
        return truth.astype(bool) if len(present) == len(column) else truth.astype(np.float64)
    found = _by_arrow(column)
    if found is not None:
        return found
    try:
        numbers = pd.to_numeric(column)
    except (TypeError, ValueError):
        return None
    if numbers.dtype.kind in "iu":
        return numbers
    try:  # whole numbers longer than machines count; fractions, in which pandas before 3 is often wrong in the last bit
        return column.astype(object).map(float, na_action="ignore").astype(np.float64)
    except ValueError:  # hexadecimal
        return numbers


def _by_arrow(column: pd.Series) -> pd.Series | None:
    """The same as pandas finds, many times faster, for columns with nothing but digits, signs, points and powers.

    With other characters the two differ: in hexadecimal digits, blanks, and names of what is no number.
    """
    texts = arrow_texts(column)
    if texts is None:
        return None
    import pyarrow

    try:
        if "." in (texts[0].as_py() or ""):  # then what is no fraction cannot be read, or is not finite
            found = texts.cast(pyarrow.float64()).to_numpy()
            if np.isfinite(found).sum() == len(found) - texts.null_count:
                return pd.Series(found, index=column.index)
        used = used_bytes(texts)
        is_whole = used <= set(WHOLE)
        if not is_whole and not (used <= set(WHOLE + FRACTIONS) and used & set(POINTS)):
            return None
        kind = pyarrow.int64() if is_whole and not texts.null_count else pyarrow.float64()
        return pd.Series(texts.cast(kind).to_numpy(), index=column.index)
    except pyarrow.ArrowInvalid:
        return None
