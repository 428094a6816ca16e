"""From text to cells: records, and the lines that do not fit the header."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

import numpy as np
import pandas as pd

from ...basics.typing import Ints
from .findings import Findings, listed
from .grid import Grid
from .separators import (
    BLANKS,
    NONE,
    TOLD,
    find_separator,
    lines_above_the_header,
    records,
    wanted_separator,
)
from .splitting import Cells, split_plainly

TO_TELL = {";": "semicolons", "|": "|", BLANKS: "blanks"}
AT_A_TIME = 20_000  # records: cells of one portion are objects, those before are packed


def read_lines(text: str, sep: str | None, findings: Findings) -> Grid:
    """The table in a text whose cells are separated."""
    first = 1
    if told := TOLD.match(text):
        text, first, sep = text[told.end() :], 2, sep or told[1]
    separator = wanted_separator(sep, findings) if sep is not None else _separator(text, findings)
    if separator == BLANKS:
        text, separator = re.sub(r"(?<=\S)[ \t]+(?=\S)", "\t", re.sub(r"(?m)^[ \t]+|[ \t]+$", "", text)), "\t"
    cells = split_plainly(text, separator, first) or _split_carefully(text, separator, first, findings)
    names = cells.names
    if len(names) > 1 and all(_is_number(name) for name in names):
        findings.note(
            f"the first line, {listed(names)}, was read as the names of the columns, but looks like a row. Is the "
            "header missing? Add a line with names"
        )
    return Grid(names, cells.columns, typed=False, lines=cells.lines, comma_for_decimals=separator == ";")


def _separator(text: str, findings: Findings) -> str:
    found = find_separator(text)
    if found in TO_TELL:
        findings.note(f"cells are separated by {TO_TELL[found]}")
    if found == NONE and (width := lines_above_the_header(text)):
        raise findings.fail(
            "must begin with the names of the columns. Its first line has one cell, "
            f"{text.strip().splitlines()[0]!r}, but most lines have {width}. Delete what stands above the names."
        )
    return found


def _split_carefully(text: str, separator: str, first: int, findings: Findings) -> Cells:
    """Record by record, with a problem or an error for what does not fit."""
    found = _records(text, separator, first, findings)
    try:
        _, names = next(found)
    except StopIteration:
        raise findings.fail("has no rows and no header.") from None
    return Cells(names, *_columns(found, len(names), findings))


def _records(text: str, separator: str, first: int, findings: Findings) -> Iterator[tuple[int, list[str]]]:
    """Line and cells of each record; lines without anything are passed over."""
    reader = records(text, separator, strict=True)
    line = first
    try:
        for cells in reader:
            if len(cells) > 1 or (cells and cells[0].strip()):
                yield line, cells
            line = first + reader.line_num
    except csv.Error as error:
        what = "opens a quote that is not closed" if "end of data" in str(error) else "has quotes that do not match"
        if "limit" in str(error):
            what = (
                f"has a cell of more than {csv.field_size_limit()} characters, perhaps for a quote that is not closed"
            )
        raise findings.fail(
            f'cannot be read as a table: line {line} {what}. Close it, or write a quote inside a cell as "".'
        ) from None


def _columns(found: Iterator[tuple[int, list[str]]], width: int, findings: Findings) -> tuple[list[pd.Series], Ints]:
    """The cells by column, and the line of each row."""
    portions: list[list[pd.Series]] = []
    rows: list[list[str]] = []
    lines: list[int] = []
    odd: list[str] = []
    trimmed: list[int] = []
    for line, cells in found:
        if len(cells) != width:
            if len(cells) < width or any(cell.strip() for cell in cells[width:]):
                odd.append(f"line {line} ({len(cells)})")
                continue
            trimmed.append(line)
            cells = cells[:width]
        rows.append(cells)
        lines.append(line)
        if len(rows) == AT_A_TIME:
            portions.append(_packed(rows, width))
            rows = []
    if trimmed:
        findings.note(f"empty cells beyond the header were left out in {len(trimmed)} lines (first: line {trimmed[0]})")
    if odd:
        findings.problem(
            f"has lines with more or fewer cells than its header, which has {width}: {listed(odd)}. Complete or delete "
            "them; a cell that holds the separator must be in quotes; if cells are separated by something else, set it "
            "(--sep)."
        )
    portions.append(_packed(rows, width))
    columns = [pd.concat([portion[i] for portion in portions], ignore_index=True) for i in range(width)]
    return columns, np.array(lines, dtype=np.int64)


def _packed(rows: list[list[str]], width: int) -> list[pd.Series]:
    cells = zip(*rows, strict=True) if rows else [()] * width
    return [pd.Series(list(column), dtype=str) for column in cells]


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True
