"""Blanks of all kinds around names and cells: usual ones, non-breaking ones, byte-order marks, zero-width ones."""

from __future__ import annotations

import pandas as pd

from .arrow_cells import arrow_texts, used_bytes

INVISIBLE = "\ufeff\u200b\u200c\u200d\u2060\u00ad"  # str.strip does not know these
SEEN = set(range(33, 127))  # characters that are no blanks, one byte each


def bare(text: str) -> str:
    """The text without what cannot be seen at its ends, and without zero-width characters anywhere.

    >>> bare(" \u200bage\u00a0")
    'age'
    """
    text = text.strip()
    if text.isascii():
        return text
    return text.translate(dict.fromkeys(map(ord, INVISIBLE))).strip()


def _has_no_blanks(column: pd.Series) -> bool:
    """Whether it is plain at once that there are none in any cell."""
    texts = arrow_texts(column)
    return texts is not None and used_bytes(texts) <= SEEN


def bare_cells(column: pd.Series) -> tuple[pd.Series, list[str]]:
    """A column of texts (or gaps) with bare cells, and some of those that were not bare."""
    if _has_no_blanks(column):
        return column, []
    codes, found = pd.factorize(column)
    values = list(found.tolist())
    cleaned = [bare(value) for value in values]
    changed = [value for value, clean in zip(values, cleaned, strict=True) if value != clean and clean]
    if cleaned == values:
        return column, []
    table = pd.Series([*cleaned, None], dtype=column.dtype)
    return pd.Series(table.to_numpy()[codes], dtype=column.dtype, index=column.index), changed
