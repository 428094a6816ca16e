"""Labels that look wrong, the most suspicious first."""

from __future__ import annotations

from ...evaluation.suspicious import SuspiciousLabels
from ...explain.words import shown
from ...tables.cells import columns_of
from ..case import FEWEST, Case
from ..elements import WHOLE, card, note, percent, table, text

MOST = 25
COLUMNS = 3  # the most important ones are shown beside


def labels_to_check(case: Case) -> str:
    found = case.suspects
    if case.has_label_model:
        return card("", note("Labels that are soft, votes, or known to be wrong at times are not ranked."))
    if found is None:
        return card("", note(f"Nobody can say: that takes an honest estimate on at least {FEWEST} labels."))
    if not found.knows_something:
        return card("", note(text(found, WHOLE)))
    low, high = found.interval
    words = f"About {found.count:.0f} of {len(found):,} labels look wrong ({low:.0f} to {high:.0f}, for chance alone)."
    many = found.to_check
    if not many:
        return card("", note(words))
    shown_first = f" The first {MOST} are shown." if many > MOST else ""
    words += (
        f"{shown_first} That is if labels that disagree where models that had not seen them are surest are wrong, and "
        f"wrong labels lie anywhere in their class. {text(found.advice, WHOLE)} Rows are counted from 1, without the "
        "header."
    )
    return card("", note(words), _listed(case, found, min(many, MOST)))


def _listed(case: Case, found: SuspiciousLabels, many: int) -> str:
    columns, beside = columns_of(case.X), case.learned.order[:COLUMNS]
    chances = ["chance that it is wrong", "probability of the label", "of the other"]
    header = ["row", "label", "rather", *chances, *(text(case.learned.names[number], 24) for number in beside)]
    rows = []
    for place in range(many):
        row = int(found.row[place])
        labels = [text(found.given[place], 24), text(found.suggested[place], 24)]
        shares = [found.suspicion[place], found.probability[place], found.suggested_probability[place]]
        cells = [text(shown(columns[number].cells[row]), 24) for number in beside]
        rows.append([f"{row + 1:,}", *labels, *map(percent, shares), *cells])
    return table(header, rows, [0, 3, 4, 5], wide=True)
