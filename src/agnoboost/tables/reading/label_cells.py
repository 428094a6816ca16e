"""The column with the labels: texts, so that 007 and 7 stay two classes, and numbers only where that loses nothing."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

import pandas as pd

from ..label_marks import LabelMarks, label_marks, written
from .blanks import bare, bare_cells
from .cells import MARKS
from .findings import Findings, counted, listed
from .grid import as_text

PLAIN = re.compile(r"-?(0|[1-9]\d*)([.,]\d+)?([eE][-+]?\d+)?")  # no leading zeros, no plus sign
EXACT = 2.0**53
GAP_LIKE = MARKS | {"nan", "null", "<na>"}


def label_cells(
    name: str, column: pd.Series, missing_label: LabelMarks, findings: Findings, rows: pd.Series | None = None
) -> pd.Series:
    """Labels as they are meant; only an empty cell (and the user's own marks) is a gap.

    ``rows`` says how many rows each cell stands for, if not for one.
    """
    if not _holds_text(column):
        return column
    is_text = isinstance(column.dtype, pd.StringDtype)
    texts = column.astype(object) if is_text else column.map(as_text, na_action="ignore").astype(object)
    texts, stripped = bare_cells(texts)
    if stripped:
        findings.note(f"labels in {name}: blanks around them were left out, as in {listed(map(repr, stripped))}")
    gaps = texts.isna() | texts.isin(["", *map(bare, label_marks(missing_label))])
    texts = texts.where(~gaps)
    counts = texts.value_counts() if rows is None else rows.groupby(texts).sum().sort_values(ascending=False)
    _tell_of_likenesses(name, counts, findings)
    return _typed(name, texts, findings)


def tell_of_idle_marks(columns: Iterable[pd.Series], missing_label: LabelMarks, findings: Findings) -> None:
    """A mark of the user's that stands in none of the columns with labels may be mistyped."""
    marks = [mark for mark in label_marks(missing_label) if bare(mark)]
    if not marks:
        return
    by_column = [{bare(written(label)) for label in column.dropna()} - {""} for column in columns]
    labels = next(filter(None, by_column), set())  # of the first column that has some: machines may say other things
    for mark in marks if labels else []:
        if not any(bare(mark) in own for own in by_column):
            findings.note(f"no label is {mark!r} (--missing-label). Labels are {listed(map(repr, sorted(labels)))}")


def _holds_text(column: pd.Series) -> bool:
    """Numbers and truth values of files with types are what they are."""
    return column.dtype.kind not in "biufcmM" and any(isinstance(value, str) for value in column)


def _typed(name: str, texts: pd.Series, findings: Findings) -> pd.Series:
    """Numbers if all labels are plainly written ones, truth values if all are true or false; texts otherwise."""
    labels = [str(label) for label in texts.dropna().unique()]
    if labels and all(label.lower() in ("true", "false") for label in labels):
        return texts.map(lambda label: label.lower() == "true", na_action="ignore").infer_objects()
    if not labels or not all(PLAIN.fullmatch(label) for label in labels):
        return texts
    numbers = {label: float(label.replace(",", ".")) for label in labels}
    if any(abs(number) >= EXACT for number in numbers.values()):
        return texts
    same = [label for label in labels if label != f"{numbers[label]:g}" and f"{numbers[label]:g}" in labels]
    if same:
        findings.note(f"labels in {name}: {listed(same)} and the same without decimals are one class")
    found = texts.map(numbers).astype(float)
    is_whole = not found.isna().any() and all(number.is_integer() for number in numbers.values())
    return found.astype("int64") if is_whole else found


def _tell_of_likenesses(name: str, counts: pd.Series, findings: Findings) -> None:
    """``counts`` has the rows of each label."""
    by_case: dict[str, list[str]] = {}
    for label in counts.index:
        by_case.setdefault(label.casefold(), []).append(label)
    for alike in by_case.values():
        if len(alike) > 1 and alike[0].casefold() not in ("true", "false"):
            shown = listed(f"{label!r} ({counted(counts[label], 'row')})" for label in alike)
            findings.note(f"labels in {name} differ by case only, and are different classes: {shown}")
    marks = [label for label in counts.index if label.casefold() in GAP_LIKE]
    if len(by_case) - len(marks) < 2:
        return  # what would be left is no table of classes: it is likely meant as one
    for mark in marks:
        findings.note(
            f"labels in {name}: {mark!r} ({counted(counts[mark], 'row')}) is read as a class. Pass --missing-label "
            f"{shlex.quote(mark)} if it marks rows without label"
        )
