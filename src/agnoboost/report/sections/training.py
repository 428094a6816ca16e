"""How the model was made: for those who train it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import charts
from ..case import Case
from ..elements import card, figure, grid, note, percent, table, text


def training(case: Case) -> str:
    model = case.model
    parts = [_weights(case), _choice(model), _rounds(case), _parameters(model)]
    return grid(*(part for part in parts if part))


def problems(case: Case) -> list[str]:
    """What each part of the model tells from the rest: one class of two, or every class."""
    return case.names[1:] if len(case.names) == 2 else case.names


def _weights(case: Case) -> str:
    """What each part of a blend counts, for each class where there are several."""
    weights = getattr(case.model, "weights_", None)
    if weights is None:
        return ""
    if len(weights) == 1:
        rows = [[text(name), _bar(share), f"{share:.2f}"] for name, share in weights[0].items()]
        shown = table(["part", "", "weight"], rows, [2])
    else:
        rows = [[text(name), *(f"{own[name]:.2f}" for own in weights)] for name in weights[0]]
        header = ["part", *(text(name, 20) for name in problems(case))]
        shown = table(header, rows, list(range(1, len(header))), wide=True)
    words = "Weights by rows that a part has not seen."
    if case.machines is None:
        words += " Rows without label only place bins and ranks here."
    return card("What the model is made of", shown, note(words))


def _bar(share: float) -> str:
    """
    >>> 'class="bar"' in _bar(0.5)
    True
    """
    return (
        '<td class="meter"><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="bar" width="{100 * min(share, 1.0):.1f}" height="8"/></svg></td>'
    )


def _choice(model: Any) -> str:
    """Rounds and the weight of unlabeled rows, and the evidence for them."""
    choice = getattr(model, "choice_", None) or getattr(getattr(model, "history_", None), "choice", None)
    if choice is None:
        return ""
    rows = [
        ["rounds", str(model.n_rounds_)],
        ["weight of rows without label", f"{choice.unlabeled_weight:g}"],
        ["chosen by", text(choice.reason, 500)],
    ]
    return card("What was chosen, and why", table([], rows), _losses(choice))


def _losses(choice: Any) -> str:
    curves = {share: np.asarray(losses, dtype=float) for share, losses in choice.losses.items() if len(losses) > 1}
    if not curves:
        return ""
    all_of_them = np.concatenate(list(curves.values()))
    longest = max(len(losses) for losses in curves.values()) - 1
    limits = (float(all_of_them.min()), float(all_of_them.max()))
    panel = charts.Panel("Loss on rows left out, by rounds.", (0, longest), limits, "round", "loss on rows left out")
    legend = []
    for colour, (share, losses) in zip(charts.COLOURS, curves.items(), strict=False):
        panel.line(np.arange(len(losses)), losses, f"line {colour}", f"weight {share:g}")
        chosen = " (chosen)" if share == choice.unlabeled_weight else ""
        legend.append((colour, f"weight of rows without label {share:g}{chosen}"))
    panel.line((choice.rounds, choice.rounds), limits, "chance", f"chosen: round {choice.rounds}")
    return figure(panel.svg(), f"Lower is better; dashed is the round that was chosen ({choice.rounds}).", legend)


def _rounds(case: Case) -> str:
    """What every round of the final run still found."""
    runs = list(getattr(getattr(case.model, "history_", None), "runs", None) or [])
    runs = [run for run in runs if len(run)]
    if not runs:
        return ""
    shrunk = float(np.mean(np.concatenate([run["branch"] == "B" for run in runs])))
    last = max(int(run["number"][-1]) for run in runs)
    pictures = []
    for column, words in (("edge", "strength of what a round found"), ("potential", "training loss")):
        values = np.concatenate([run[column] for run in runs]).astype(float)
        finite = values[np.isfinite(values)]
        if not len(finite):
            continue
        panel = charts.Panel(
            f"{words} by round.", (0, last), (float(finite.min()), float(finite.max())), "round", words
        )
        few = len(runs) <= len(charts.COLOURS)
        for place, (run, name) in enumerate(zip(runs, problems(case), strict=False)):
            keep = np.isfinite(run[column].astype(float))
            style = f"line {charts.COLOURS[place]}" if few else "faint"
            panel.line(run["number"][keep], run[column][keep], style, name)
        named = zip(charts.COLOURS, problems(case), strict=False) if few and len(runs) > 1 else []
        pictures.append(figure(panel.svg(), "", [(colour, text(name, 24)) for colour, name in named]))
    words = note(f"In {percent(shrunk)} of the rounds the model took back a little of what it had been sure of.")
    return card("Round by round", *pictures, words)


def _parameters(model: Any) -> str:
    rows = [
        [text(name), f"<code>{text(repr(value), 120)}</code>"] for name, value in sorted(model.get_params().items())
    ]
    return card(f"Settings of {text(type(model).__name__)}", table(["parameter", "value"], rows))
