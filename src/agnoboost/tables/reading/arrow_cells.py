"""What pyarrow does with all texts of a column at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ...basics.typing import Bools, Floats


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


def floats(joined: bytes, read: Bools) -> Floats:
    """The numbers of texts with zero bytes between them; those that are not to be ``read`` are zeros."""
    try:
        import pyarrow
    except ImportError:
        texts = joined.split(b"\0")
        numbers = (float(text) if is_read else 0.0 for text, is_read in zip(texts, read, strict=True))
        return np.fromiter(numbers, np.float64, len(texts))
    ends = np.flatnonzero(np.frombuffer(joined, np.uint8) == 0)
    data = joined.translate(None, b"\0")
    offsets = np.concatenate([[0], ends - np.arange(len(ends)), [len(data)]])
    buffers = [None, pyarrow.py_buffer(offsets), pyarrow.py_buffer(data)]
    cells = pyarrow.Array.from_buffers(pyarrow.large_string(), len(offsets) - 1, buffers)
    result = np.zeros(len(cells))
    result[read] = cells.filter(pyarrow.array(read)).cast(pyarrow.float64()).to_numpy()
    return result
