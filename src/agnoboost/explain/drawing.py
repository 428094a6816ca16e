"""What plots share: axes, colours, and names that fit."""

from __future__ import annotations

from typing import Any

from ..basics.extras import require

BLUE, ORANGE, GREY, INK = "#2563a8", "#d9822b", "#8a8f98", "#1d2026"
COLOURS = (BLUE, ORANGE, "#3c8d5a", "#a04b9c", "#8c6d31", GREY)


def panels(count: int, width: float, height: float, most_columns: int = 3) -> tuple[Any, list[Any]]:
    """A figure, and so many axes of this size."""
    plt = require("matplotlib.pyplot", "plot", "Plots need matplotlib")
    columns = min(count, most_columns)
    lines = -(-count // columns)
    figure, axes = plt.subplots(
        lines, columns, figsize=(width * columns, height * lines), layout="constrained", squeeze=False
    )
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12)
    found = list(axes.ravel())
    for axis in found[count:]:
        axis.set_visible(False)
    for axis in found:
        plain(axis)
    return figure, found[:count]


def plain(axis: Any) -> None:
    """No frame where it says nothing."""
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(labelsize=9, colors=INK)


def short(text: Any, most: int = 24) -> str:
    """A name that fits; a dollar sign is no formula."""
    words = str(text)
    return (words if len(words) <= most else words[: most - 1] + "…").replace("$", r"\$")
