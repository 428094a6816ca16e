"""Which columns count, and how."""

from __future__ import annotations

import numpy as np

from .. import charts
from ..case import Case
from ..elements import card, folded, grid, meter, note, percent, table, text
from ..learned import Effect, Learned

LISTED = 15
MOST_CLASSES = 3  # with their pictures unfolded
FEW_PICTURES = 6  # a class, where there are several


def what_it_learned(case: Case) -> str:
    found = case.learned
    if not found.order:
        return card("", note("Nothing: no column moves its answers."))
    return grid(_importances(found), kind="stack") + _effects(case, found)


def _importances(found: Learned) -> str:
    largest = float(found.importances.max())
    rows = [
        [text(found.names[i], 40), meter(found.importances[i] / largest), percent(float(found.importances[i]))]
        for i in found.order
    ]
    words = note("How far answers move when the cells of a column are shuffled among rows, as a share of all moves.")
    header = ["column", "", "share"]
    more = folded(f"All {len(rows)} columns that count", table(header, rows[LISTED:], [2])) if rows[LISTED:] else ""
    return card("Which columns count", table(header, rows[:LISTED], [2]), words, more)


def _effects(case: Case, found: Learned) -> str:
    caption = "Average probability as the cells of one column change and all others stay; dashed is the usual one."
    if len(case.names) == 2:
        shown = case.focus.name if case.judged is not None else case.names[1]
        place = case.names.index(shown)
        return f"<h3>What speaks for “{text(shown, 40)}”</h3>{note(caption)}{_pictures(found, place, found.effects)}"
    blocks = []
    for place, name in enumerate(case.names):
        effects = sorted(found.effects, key=lambda one: -float(np.ptp(one.probabilities[:, place])))[:FEW_PICTURES]
        pictures, title = _pictures(found, place, effects), f"What speaks for “{text(name, 40)}”"
        blocks.append(f"<h3>{title}</h3>{pictures}" if len(case.names) <= MOST_CLASSES else folded(title, pictures))
    return note(caption) + "".join(blocks)


def _pictures(found: Learned, place: int, effects: list[Effect]) -> str:
    """All on one scale: what hardly counts must not look as if it did."""
    values = np.concatenate([one.probabilities[:, place] for one in effects])
    usual = float(found.usual[place])
    room = max(0.05 * float(np.ptp(values)), 0.01)
    limits = max(0.0, min(values.min(), usual) - room), min(1.0, max(values.max(), usual) + room)
    return grid(*(_picture(found, one, place, limits, usual) for one in effects), kind="grid three")


def _picture(found: Learned, one: Effect, place: int, limits: tuple[float, float], usual: float) -> str:
    name, y = found.names[one.column], one.probabilities[:, place]
    alt = f"{name}: average probability from {y.min():.1%} to {y.max():.1%}."
    if one.categorical:
        order = np.argsort(-y, kind="stable")
        svg = charts.sideways([str(one.x[i]) for i in order], y[order], limits, usual, alt)
    else:
        x = np.asarray(one.x, dtype=float)
        panel = charts.Panel(alt, (float(x[0]), float(x[-1])), limits, height=180, width=300, shares="y")
        panel.level(usual, "usual")
        panel.line(x, y, tip=name)
        if len(x) == 1:
            panel.dot(float(x[0]), float(y[0]), name)
        svg = panel.svg()
    return card(text(name, 40), f"<figure>{svg}</figure>")
