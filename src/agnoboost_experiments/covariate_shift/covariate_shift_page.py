"""Covariate shift as a Markdown page and a plot."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..house_style import SOFT, look_of
from ..pages import curve, label_axes, label_budgets, legend_below, markdown_table, origin, panel_grid, with_error
from .design import IGNORING, KNOWING

_INTRODUCTION = """# Unlabeled rows from another distribution

The cube with 10 coordinates, parities of degree 4 as base class. D puts .8 of its mass on one half, Q (the unlabeled
rows) .8/C; each half has its own majority of 3 coordinates as target; a fifth of the labels is wrong, so that the best
correlation is .6. Correlation under D, exactly, of the iterate that a quarter of the labels chooses; mean over
{repetitions} repetitions +- standard error, all methods on the same labels. Steps are divided by the assumed C. In each
of the 1000 rounds as many new unlabeled rows are drawn as there are labels.
"""


def markdown(summary: dict[str, Any]) -> str:
    """The page."""
    parts = [_INTRODUCTION.format(**summary["settings"])]
    names = _methods(summary)
    rows = []
    for cell in summary["cells"]:
        found = [with_error(cell["correlation"][name]) if name in cell["correlation"] else "" for name in names]
        rows.append([f"{cell['shift']:g}", f"{cell['labels']:,}", *found])
    parts.append(markdown_table(["C", "labels", *names], rows) + "\n")
    parts.append("## What knowing C brings, pair by pair\n")
    rows = [
        [
            f"{cell['shift']:g}",
            f"{cell['labels']:,}",
            with_error(cell["gain_over_ignoring"]),
            f"{cell['gain_over_ignoring']['p']:.1g}",
            with_error(cell["gain_over_labeled_only"]),
            f"{np.median(cell['estimated_shift']):.1f}",
        ]
        for cell in summary["cells"]
    ]
    header = ["C", "labels", "against ignoring the shift", "p (paired t)", "against labeled-only"]
    parts.append(markdown_table([*header, "C by `estimate_shift`"], rows) + "\n")
    parts.append("The last column is the median of three estimates, at the 95% quantile, from 5000 unlabeled rows.\n")
    return "\n".join([*parts, origin(summary)])


def _methods(summary: dict[str, Any]) -> list[str]:
    """All methods: C/4 is missing where it would be below 1."""
    return max((list(cell["correlation"]) for cell in summary["cells"]), key=len)


def draw(figure: Any, summary: dict[str, Any]) -> None:
    """Correlation against labels, one panel a shift."""
    shifts = summary["settings"]["shifts"]
    panels = panel_grid(figure, len(shifts), 3.0, sharey=True)
    names = _methods(summary)
    for panel, shift in zip(panels, shifts, strict=True):
        own = [cell for cell in summary["cells"] if cell["shift"] == shift]
        for place, name in enumerate(names):
            points = [(cell["labels"], cell["correlation"][name]) for cell in own if name in cell["correlation"]]
            if not points:
                continue
            x, entries = zip(*points, strict=True)
            style = "-" if name in (KNOWING, IGNORING, "labeled-only") else ":"
            curve(panel, x, entries, linestyle=style, label=name, **look_of(name, place + 3))
        panel.axhline(own[0]["best_possible"], color=SOFT, linewidth=1)
        panel.set_title(f"C = {shift:g}")
        label_budgets(panel, [cell["labels"] for cell in own], [f"{cell['labels']:,}" for cell in own])
    label_axes(panels, "labels", "correlation under D")
    legend_below(figure, panels[-1], 3)
