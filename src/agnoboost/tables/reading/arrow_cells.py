"""What pyarrow knows of a column of texts without looking at cells one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd


def arrow_texts(column: pd.Series) -> Any:
    """The column as pyarrow has it; None where it is kept in other ways."""
    if not isinstance(column.dtype, pd.StringDtype) or column.dtype.storage != "pyarrow" or not len(column):
        return None
    import pyarrow

    texts = pyarrow.array(column)
    chunks = texts.chunks if isinstance(texts, pyarrow.ChunkedArray) else [texts]
    texts = pyarrow.chunked_array(chunks).cast(pyarrow.large_string())
    return texts if texts.null_count < len(texts) else None


def used_bytes(texts: Any) -> set[int]:
    """Which bytes occur anywhere in the cells."""
    return set(np.flatnonzero(sum(map(_counts, texts.chunks), np.zeros(256, dtype=np.int64))).tolist())


def _counts(chunk: Any) -> Any:
    """How often each byte occurs."""
    _, offsets, data = chunk.buffers()
    if data is None:
        return np.zeros(256, dtype=np.int64)
    ends = np.frombuffer(offsets, np.int64)[[chunk.offset, chunk.offset + len(chunk)]]
    return np.bincount(np.frombuffer(data, np.uint8)[ends[0] : ends[1]], minlength=256)
