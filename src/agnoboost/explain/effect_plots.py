"""How an effect is drawn: a line for numbers, dots for categories, a map for two columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..basics.extras import require
from ..basics.typing import Floats
from .drawing import BLUE, COLOURS, GREY, INK, ORANGE, short
from .effects import Axis, Effect
from .words import shown

LEAST_RANGE = 0.1  # of a scale: what hardly changes must look like it
MOST_LINES = 40  # of single rows
MOST_TICKS = 6


def limits_of(effects: list[Effect], target: Any, single_rows: bool) -> tuple[float, float]:
    """One scale for all of them."""
    drawn = [_single_rows(one, target) if single_rows and target is not None else one.mean[None] for one in effects]
    drawn += [one.mean for one in effects]
    places = [_places(one, target) for one in effects] * 2
    values = np.concatenate([part[..., place].ravel() for part, place in zip(drawn, places, strict=True)])
    low, high = float(values.min()), float(values.max())
    short_of = max(LEAST_RANGE - (high - low), 0.0) / 2.0
    room = 0.04 * (high - low) + short_of
    return low - room, high + room


def draw_effect(
    axis: Any, effect: Effect, target: Any, limits: tuple[float, float], single_rows: bool, legend: bool
) -> None:
    """On this axis; several classes have a line each, and a legend."""
    if len(effect.axes) == 2:
        _map(axis, effect, target, limits)
        return
    several = target is None
    draw = _dots if effect.axes[0].categorical else _lines
    for colour, place in zip(COLOURS if several else [BLUE], _places(effect, target), strict=False):
        rows = _single_rows(effect, target)[..., place] if single_rows and not several else None
        draw(axis, effect.axes[0], effect.mean[:, place], rows, colour, short(effect.classes[place], 14))
    (axis.set_xlim if effect.axes[0].categorical else axis.set_ylim)(limits)
    if effect.axes[0].values[-1] is None and not effect.axes[0].categorical:
        axis.text(1.06, -0.04, "missing", fontsize=8, ha="center", va="top", transform=axis.transAxes, rotation=90)
    name = _label(effect.axes[0])
    probability = "probability" if several else f"probability of {short(target, 16)}"
    axis.set_title(name, fontsize=10, loc="left", color=INK)
    (axis.set_xlabel if effect.axes[0].categorical else axis.set_ylabel)(probability, fontsize=9, color=INK)
    if several and legend:
        axis.legend(fontsize=8, frameon=False)


def _places(effect: Effect, target: Any) -> list[int]:
    names = effect.classes.tolist()
    return list(range(min(len(names), len(COLOURS)))) if target is None else [names.index(target)]


def _single_rows(effect: Effect, target: Any) -> Floats:
    return effect.each[:: max(1, -(-len(effect.each) // MOST_LINES))]


def _label(axis: Axis) -> str:
    more = f" (and {axis.left_out} rarer)" if axis.left_out else ""
    return f"{short(axis.column, 28)}{more}"


def _lines(axis: Any, along: Axis, mean: Floats, rows: Floats | None, colour: str, name: str) -> None:
    count = len(along.values) - (along.values[-1] is None)
    x = along.values[:count]
    if rows is not None:
        axis.plot(x, rows[:, :count].T, color=GREY, linewidth=0.5, alpha=0.35)
    axis.plot(x, mean[:count], color=colour, linewidth=2.2, label=name, marker="o" if count < 8 else None, markersize=4)
    if along.deciles:
        heights = np.zeros(len(along.deciles))
        axis.plot(along.deciles, heights, "|", color=INK, markersize=7, transform=axis.get_xaxis_transform())
    if count < len(mean):
        beside = axis.get_yaxis_transform()
        axis.plot([1.06], [mean[-1]], "D", color=colour, markersize=5, transform=beside, clip_on=False)
    if count and hasattr(x[0], "year"):
        _few_dates(axis)
    else:
        axis.locator_params(axis="x", nbins=4, integer=all(float(value).is_integer() for value in x))


def _few_dates(axis: Any) -> None:
    dates = require("matplotlib.dates", "plot")
    locator = dates.AutoDateLocator(minticks=2, maxticks=5)  # 2 to 5 are found, and without a warning, in every range
    axis.xaxis.set_major_locator(locator)
    axis.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))


def _dots(axis: Any, along: Axis, mean: Floats, rows: Floats | None, colour: str, name: str) -> None:
    places = np.arange(len(mean))[::-1]
    if rows is not None:
        axis.hlines(places, *np.quantile(rows, [0.1, 0.9], axis=0), color=GREY, linewidth=4, alpha=0.35)
    colours = [ORANGE if value is None and rows is not None else colour for value in along.values]
    axis.scatter(mean, places, color=colours, s=34, label=name, zorder=3)
    axis.set_yticks(places, [short(shown(value), 16) for value in along.values])
    axis.set_ylim(-0.6, len(mean) - 0.4)
    axis.grid(axis="x", color=GREY, alpha=0.25, linewidth=0.6)


def _map(axis: Any, effect: Effect, target: Any, limits: tuple[float, float]) -> None:
    place = _places(effect, target)[-1]
    one, other = effect.axes
    image = axis.imshow(
        effect.mean[..., place].T, origin="lower", aspect="auto", cmap="viridis", vmin=limits[0], vmax=limits[1]
    )
    axis.spines[:].set_visible(False)
    axis.grid(visible=False)  # whatever the style of the plot: lines across a map say nothing
    for along, ticks, label in ((one, axis.set_xticks, axis.set_xlabel), (other, axis.set_yticks, axis.set_ylabel)):
        places, names = _ticks(along)
        turned = (
            {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if along is one and along.categorical else {}
        )
        ticks(places, names, fontsize=8, **turned)
        label(_label(along), fontsize=9, color=INK)
    bar = axis.figure.colorbar(image, ax=axis, fraction=0.05)
    bar.ax.tick_params(labelsize=8)
    bar.set_label(f"probability of {short(effect.classes[place], 16)}", fontsize=8, color=INK)
    bar.outline.set_visible(False)


def _ticks(along: Axis) -> tuple[list[int], list[str]]:
    """All categories; of numbers some, and always the missing cell."""
    count = len(along.values)
    if along.categorical:
        places = list(range(count))
    else:
        known = count - (along.values[-1] is None)
        places = sorted({int(p) for p in np.linspace(0, known - 1, min(known, MOST_TICKS - 1)).round()})
        places = [*places[:-1], count - 1] if known < count else places  # the last number is too near
    return places, [_brief(along.values[place]) for place in places]


def _brief(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else short(shown(value), 14)
