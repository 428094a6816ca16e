"""Columns whose cells are all numbers as computers write them, or all true or false."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

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
    if numbers.dtype.kind in "iuf":
        return numbers
    return column.astype(object).map(float, na_action="ignore").astype(np.float64)  # longer than machines count


def _by_arrow(column: pd.Series) -> pd.Series | None:
    """The same as pandas finds, many times faster, for columns with nothing but digits, signs, points and powers.

    With other characters the two differ: in hexadecimal digits, blanks, and names of what is no number.
    """
    texts = _arrow_texts(column)
    if texts is None:
        return None
    import pyarrow

    used = set(np.flatnonzero(sum(map(_counts, texts.chunks), np.zeros(256, dtype=np.int64))).tolist())
    is_whole = used <= set(WHOLE)
    if not is_whole and not (used <= set(WHOLE + FRACTIONS) and used & set(POINTS)):
        return None
    kind = pyarrow.int64() if is_whole and not texts.null_count else pyarrow.float64()
    try:
        return pd.Series(texts.cast(kind).to_numpy(), index=column.index)
    except pyarrow.ArrowInvalid:
        return None


def _arrow_texts(column: pd.Series) -> Any:
    """The column as pyarrow has it; None where it is kept in other ways."""
    if not isinstance(column.dtype, pd.StringDtype) or column.dtype.storage != "pyarrow" or not len(column):
        return None
    import pyarrow

    texts = pyarrow.array(column)
    chunks = texts.chunks if isinstance(texts, pyarrow.ChunkedArray) else [texts]
    texts = pyarrow.chunked_array(chunks).cast(pyarrow.large_string())
    return texts if texts.null_count < len(texts) else None


def _counts(chunk: Any) -> Any:
    """How often each byte occurs."""
    _, offsets, data = chunk.buffers()
    if data is None:
        return np.zeros(256, dtype=np.int64)
    ends = np.frombuffer(offsets, np.int64)[[chunk.offset, chunk.offset + len(chunk)]]
    return np.bincount(np.frombuffer(data, np.uint8)[ends[0] : ends[1]], minlength=256)
