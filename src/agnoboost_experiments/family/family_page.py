"""The family as a Markdown page and a plot."""

from __future__ import annotations

from typing import Any

from ..house_style import PALETTE, look_of
from ..pages import curve, label_axes, label_budgets, legend_below, markdown_table, origin, panel_grid, with_error
from .design import OURS
from .methods import DECAYS, GAMMAS, LABELING_ROUNDS, METHODS, ONCE, ROUNDS, STEPS
from .worlds import CHOOSER, NOISE, UNLABELED, WORLDS

_INTRODUCTION = """# The family of agnostic boosters

All boosters on the same labels, mean over {seeds} repetitions +- standard error. One label in {chooser} (of the real
tables one in three) chooses the setting and the iterate, for every method in the same way. Settings tried: steps of
{steps}; for those that use each label once {once} rounds; GS24's sigma {decays}; SmoothBoost's gamma {gammas}; else
{rounds} rounds. Relabeling runs SmoothBoost for {labeling} rounds on every labeling by the reference class; it splits
the labels in three itself. The populations have {unlabeled} unlabeled rows for every label; a booster that takes all of
them in every round draws them as often as it has rounds.

Bold: within one standard error of the best in its column. A star: a difference to {ours} with p < .05 (paired t-test,
not corrected for their number).
"""
_WORLDS = {
    "majority": "Majority of three coordinates, two labels in five from a parity; parities as weak learner. Excess "
    "error over the best majority",
    "intervals": "Intervals of one feature on 400 points, with flips; stumps as weak learner. Excess error over the "
    "best interval (below zero: better than every interval)",
}


def _few(numbers: Any) -> str:
    return ", ".join(f"{number:g}" for number in numbers)


def markdown(summary: dict[str, Any]) -> str:
    """The page."""
    facts = {
        "chooser": CHOOSER,
        "steps": _few(STEPS),
        "once": _few(ONCE),
        "decays": _few(DECAYS),
        "gammas": _few(GAMMAS),
        "rounds": ROUNDS,
        "labeling": LABELING_ROUNDS,
        "unlabeled": UNLABELED,
        "ours": OURS,
        "seeds": summary["settings"]["seeds"],
    }
    parts = [_INTRODUCTION.format(**facts)]
    for world in dict.fromkeys(cell["world"] for cell in summary["cells"] if cell["world"] in WORLDS):
        own = [cell for cell in summary["cells"] if cell["world"] == world]
        parts += [f"## {_WORLDS[world]}\n", _table(own, [f"{cell['labels']:,} labels" for cell in own]) + "\n"]
        parts += [f"What a run takes at {own[-1]['labels']:,} labels (medians):\n", _costs(own[-1]) + "\n"]
    if real := [cell for cell in summary["cells"] if cell["world"] not in WORLDS]:
        parts.append(f"## Real tables, {NOISE:.0%} of the training labels flipped; stumps. Error on unseen rows\n")
        parts.append(_table(real, [f"{cell['world']}, {cell['labels']:,} labels" for cell in real]) + "\n")
    return "\n".join([*parts, origin(summary)])


def _table(cells: list[dict[str, Any]], heads: list[str]) -> str:
    rows = [[name, *(_entry(cell, name) for cell in cells)] for name in METHODS if name in cells[0]["excess"]]
    return markdown_table(["", *heads], rows)


def _entry(cell: dict[str, Any], name: str) -> str:
    entry = cell["excess"][name]
    best = min(cell["excess"].values(), key=lambda other: other["mean"])
    text = with_error(entry)
    if entry["mean"] <= best["mean"] + best["error"]:
        text = f"**{text}**"
    return text + ("*" if name != OURS and cell["difference"][name]["p"] < 0.05 else "")


def _costs(cell: dict[str, Any]) -> str:
    rows = [
        [name, f"{own['unlabeled']:,.0f}", f"{own['calls']:,.0f}", f"{own['seconds']:.2f}"]
        for name, own in cell["cost"].items()
    ]
    return markdown_table(["", "unlabeled rows drawn", "oracle calls", "seconds"], rows)


def draw(figure: Any, summary: dict[str, Any]) -> None:
    """Excess against labels, one panel a population."""
    names = [world for world in WORLDS if any(cell["world"] == world for cell in summary["cells"])]
    panels = panel_grid(figure, len(names), 4.0, columns=2)
    for panel, world in zip(panels, names, strict=True):
        own = [cell for cell in summary["cells"] if cell["world"] == world]
        x = [cell["labels"] for cell in own]
        for place, name in enumerate(METHODS):
            style = {"linestyle": ("-", "--", ":")[place // len(PALETTE)], "label": name, **look_of("", place)}
            curve(panel, x, [cell["excess"][name] for cell in own], **style)
        panel.set_title(world)
        label_budgets(panel, x, [f"{count:,}" for count in x])
    label_axes(panels, "labels", "excess error", columns=2)
    legend_below(figure, panels[0], 3)
