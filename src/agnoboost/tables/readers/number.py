"""Columns of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ...basics.typing import Arrays, Floats
from ..cells import Column, ColumnProblem
from .base import ColumnReader

LARGEST = 1e308
EXACT = 2.0**53  # from here on floats cannot tell whole numbers apart


@dataclass(frozen=True)
class NumberColumn(ColumnReader):
    """As it is: nothing is learned."""

    kind = "number"

    def read(self, column: Column) -> Floats:
        found = numbers_of(column)
        check_range(found, f"Column {column.name!r}", column.holds_integers)
        return found[:, None]

    def pack(self) -> tuple[dict[str, Any], Arrays]:
        return {}, {}

    @classmethod
    def unpack(cls, facts: dict[str, Any], arrays: Arrays) -> Self:
        return cls()


def numbers_of(column: Column) -> Floats:
    """Cells as floats, NaN where empty."""
    try:
        return column.plain().astype(np.float64)
    except (TypeError, ValueError, OverflowError):  # nullable types and mixtures: value by value
        cells = column.cells
    try:
        return np.array([np.nan if cell is None else float(cell) for cell in cells], dtype=np.float64)
    except OverflowError:
        raise ColumnProblem(_too_large(f"Column {column.name!r}")) from None
    except (TypeError, ValueError):
        example = next(cell for cell in cells if cell is not None and not _is_number(cell))
        raise ColumnProblem(
            f"Column {column.name!r} must be numeric. Got values such as {example!r}. Give it a categorical "
            "type, list it in categorical_features, or encode it first."
        ) from None


def check_range(found: Floats, where: str, whole: bool) -> None:
    """Refuse infinity, what is next to it, and whole numbers whose last digits would be lost."""
    most = max(np.fmax.reduce(found, axis=None, initial=0.0), -np.fmin.reduce(found, axis=None, initial=0.0))
    if np.isinf(most):
        raise ColumnProblem(
            f"{where} must be finite. Got infinity. Replace it by a large number, or by NaN where the value is missing."
        )
    if most > LARGEST:
        raise ColumnProblem(_too_large(where))
    if whole and most >= EXACT:
        raise ColumnProblem(
            f"{where} has whole numbers beyond 2**53 (about {most:.0f}), whose last digits would be lost. If "
            "they are identifiers, drop the column or turn it into text; if only their size counts, use astype(float)."
        )


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


def _too_large(where: str) -> str:
    return f"{where} must have numbers within 1e308 of zero. Got larger ones. Divide it, or take logs."
