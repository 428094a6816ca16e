"""Sample complexity as a Markdown page and a plot."""

from __future__ import annotations

from typing import Any

from ..house_style import look_of
from ..pages import label_axes, label_budgets, legend_below, markdown_table, origin, panel_grid

_INTRODUCTION = """# Labels needed for an excess of epsilon

The cube with 10 coordinates, parities of at most as many coordinates as the target has as base class, and labels with
E[y|x] = 2 epsilon h*(x), h* the majority of 3 or 5 coordinates drawn at random: the best correlation is 2 epsilon.
Smallest number of labels at which the median excess, over {repetitions} repetitions, is at most epsilon; a quarter of
the labels choose the iterate. Budgets go up by sqrt(2), so that every number and ratio is good to about that factor. In
brackets: how many times what Algorithm 1 needs. The last column is the exponent a of labels ~ (1/epsilon)^a.

Algorithm 1 draws as many *new unlabeled* rows in each round as it has training labels; Algorithm 2 draws step times as
many, and reuses them. ERM is the best of all majorities on the labels: it has to try every one of them.
"""
_MODES = {
    "schedule": "all on Theorem 1's schedule (eta = gamma^2 eps, T = 2/(gamma eps)^2, tau = 0)",
    "tuned": "steps and rounds tuned in hindsight, on other repetitions",
}


def markdown(summary: dict[str, Any]) -> str:
    """The page."""
    parts = [_INTRODUCTION.format(**summary["settings"])]
    for group in summary["groups"]:
        parts.append(f"## Majority of {group['votes']}, {_MODES[group['mode']]}\n")
        parts.append(_table(group["methods"]) + "\n")
    return "\n".join([*parts, origin(summary)])


def _table(methods: dict[str, Any]) -> str:
    epsilons = list(methods["Algorithm 1"]["labels"])
    rows = []
    for name, entry in methods.items():
        cells = [_cell(entry["labels"][eps], entry["against_algorithm1"][eps]) for eps in epsilons]
        rows.append([name, *cells, "" if entry["slope"] is None else f"{entry['slope']:.2f}"])
    return markdown_table(["method", *(f"eps = {eps}" for eps in epsilons), "slope"], rows)


def _cell(labels: int | None, ratio: float | None) -> str:
    if labels is None:
        return "not reached"
    return f"{labels:,}" + ("" if ratio is None else f" ({ratio:.1f} x)")


def draw(figure: Any, summary: dict[str, Any]) -> None:
    """Labels against 1/epsilon, on logarithmic axes; one panel a mode and target."""
    groups = summary["groups"]
    panels = panel_grid(figure, len(groups), 2.9, columns=2, sharey=True)
    for panel, group in zip(panels, groups, strict=True):
        for place, (name, entry) in enumerate(group["methods"].items()):
            points = [(1.0 / float(eps), labels) for eps, labels in entry["labels"].items() if labels]
            if points:
                style = "--" if name == "ERM" else "-"
                panel.plot(*zip(*points, strict=True), style, label=name, **look_of(name, place))
        title = "on the schedule" if group["mode"] == "schedule" else "tuned in hindsight"
        panel.set(yscale="log", title=f"majority of {group['votes']}, {title}")
        ticks = [1.0 / eps for eps in summary["settings"]["epsilons"]]
        label_budgets(panel, ticks, [f"{tick:g}" for tick in ticks])
    label_axes(panels, "1/epsilon", "labels needed", columns=2)
    legend_below(figure, panels[0], 6)
