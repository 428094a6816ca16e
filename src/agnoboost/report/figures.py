"""The report's figures, each as inline SVG."""

from __future__ import annotations

import io
import re
from itertools import cycle
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.extras import require
from ..basics.intervals import NORMAL_95
from ..basics.typing import Bools, Floats
from ..core.history import History
from ..estimators.held_out_choice import Choice
from .shapes import Shape

BLUE, ORANGE, GREY, GREEN = "#2563a8", "#d9822b", "#8a8f98", "#3c8d5a"
_COLOURS = (BLUE, ORANGE, GREEN, "#a04b9c", "#8c6d31", GREY)


def _panels(width: float, height: float, columns: int = 1, rows: int = 1) -> tuple[Any, Any]:
    """A figure, and its axes in one row."""
    require("matplotlib", "plot", "The report needs matplotlib").use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.hashsalt": "agnoboost", "axes.spines.top": False, "axes.spines.right": False})
    figure, axes = plt.subplots(rows, columns, figsize=(width, height), layout="constrained", squeeze=False)
    return figure, axes.ravel()


def _svg(figure: Any) -> str:
    import matplotlib.pyplot as plt

    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    plt.close(figure)
    return re.sub(r"^.*?(?=<svg)", "", buffer.getvalue(), flags=re.DOTALL)  # no XML prologue inside HTML


def learning_curve(choice: Choice, rounds: int) -> str:
    """Held-out potential against rounds, one curve for each unlabeled weight that was tried."""
    figure, (axis,) = _panels(6.4, 3.4)
    for colour, (share, losses) in zip(_COLOURS, choice.losses.items(), strict=False):
        chosen = share == choice.unlabeled_weight
        label = f"unlabeled weight {share:g}" + (" (chosen)" if chosen else "")
        axis.plot(losses, color=colour, linewidth=2.0 if chosen else 1.2, label=label)
    axis.axvline(rounds, color="black", linewidth=0.8, linestyle="--", label=f"chosen: round {rounds}")
    axis.set(xlabel="round", ylabel="held-out potential (lower is better)")
    axis.legend(fontsize=8, frameon=False)
    return _svg(figure)


def rounds_figure(histories: list[History], names: list[str]) -> str:
    """Edge and potential of every round; case-B rounds are marked below."""
    figure, axes = _panels(8.6, 3.0, columns=2)
    for colour, name, history in zip(cycle(_COLOURS), names, histories, strict=False):
        number, case_b = history["number"], history["branch"] == "B"
        for axis, column in zip(axes, ("edge", "potential"), strict=True):
            axis.plot(number, history[column], color=colour, linewidth=1.1, label=name)
            marks = number[case_b]
            axis.plot(marks, np.full(len(marks), 0.02), "|", color=colour, transform=axis.get_xaxis_transform())
    axes[0].set(xlabel="round", ylabel="edge of the weak hypothesis")
    axes[1].set(xlabel="round", ylabel="estimated potential")
    if len(names) > 1:
        axes[1].legend(fontsize=7, frameon=False)
    return _svg(figure)


def shape_figure(shapes: list[Shape], names: list[str]) -> str:
    """One panel for each feature, all on the same scale: what hardly counts must not look as if it did."""
    lines = ceil(len(shapes) / 3)
    values = np.concatenate(
        [[0.0], *(shape.y for shape in shapes), [s.missing for s in shapes if s.missing is not None]]
    )
    room = 0.05 * max(float(np.ptp(values)), 1e-12)
    limits = (values.min() - room, values.max() + room)
    figure, axes = _panels(8.6, 2.2 * lines, columns=3, rows=lines)
    for axis in axes[len(shapes) :]:
        axis.set_visible(False)
    for axis, shape in zip(axes, shapes, strict=False):
        if shape.categorical:
            keep = np.argsort(-np.abs(shape.y), kind="stable")[:8]
            _bars(axis, [_short(shape.x[i]) for i in keep], shape.y[keep])
            axis.tick_params(axis="y", labelsize=7)
        elif shape.exact:
            axis.step(shape.x, shape.y, where="post", color=BLUE)
        else:
            axis.plot(shape.x, shape.y, color=BLUE)
        if shape.missing is not None and not shape.categorical:
            axis.axhline(shape.missing, color=ORANGE, linewidth=0.9, linestyle=":")
        (axis.set_xlim if shape.categorical else axis.set_ylim)(limits)
        (axis.axvline if shape.categorical else axis.axhline)(0, color=GREY, linewidth=0.6)
        axis.set_title(_short(names[shape.feature], 28), fontsize=9)
        axis.tick_params(labelsize=7)
    return _svg(figure)


def importance_figure(importances: Floats, names: list[str], measure: str, most: int = 15) -> str:
    """The features that count most."""
    order = np.argsort(-importances, kind="stable")[:most]
    figure, (axis,) = _panels(6.4, 0.6 + 0.24 * len(order))
    _bars(axis, [_short(names[i], 30) for i in order], importances[order])
    axis.tick_params(labelsize=8)
    axis.set_xlabel(measure)
    return _svg(figure)


def reliability_figure(probability: Floats, right: Bools, bins: int = 8) -> str:
    """How often the predicted class was right, against its predicted probability, with 95% intervals."""
    edges = np.unique(np.quantile(probability, np.linspace(0, 1, bins + 1)))
    place = np.clip(np.searchsorted(edges, probability, side="right") - 1, 0, max(len(edges) - 2, 0))
    figure, (axis,) = _panels(4.2, 3.6)
    axis.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle="--", label="perfectly calibrated")
    for number in np.unique(place):
        inside = place == number
        n, share = int(inside.sum()), float(right[inside].mean())
        half = NORMAL_95 * np.sqrt(max(share * (1 - share), 0.25 / n) / n)
        axis.errorbar(probability[inside].mean(), share, yerr=half, fmt="o", color=BLUE, markersize=4, linewidth=1)
    low = max(0.0, float(probability.min()) - 0.05)
    axis.set(xlabel="predicted probability of the chosen class", ylabel="share that was right", xlim=(low, 1.02))
    axis.set_ylim(min(low, 0.3), 1.05)
    axis.legend(fontsize=8, frameon=False)
    return _svg(figure)


def confusion_figure(matrix: npt.NDArray[Any], names: list[str]) -> str:
    """Counts of true against predicted classes."""
    figure, (axis,) = _panels(4.0, 3.6)
    share = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    axis.imshow(share, cmap="Blues", vmin=0, vmax=1)
    for (i, j), count in np.ndenumerate(matrix):
        ink = "white" if share[i, j] > 0.6 else "black"
        axis.text(j, i, f"{count}", ha="center", va="center", color=ink)
    for set_ticks in (axis.set_xticks, axis.set_yticks):
        set_ticks(range(len(names)), [_short(name) for name in names])
    axis.set(xlabel="predicted", ylabel="true")
    axis.spines[:].set_visible(False)
    return _svg(figure)


def _bars(axis: Any, names: list[str], values: Floats) -> None:
    """Horizontal bars from the top, by place: shortened names may be the same."""
    places = np.arange(len(names))[::-1]
    axis.barh(places, values, color=BLUE)
    axis.set_yticks(places, names)


def _short(text: Any, most: int = 18) -> str:
    words = str(text).replace("$", r"\$")
    return words if len(words) <= most else words[: most - 1] + "…"
