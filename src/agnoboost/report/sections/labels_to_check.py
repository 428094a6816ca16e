"""Labels that look wrong, the most suspicious first."""

from __future__ import annotations

from typing import Any

from ..case import Case
from ..cells import raw_column
from ..elements import card, note, percent, table, text
from ..suspects import FEWEST, SURE

MOST = 25
COLUMNS = 3  # the most important ones are shown beside


def labels_to_check(case: Case) -> str:
    if case.judged is None or len(case.judged.y) < FEWEST:
        return card("", note(f"Nobody can say: that takes an honest estimate on at least {FEWEST} labels."))
    found = case.suspects
    if not found:
        return card("", note(f"None: for no row was a model that had not seen it {SURE:.0%} sure of another class."))
    beside = [(number, raw_column(case.X, number)) for number in case.learned.order[:COLUMNS]]
    header = ["row", "label", "likelier", "probability of the label", "of the likelier", *_names(case, beside)]
    rows = []
    for one in found[:MOST]:
        row = int(case.labeled[one.place])
        cells = [text(_plain(values[row]), 24) for _, values in beside]
        given, likelier = text(one.given, 24), text(one.likelier, 24)
        rows.append([f"{row + 1:,}", given, likelier, percent(one.p_given), percent(one.p_likelier), *cells])
    shown = f" The first {MOST} are shown." if len(found) > MOST else ""
    words = (
        f"{len(found)} of {len(case.judged.y):,} labels: models that had not seen the row are at least {SURE:.0%} sure "
        f"of another class.{shown} Not all of them are wrong: have a look. Rows are counted from 1, without the header."
    )
    return card("", note(words), table(header, rows, [0, 3, 4], wide=True))


def _names(case: Case, beside: list[tuple[int, Any]]) -> list[str]:
    return [text(case.learned.names[number], 24) for number, _ in beside]


def _plain(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
