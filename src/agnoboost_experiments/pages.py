"""What the pages of all studies are made of: numbers as texts, tables, panels, curves."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from agnoboost.basics.atomic import replacing

from .house_style import WIDTH, house_style, require_matplotlib


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """
    >>> print(markdown_table(["a", "b"], [["1", "2"]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("|" + "|".join(f" {cell} " if cell != "---" else cell for cell in line) + "|" for line in lines)


def with_error(entry: dict[str, Any]) -> str:
    """
    >>> with_error({"mean": 0.8126, "error": 0.0049}), with_error({"mean": 1.0, "error": None})
    ('.813 +- .005', '1.000')
    """
    parts = [entry["mean"]] if entry["error"] is None else [entry["mean"], entry["error"]]
    return " +- ".join(short(value) for value in parts)


def short(value: float, digits: int = 3) -> str:
    """
    >>> short(0.8126), short(-0.05), short(1.0), short(10.5), short(-1e-9)
    ('.813', '-.050', '1.000', '10.500', '.000')
    """
    return re.sub(r"^(-?)0\.", r"\1.", f"{round(value, digits) + 0.0:.{digits}f}")  # no zero with a sign


def signed(value: float) -> str:
    """
    >>> signed(0.05), signed(-0.05)
    ('+.050', '-.050')
    """
    return ("+" if value >= 0 else "") + short(value)


def signed_with_error(entry: dict[str, float]) -> str:
    """A difference with half of its interval.

    >>> signed_with_error({"mean": 0.0126, "half_width": 0.0049})
    '+.013 +- .005'
    """
    return f"{signed(entry['mean'])} +- {short(entry['half_width'])}"


def gain_with_error(entry: dict[str, Any]) -> str:
    """The same where less than nothing is a loss: bold, with a star if the interval says so too.

    >>> gain_with_error({"mean": 0.01, "half_width": None}), gain_with_error({"mean": -0.02, "half_width": 0.01})
    ('+.010', '**-.020 +- .010** *')
    """
    mean, half = entry["mean"], entry["half_width"]
    text = signed(mean) if half is None else signed_with_error(entry)
    if mean >= 0.0:
        return text
    return f"**{text}**" + (" *" if half is not None and mean + half < 0.0 else "")


def origin(summary: dict[str, Any]) -> str:
    """The command and the versions, for the end of a page."""
    versions = ", ".join(f"{name} {number}" for name, number in summary["versions"].items())
    return f"Made by `{summary['command']}` with {versions}.\n"


def panel_grid(figure: Any, count: int, height: float = 2.6, columns: int = 3, **options: Any) -> list[Any]:
    """``count`` panels in rows, each row of this height in inches; the room that is left over holds nothing."""
    columns = min(columns, count)
    lines = -(-count // columns)
    figure.set_size_inches(WIDTH, height * lines + 0.7)
    panels = list(figure.subplots(lines, columns, squeeze=False, **options).ravel())
    for panel in panels[count:]:
        panel.remove()
    return panels[:count]


def label_budgets(panel: Any, budgets: Sequence[float], texts: Sequence[str]) -> None:
    """A logarithmic axis with a mark at each budget."""
    panel.set_xscale("log")
    panel.set_xticks(budgets, texts)
    panel.minorticks_off()
    panel.relim()  # by the points: matplotlib before 3.11 misplaces bars of errors on axes that are logarithmic already
    panel.autoscale(axis="x")


def label_axes(panels: Sequence[Any], x: str, y: str, columns: int = 3) -> None:
    """A name below the last panel of each column, and beside the first one of each row."""
    for place, panel in enumerate(panels):
        if place % columns == 0:
            panel.set_ylabel(y)
        if place + columns >= len(panels):
            panel.set_xlabel(x)


def legend_below(figure: Any, panel: Any, columns: int) -> None:
    """The legend of one panel, for all of them, below the figure."""
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns)


def curve(panel: Any, x: Sequence[float], entries: Sequence[dict[str, Any]], **style: Any) -> None:
    """Means with error bars; no bar where the error is not known."""
    means, errors = ([entry[part] or 0.0 for entry in entries] for part in ("mean", "error"))
    panel.errorbar(x, means, errors, capsize=2, **style)


def write_plot(path: Path, draw: Callable[[Any], None]) -> None:
    """What ``draw`` puts on a figure, in our style, as a PNG file; the same bytes for the same figures."""
    with house_style():
        plt = require_matplotlib()
        figure = plt.figure()
        draw(figure)
        with replacing(path) as file:
            figure.savefig(file, format="png", metadata={"Software": None})
        plt.close(figure)
