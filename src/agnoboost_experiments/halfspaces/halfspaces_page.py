"""Halfspaces as a Markdown page and a plot."""

from __future__ import annotations

from typing import Any

from ..house_style import look_of
from ..pages import curve, label_axes, label_budgets, legend_below, markdown_table, origin, panel_grid, with_error
from .design import SHOWN
from .methods import GS24_DECAYS, GS24_ROUNDS, HELD_OUT, MOST_CELLS, ROUNDS, STEP, UNLABELED, UNLABELED_REUSED

METHODS = ("Algorithm 1", "Algorithm 2", "labeled-only", "GS24", "PAB", "logistic regression")

_INTRODUCTION = """# Halfspaces over the hypercube

Excess 0/1 error over a planted random halfspace of the cube with n coordinates that errs on a fifth of the labels;
parities of at most d coordinates as weak learner. Mean over {seeds} halfspaces +- standard error.

One label in {held_out} chooses the iterate. Algorithms 1, 2 and labeled-only boosting take {rounds} steps of {step:g};
Algorithm 1 draws {fresh:,} new unlabeled points for each, Algorithm 2 {reused:,}, for free. GS24's rounds, sigma and
kind of step are chosen on the same held-out labels, from a grid of {grid}. PAB has the number of rounds T that is best
in hindsight, which favours it. Logistic regression, on the values of the same parities, learns from all labels; it is
left out where its table would have more than {cells:,} cells.
"""
_FACTS = {
    "held_out": HELD_OUT,
    "step": STEP,
    "rounds": ROUNDS,
    "fresh": UNLABELED,
    "reused": UNLABELED_REUSED,
    "grid": 2 * len(GS24_ROUNDS) * len(GS24_DECAYS),
    "cells": MOST_CELLS,
}
_NOISE = {
    "nuisance": "Two labels in five from a parity of degree 7",
    "flips": "Every fifth label flipped",
    "boundary": "Wrong labels near the boundary",
}
_REMARK = {
    "boundary": "Here the planted halfspace is not the best function: a negative excess is no triumph, only a sign "
    "that something else fits these labels better.\n",
}


def markdown(summary: dict[str, Any]) -> str:
    """The page."""
    parts = [_INTRODUCTION.format(**_FACTS, **summary["settings"])]
    for noise in summary["settings"]["noise"]:
        own = [cell for cell in summary["cells"] if cell["noise"] == noise]
        if own:
            parts += [f"## {_NOISE[noise]}\n", _table(own) + "\n", *([_REMARK[noise]] if noise in _REMARK else [])]
    if summary["claims"]:
        parts += [f"## Fewer labels (n = {SHOWN[0]}, d = {SHOWN[1]}, nuisance)\n", _claims(summary["claims"])]
    return "\n".join([*parts, origin(summary)])


def _table(cells: list[dict[str, Any]]) -> str:
    rows = []
    for cell in cells:
        found = [with_error(cell["excess"][name]) if name in cell["excess"] else "" for name in METHODS]
        found[METHODS.index("PAB")] += f" (T = {cell['pab_rounds']})"
        rows.append([str(cell["n"]), str(cell["degree"]), f"{cell['labels']:,}", *found])
    return markdown_table(["n", "d", "labels", *METHODS], rows)


_CLAIMS = {
    "algorithm1_with_1000_minus_pab_with_3000": "Algorithm 1 with 1,000 labels minus PAB (best T) with 3,000",
    "algorithm1_minus_gs24_with_1000": "Algorithm 1 minus GS24, both with 1,000 labels",
    "algorithm1_minus_labeled_only_with_1000": "Algorithm 1 minus labeled-only boosting, both with 1,000 labels",
}


def _claims(claims: dict[str, Any]) -> str:
    lines = [
        f"- {text}: {with_error(claims[name])} (paired t-test, p = {claims[name]['p']:.1g})."
        for name, text in _CLAIMS.items()
    ]
    lines.append("\nThe last line says what the unlabeled points bring beyond the use of every label in every round.\n")
    return "\n".join(lines)


def draw(figure: Any, summary: dict[str, Any]) -> None:
    """Excess against labels, one panel a shape, with a nuisance parity."""
    cells = [cell for cell in summary["cells"] if cell["noise"] == summary["settings"]["noise"][0]]
    shapes = sorted({(cell["n"], cell["degree"]) for cell in cells})
    panels = panel_grid(figure, len(shapes), 2.5, sharex=True)
    for panel, (n, degree) in zip(panels, shapes, strict=True):
        own = [cell for cell in cells if (cell["n"], cell["degree"]) == (n, degree)]
        for place, name in enumerate(METHODS):
            known = [(cell["labels"], cell["excess"][name]) for cell in own if name in cell["excess"]]
            if known:
                x, entries = zip(*known, strict=True)
                style = "--" if name == "logistic regression" else "-"
                curve(panel, x, entries, linestyle=style, label=name, **look_of(name, place))
        panel.set_title(f"n = {n}, d = {degree}")
        label_budgets(panel, [cell["labels"] for cell in own], [f"{cell['labels']:,}" for cell in own])
        panel.set_ylim(bottom=min(0.0, panel.get_ylim()[0]))
    label_axes(panels, "labels", "excess error")
    legend_below(figure, panels[0], 3)
