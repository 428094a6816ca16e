"""Which columns count, and how."""

from __future__ import annotations

from datetime import datetime

import numpy as np

from ...basics.typing import Floats
from ...explain.column_shares import ANSWERS
from ...explain.effects import Axis
from ...explain.words import shown
from .. import charts
from ..case import Case
from ..elements import card, figure, folded, grid, meter, note, percent, table, text
from ..learned import MOVES, Learned

LISTED = 15
MOST_CLASSES = 3  # with their pictures unfolded
HOW = {
    MOVES: " when its cells are shuffled among rows",
    ANSWERS: " (their log-odds) when its cells come from another row, as agnoboost inspect says it, too",
}
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
    words = note(f"The share of each column in {found.of}{HOW.get(found.of, '')}. The effects below are of their own.")
    header = ["column", "", "share"]
    more = folded(f"All {len(rows)} columns that count", table(header, rows[LISTED:], [2])) if rows[LISTED:] else ""
    return card("Which columns count", table(header, rows[:LISTED], [2]), words, more)


def _effects(case: Case, found: Learned) -> str:
    caption = "Average probability as the cells of one column change and all others stay; dashed is the usual one."
    if len(case.names) == 2:
        name = case.focus.name if case.judged is not None else case.names[1]
        pictures = _pictures(found, case.names.index(name), list(found.effects))
        return f"<h3>What speaks for “{text(name, 40)}”</h3>{note(caption)}{pictures}"
    blocks = []
    for place, name in enumerate(case.names):
        moves = {number: float(np.ptp(one.mean[:, place])) for number, one in found.effects.items()}
        pictures = _pictures(found, place, sorted(moves, key=lambda number: -moves[number])[:FEW_PICTURES])
        title = f"What speaks for “{text(name, 40)}”"
        blocks.append(f"<h3>{title}</h3>{pictures}" if len(case.names) <= MOST_CLASSES else folded(title, pictures))
    return note(caption) + "".join(blocks)


def _pictures(found: Learned, place: int, columns: list[int]) -> str:
    """All on one scale: what hardly counts must not look as if it did."""
    effects = {number: found.effects[number] for number in columns}
    values = np.concatenate([one.mean[:, place] for one in effects.values()])
    usual = float(found.usual[place])
    room = max(0.05 * float(np.ptp(values)), 0.01)
    limits = max(0.0, min(values.min(), usual) - room), min(1.0, max(values.max(), usual) + room)
    cards = []
    for number, one in effects.items():
        name = found.names[number]
        cards.append(card(text(name, 40), _picture(name, one.axes[0], one.mean[:, place], limits, usual)))
    return grid(*cards, kind="grid three")


def _picture(name: str, axis: Axis, y: Floats, limits: tuple[float, float], usual: float) -> str:
    alt = f"{name}: average probability from {y.min():.1%} to {y.max():.1%}."
    if axis.categorical:
        order = np.argsort(-y, kind="stable")
        svg = charts.sideways([shown(axis.values[i]) for i in order], y[order], limits, usual, alt)
        return figure(svg, f"{axis.left_out:,} rarer ones are not shown." if axis.left_out else "")
    known = [value for value in axis.values if value is not None]  # some: a column without any does not count
    dates = isinstance(known[0], datetime)
    x = np.array(known, dtype="datetime64[us]").astype(float) if dates else np.array(known, dtype=float)
    missing = f"Empty cells: {y[-1]:.1%}." if len(known) < len(y) else ""
    panel = charts.Panel(alt, (float(x[0]), float(x[-1])), limits, height=180, width=300, shares="y", dates=dates)
    panel.level(usual, "usual")
    panel.line(x, y[: len(x)], tip=name)
    if len(x) == 1:
        panel.dot(float(x[0]), float(y[0]), name)
    return figure(panel.svg(), missing)
