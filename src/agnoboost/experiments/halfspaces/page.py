"""Halfspaces as a Markdown page and a plot."""

from __future__ import annotations

from typing import Any

from ..pages import markdown_table, origin, with_error
from .design import SHOWN
from .methods import HELD_OUT, STEP, UNLABELED, UNLABELED_REUSED

METHODS = ("Algorithm 1", "Algorithm 2", "labeled-only", "GS24", "PAB", "logistic regression")

_INTRODUCTION = """# Halfspaces over the hypercube

Excess 0/1 error over a planted random halfspace of the cube with n coordinates that errs on a fifth of the labels;
parities of at most d coordinates as weak learner. One label in {held_out} chooses the iterate (and GS24's settings).
PAB has the number of rounds T that is best in hindsight, which favours it. Steps {step:g}; {fresh} new unlabeled points
a round for Algorithm 1 and {reused} for Algorithm 2, drawn for free. Mean over {seeds} halfspaces +- standard error.
"""
_FACTS = {"held_out": HELD_OUT, "step": STEP, "fresh": UNLABELED, "reused": UNLABELED_REUSED}
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


def _claims(claims: dict[str, Any]) -> str:
    pab, gs24 = claims["algorithm1_with_1000_minus_pab_with_3000"], claims["algorithm1_minus_gs24_with_1000"]
    return (
        f"- Algorithm 1 with 1,000 labels minus PAB (best T) with 3,000: {with_error(pab)}.\n"
        f"- Algorithm 1 minus GS24, both with 1,000 labels: {with_error(gs24)} (paired t-test, p = {gs24['p']:.1g}).\n"
    )


def draw(figure: Any, summary: dict[str, Any]) -> None:
    """Excess against labels, one panel a shape, with a nuisance parity."""
    cells = [cell for cell in summary["cells"] if cell["noise"] == summary["settings"]["noise"][0]]
    shapes = sorted({(cell["n"], cell["degree"]) for cell in cells})
    columns = min(3, len(shapes))
    lines = -(-len(shapes) // columns)
    figure.set_size_inches(3.7 * columns, 2.7 * lines + 0.6)
    panels = figure.subplots(lines, columns, squeeze=False, sharex=True).ravel()
    for panel, (n, degree) in zip(panels, shapes, strict=False):
        own = [cell for cell in cells if (cell["n"], cell["degree"]) == (n, degree)]
        for place, name in enumerate(METHODS):
            known = [(cell["labels"], cell["excess"][name]) for cell in own if name in cell["excess"]]
            if known:
                x, entries = zip(*known, strict=True)
                means, errors = ([entry[part] for entry in entries] for part in ("mean", "error"))
                style = "--" if name == "logistic regression" else "-"
                panel.errorbar(x, means, errors, color=f"C{place}", linestyle=style, capsize=2, label=name)
        panel.set(xscale="log", title=f"n = {n}, d = {degree}")
        panel.set_xticks([cell["labels"] for cell in own], [f"{cell['labels']:,}" for cell in own])
        panel.minorticks_off()
        panel.set_ylim(bottom=min(0.0, panel.get_ylim()[0]))
        panel.grid(alpha=0.3)
    for panel in panels[len(shapes) :]:
        panel.set_axis_off()
    panels[0].set_ylabel("excess error")
    handles = {
        label: handle for panel in panels for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=6, fontsize=8)
