"""Columns and cells as people read them."""

from __future__ import annotations

from datetime import datetime, time
from typing import Any


def column_names(model: Any) -> list[str]:
    """Columns of the table as they are shown."""
    names = getattr(model, "feature_names_in_", None)
    return [f"column {number}" for number in range(model.n_features_in_)] if names is None else [str(n) for n in names]


def shown(cell: Any) -> str:
    """A cell as people read it."""
    if cell is None:
        return "missing"
    if isinstance(cell, float):
        return f"{int(cell)}" if cell.is_integer() and abs(cell) < 1e15 else f"{cell:.4g}"
    if isinstance(cell, datetime) and cell.time() == time():
        return str(cell.date())
    return str(cell)
