"""What the model learned from: labels, gaps, and what stands out."""

from __future__ import annotations

from collections import Counter

import numpy as np

from ...labels.annotators import best_first
from ..case import Case
from ..charts import number
from ..checks import RARE
from ..columns import TableColumn
from ..date_scale import day
from ..elements import NONE, card, folded, grid, meter, note, percent, table, text

LISTED = 12


def data(case: Case) -> str:
    parts = [_labels(case), _gaps(case), _findings(case)]
    return grid(*parts, kind="grid three") + folded(
        f"All {case.X.shape[1]} columns", card("", _columns(case.checks.columns))
    )


def _labels(case: Case) -> str:
    counts = case.label_counts
    if not set(counts) <= set(case.names):
        return card("Labels", note(f"{len(case.labeled):,} rows with labels that are not plain classes."))
    largest = max(counts.values(), default=1)
    rows = [[text(name, 40), meter(counts[name] / largest), f"{counts[name]:,}"] for name in case.names]
    rest = len(case.y) - len(case.labeled)
    elsewhere = case.without_label - rest
    words = f"{rest:,} of {len(case.y):,} rows have no label" + (
        f"; {elsewhere:,} more rows without label came from elsewhere." if elsewhere > 0 else "."
    )
    return card("Labels", table(["class", "", "rows"], rows, [2]), note(words), _annotators(case))


def _annotators(case: Case) -> str:
    """Who has voted, and how well that agrees with the others; files of models do not keep it."""
    found = best_first(case.model.annotators_)
    if not found:
        return ""
    rows = [[text(one.name, 40), f"{one.votes:,}", percent(one.right) if one.votes else NONE] for one in found]
    words = "About how many votes of each are right, by how well they agree with those of the others."
    shown = table(["annotator", "votes", "right, about"], rows, [1, 2])
    return folded(f"{len(found)} annotators", shown + note(words))


def _gaps(case: Case) -> str:
    missing = case.checks.missing
    if not missing:
        return card("Empty cells", note("None."))
    rows = [[text(name, 40), meter(share, "f2"), percent(share)] for name, share in missing]
    words = note(f"{percent(case.checks.gaps)} of all cells are empty, in {len(missing)} of {case.X.shape[1]} columns.")
    header = ["column", "", "empty"]
    more = folded(f"{len(rows) - LISTED} more", table(header, rows[LISTED:], [2])) if rows[LISTED:] else ""
    return card("Empty cells", table(header, rows[:LISTED], [2]), words, more)


def _findings(case: Case) -> str:
    looked = case.checks
    rare = [f"{name} ({count})" for name, count in looked.rare.items() if case.may_be_categories(name)]
    rows = [
        ["constant columns", _listed(looked.constant)],
        ["columns that only number or name the rows: the model left them out by itself", _listed(case.not_used)],
        [f"categories with fewer than {RARE} rows", _listed(rare)],
        ["rows that occur more than once", f"{looked.copies:,}" if looked.copies else "none"],
        ["equal rows with different labels", f"{looked.contradictions:,}" if looked.contradictions else "none"],
    ]
    return card("What stands out", table([], rows))


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(text(name, 30) for name in names[:LISTED]) + more if names else "none"


def _columns(columns: list[TableColumn]) -> str:
    rows = [
        [
            text(one.name, 40),
            "text" if one.numbers is None else "dates" if one.holds_dates else "numbers",
            f"{one.distinct:,}",
            percent(float(one.missing.mean())),
            _range(one),
        ]
        for one in columns
    ]
    return table(
        ["column", "kind", "different", "empty", "from, middle, to; or the most frequent"], rows, [2, 3], wide=True
    )


def _range(one: TableColumn) -> str:
    known = one.known
    if not len(known):
        return NONE
    if one.numbers is not None:
        some = np.quantile(known, [0.0, 0.5, 1.0], method="nearest")
        return ", ".join(day(value) if one.holds_dates else number(value) for value in some.tolist())
    return ", ".join(f"{text(name, 20)} ({count})" for name, count in Counter(known.tolist()).most_common(3))
