"""Which reader a column gets, by what its cells look like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ...basics.fact_schema import OneOf, refuse
from ...basics.typing import Arrays
from ...kernels.binning import MAX_BINS
from ..cells import Column, ColumnProblem
from ..date_text import way_of_writing
from .base import ColumnReader
from .category import CategoryColumn, counted
from .dates import DateColumn
from .duration import DurationColumn
from .frequent import FrequentColumn
from .left_out import LeftOutColumn, are_identifiers, count_up
from .number import NumberColumn, numbers_of
from .text import TextColumn, are_texts

_ALL = (NumberColumn, CategoryColumn, FrequentColumn, DateColumn, DurationColumn, TextColumn, LeftOutColumn)
READERS: dict[str, type[ColumnReader]] = {reader.kind: reader for reader in _ALL}

_ADVICE = {
    "nested": "lists, structs or dicts. Spread them over columns of their own, or drop the column",
    "complex number": "complex numbers. Make two columns of them, such as the real and the imaginary part",
    "mixed": "values of several kinds. Convert it to one kind, or list it in categorical_features",
}


def reader_of(columns: Sequence[Column], numeric_categories: bool = True) -> ColumnReader:
    """For a column, as it is in one or several tables, that nobody has said anything about.

    ``numeric_categories`` is whether numbers of a categorical type are categories.
    """
    column = next((one for one in columns if not one.is_empty), columns[0])
    if column.kind == "date":
        return DateColumn.of(columns)
    if column.kind == "duration":
        return DurationColumn()
    if column.kind == "category" and (numeric_categories or not _all_numbers(column)):
        return category_reader(columns)
    if column.kind == "text":
        return _text_reader(columns)
    if column.kind not in ("number", "category"):
        raise _problem(column)
    return LeftOutColumn() if count_up(columns) else NumberColumn()


def number_reader(columns: Sequence[Column]) -> ColumnReader:
    """Where there shall be no categories: numbers and dates."""
    column = next((one for one in columns if not one.is_empty), columns[0])
    if column.kind in ("date", "duration"):
        return reader_of(columns)
    if column.kind == "text" and (way := way_of_writing(counted(columns))):
        return DateColumn.of(columns, way)
    if column.kind in ("nested", "complex number"):
        raise _problem(column)
    return NumberColumn()


def category_reader(columns: Sequence[Column]) -> ColumnReader:
    """For a column that is known to hold categories."""
    if any(one.kind == "nested" for one in columns):
        raise _problem(next(one for one in columns if one.kind == "nested"))
    counts = counted(columns)
    return CategoryColumn.of(counts) if len(counts) <= MAX_BINS else FrequentColumn.of(counts)


def unpacked(facts: dict[str, Any], arrays: Arrays, where: str) -> ColumnReader:
    """A reader from the facts and arrays of a model file, which are checked."""
    if not isinstance(facts, dict):
        refuse(where, "an object", facts)
    OneOf(tuple(READERS)).check(facts.get("kind"), f"{where}.kind", {})
    reader = READERS[facts["kind"]]
    reader.fact_schema.check({name: fact for name, fact in facts.items() if name != "kind"}, where, {})
    reader.array_schema.check(arrays, f"{where.replace('.', '/')}/")
    return reader.unpack(facts, arrays)


def _text_reader(columns: Sequence[Column]) -> ColumnReader:
    counts: Counter[str] = counted(columns)
    if way := way_of_writing(counts):
        return DateColumn.of(columns, way)
    if are_identifiers(counts):
        return LeftOutColumn()
    return TextColumn.of(counts) if are_texts(counts) else category_reader(columns)


def _all_numbers(column: Column) -> bool:
    try:
        numbers_of(column)
    except ColumnProblem:
        return False
    return True


def _problem(column: Column) -> ColumnProblem:
    found = _ADVICE.get(column.kind, f"cells of type {column.kind}. Convert it to numbers or text, or drop it")
    if column.kind == "mixed":
        kinds = {type(cell): repr(cell) for cell in reversed(column.cells) if cell is not None}
        found = found.replace(".", f" (such as {' and '.join(sorted(kinds.values())[:3])}).", 1)
    return ColumnProblem(f"Column {column.name!r} must hold numbers, dates, categories or text. Got {found}.")
