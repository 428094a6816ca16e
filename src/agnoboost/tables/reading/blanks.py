"""Blanks of all kinds around names and cells: usual ones, non-breaking ones, byte-order marks, zero-width ones."""

from __future__ import annotations

import pandas as pd

INVISIBLE = "\ufeff\u200b\u200c\u200d\u2060\u00ad"  # str.strip does not know these


def bare(text: str) -> str:
    """The text without what cannot be seen at its ends, and without zero-width characters anywhere.

    >>> bare(" \u200bage\u00a0")
    'age'
    """
    text = text.strip()
    if text.isascii():
        return text
    return text.translate(dict.fromkeys(map(ord, INVISIBLE))).strip()


def bare_cells(column: pd.Series) -> tuple[pd.Series, list[str]]:
    """A column of texts (or gaps) with bare cells, and some of those that were not bare."""
    codes, found = pd.factorize(column)
    values = list(found.tolist())
    cleaned = [bare(value) for value in values]
    changed = [value for value, clean in zip(values, cleaned, strict=True) if value != clean and clean]
    if cleaned == values:
        return column, []
    table = pd.Series([*cleaned, None], dtype=column.dtype)
    return pd.Series(table.to_numpy()[codes], dtype=column.dtype, index=column.index), changed
