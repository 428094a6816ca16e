"""The page and the plot."""

from __future__ import annotations

from typing import Any

from ..few_labels.few_labels_page import TITLES
from ..few_labels.measures import MEASURES
from ..house_style import SOFT, WIDTH
from ..pages import markdown_table, origin, short, signed_with_error
from .design import SHOWN
from .situations import SITUATIONS

_INTRODUCTION = """# Labels as they really come

{tables}; {seeds} random splits each. 1000 clean rows, which nothing has seen, for the scores; 2000 unlabeled rows for
everybody who can use them. Where no other name is given, a way is that of ``TableClassifier``.
"""


def markdown(summary: dict[str, Any]) -> str:
    """The page."""
    settings = summary["settings"]
    parts = [_INTRODUCTION.format(tables=", ".join(settings["tables"]), seeds=settings["seeds"])]
    for situation, means in summary["means"].items():
        rows = [[name, *(short(values[MEASURES.index(m)]) for m in SHOWN)] for name, values in means.items()]
        parts.append(f"## {situation}\n\n{SITUATIONS[situation].__doc__}\n")
        parts.append(markdown_table(["", "AUC", "accuracy", "Brier"], rows) + "\n")
    rows = [
        [f"{entry['situation']}: {entry['one']} - {entry['other']}", *(signed_with_error(entry[m]) for m in SHOWN)]
        for entry in summary["differences"]
    ]
    parts.append("## Differences\n\nPaired; +- is half of a 95% interval (Student's t over tables).\n")
    parts.append(markdown_table(["", "AUC", "accuracy", "Brier"], rows) + "\n")
    return "\n".join([*parts, origin(summary)])


def draw(figure: Any, summary: dict[str, Any]) -> None:
    """Differences with their intervals: AUC, accuracy, Brier."""
    entries = summary["differences"]
    figure.set_size_inches(WIDTH, 0.46 * len(entries) + 0.8)
    panels = figure.subplots(1, len(SHOWN), sharey=True)
    places = list(range(len(entries), 0, -1))
    for panel, measure in zip(panels, SHOWN, strict=True):
        means = [entry[measure]["mean"] for entry in entries]
        halves = [entry[measure]["half_width"] for entry in entries]
        panel.errorbar(means, places, xerr=halves, fmt="o", capsize=2)
        panel.axvline(0.0, color=SOFT, linewidth=1)
        panel.set_title(TITLES[measure], fontsize=9.5)
        panel.set_xlabel(f"{'left' if measure == 'brier' else 'right'} is better", fontsize=8)
        panel.locator_params(axis="x", nbins=4)
        panel.margins(y=0.02)
    names = [f"{entry['situation']}: {entry['one']}\n- {entry['other']}" for entry in entries]
    panels[0].set_yticks(places, names, fontsize=7.5)
