"""Columns of text as numbers, with one decimal mark for the whole file where a column leaves it open.

The rule: a column that can be read in one way only is read in that way. A column such as 1,234 and 5,678 can be
read in two: then the mark that the user has set counts; else the one that other columns show (if they agree); else the
one by which the table of training was read, for rows that are meant for a model; else a comma is a decimal mark in
files whose cells are separated by semicolons, and a thousands mark in others. The same holds for 1.234 and 5.678, but
in files without any sign of decimal commas these are what computers write: plain numbers.
"""

from __future__ import annotations

import pandas as pd

from .cells import COMMA, POINT
from .findings import Findings, counted, listed
from .number_columns import FIRST, WrittenNumbers, number_column
from .odd_words import numbers_among_words, odd_cells


def read_numbers(
    columns: dict[str, pd.Series],
    plain: dict[str, pd.Series | None],
    decimal: str | None,
    usual: str | None,
    comma_for_decimals: bool,
    findings: Findings,
) -> dict[str, pd.Series]:
    """Those columns of texts that are numbers, as numbers; the others as they are.

    ``plain`` has those that are numbers as computers write them. ``decimal`` is the mark that was set, ``usual`` that
    of the table of training. The mark that was found is told to ``findings``.
    """
    written = {name: _numbers_in(columns[name]) for name, numbers in plain.items() if numbers is None}
    shown = {one.evidence for one in written.values() if one is not None} - {None}
    if comma_for_decimals or COMMA in {decimal, *shown}:
        written.update(_open_points(columns, plain))
    settled, why = decimal, "as was set"
    if settled is None and (usual or any(one is not None for one in written.values())):
        settled, why = _shown_by_all(columns, plain, shown), "as in other columns"
    is_open = any(one is not None and one.is_ambiguous for one in written.values())
    if settled is None:
        by_comma = comma_for_decimals if usual is None else usual == COMMA
        may_be_open = is_open or (usual == COMMA and comma_for_decimals)  # 1.234 may be thousands there
        settled = COMMA if by_comma and may_be_open and POINT not in shown else POINT
        why = "as in training" if settled == usual else "nothing in the file settles it"
    findings.decimal = settled if decimal or shown or is_open else None
    result = {}
    for name, column in columns.items():
        found, numbers = written.get(name), plain[name]
        if found is not None:
            result[name] = _settled(name, column, found, settled, why, findings)
        elif numbers is not None:
            result[name] = numbers
        else:
            _tell_of_odd_cells(name, column, findings)
            result[name] = column
    return result


def _numbers_in(column: pd.Series) -> WrittenNumbers | None:
    return number_column(column) or numbers_among_words(column)


def _shown_by_all(
    columns: dict[str, pd.Series], plain: dict[str, pd.Series | None], shown: set[str | None]
) -> str | None:
    """The decimal mark that all columns agree on which show one; None if there is none, or if they disagree."""
    shown = set(shown)
    for name, numbers in plain.items():
        if numbers is not None and numbers.dtype.kind == "f" and POINT not in shown:
            cells = columns[name].dropna()
            points = cells[cells.str.contains(POINT, regex=False)]
            if not points.str.fullmatch(r"[-+]?[1-9]\d{0,2}(\.\d{3})+").all():
                shown.add(POINT)
    return next(iter(shown)) if len(shown) == 1 else None


def _open_points(columns: dict[str, pd.Series], plain: dict[str, pd.Series | None]) -> dict[str, WrittenNumbers]:
    """Columns such as 950 and 1.234, which a computer would read, but where points may part thousands."""
    found = {}
    for name, numbers in plain.items():
        if numbers is not None and _may_be_ambiguous(columns[name], numbers):
            again = number_column(columns[name])
            if again is not None and again.is_ambiguous:
                found[name] = again
    return found


def _may_be_ambiguous(column: pd.Series, numbers: pd.Series) -> bool:
    """Whether the first cells leave both marks open: if they do not, all cells do not."""
    first = number_column(column.dropna().iloc[:FIRST]) if numbers.dtype.kind == "f" else None
    return first is not None and len(first.values) == 2


def _settled(
    name: str, column: pd.Series, found: WrittenNumbers, decimal: str, why: str, findings: Findings
) -> pd.Series:
    if len(found.currencies) > 1:
        findings.note(f"column {name}: amounts in several currencies ({listed(found.currencies)}) are left as text")
        return column
    mark = decimal if decimal in found.values else found.evidence or POINT
    cell, value = found.example(mark)
    text, kind = f"column {name}: {cell} read as {value:.15g}", "columns with numbers that are not plainly written"
    if found.is_plain(mark) and not found.is_ambiguous:
        text = f"column {name}: numbers"
    if found.is_ambiguous:
        other = COMMA if mark == POINT else POINT
        text += f", not as {found.example(other)[1]:.15g} ({why}; --decimal {other} reads it the other way)"
        kind = "columns with numbers that can be read in two ways"
    if 0 < found.percents < len(found.cells):
        text += "; only some cells have a percent sign, and only these are divided by 100"
    if found.gaps:
        text += f"; {listed(map(repr, found.gaps))} read as a gap"
    if found.gaps or found.percents or found.is_ambiguous or not found.is_plain(mark):
        findings.note(text, kind)
    return pd.Series(found.read(mark), index=column.index)


def _tell_of_odd_cells(name: str, column: pd.Series, findings: Findings) -> None:
    """A column of numbers but for some cells is text then, which is seldom meant."""
    found = odd_cells(column)
    if found is None:
        return
    what = f"{counted(found.numbers, 'cell')} hold numbers, these do not: {listed(map(repr, found.odd))}"
    if not found.odd:
        what = "some numbers have decimal points, others decimal commas"
    findings.note(
        f"column {name}: {what}. All of it is read as text. Correct these cells, or leave them empty",
        "columns with texts among numbers",
    )
