"""Plots in the manner of scikit-learn: ``from_estimator`` works, ``plot`` draws."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy.special import expit

from .drawing import BLUE, GREY, INK, ORANGE, panels, plain, short
from .effect_plots import draw_effect, limits_of
from .effects import Effect, effect
from .permutation import Importances, permutation_importance
from .shapley import ShapleyValues, shapley_values
from .words import shown

SWARM_ROWS = 40  # cells of the width of a plot: values in the same one are drawn above each other


@dataclass
class EffectDisplay:
    """Effects of single columns and of pairs, one panel each, all on the same scale.

    A bold line is the mean probability, thin ones are single rows; a diamond at the right is a missing cell, ticks at
    the bottom are the deciles of the column.

    Parameters
    ----------
    effects : list of Effect
        A panel each.
    target : class or None
        Whose probability is shown. None for all, where there are more than two.
    """

    effects: list[Effect]
    target: Any = None
    figure_: Any = field(init=False, default=None)
    axes_: list[Any] = field(init=False, default_factory=list)

    @classmethod
    def from_estimator(cls, model: Any, X: Any, columns: Any, *, target: Any = None, rows: int | None = None) -> Self:
        """Effects of these columns (names, numbers, or pairs of them).

        Examples
        --------
        >>> from sklearn.datasets import make_classification
        >>> from agnoboost import TableClassifier
        >>> X, y = make_classification(200, 5, random_state=0)
        >>> model = TableClassifier("fast", random_state=0).fit(X, y)
        >>> display = EffectDisplay.from_estimator(model, X, [1, (1, 3)])
        >>> len(display.effects)
        2
        """
        names = model.classes_.tolist()
        if target is not None and target not in names:
            raise ValueError(f"target must be one of {', '.join(map(repr, names))}. Got {target!r}.")
        if target is None and len(names) == 2:
            target = names[1]
        return cls([effect(model, X, column, rows=rows) for column in columns], target)

    def plot(self, axes: Any = None, *, single_rows: bool = True) -> Self:
        """Draw; on ``axes`` if some are given, as many as there are effects."""
        if axes is None:
            self.figure_, self.axes_ = panels(len(self.effects), 3.6, 3.0)
        else:
            self.axes_ = list(np.ravel(axes))
            self.figure_ = self.axes_[0].figure
        limits = limits_of(self.effects, self.target, single_rows)
        for place, (axis, one) in enumerate(zip(self.axes_, self.effects, strict=True)):
            draw_effect(axis, one, self.target, limits, single_rows, legend=place == 0)
        return self


@dataclass
class ImportanceDisplay:
    """Columns by what shuffling them costs, as bars, with lines between which 19 shuffles in 20 lie.

    Parameters
    ----------
    importances : Importances
        From :func:`permutation_importance`.
    """

    importances: Importances
    figure_: Any = field(init=False, default=None)
    ax_: Any = field(init=False, default=None)

    @classmethod
    def from_estimator(cls, model: Any, X: Any, y: Any, **settings: Any) -> Self:
        """By :func:`agnoboost.explain.permutation_importance`, whose settings it takes."""
        return cls(permutation_importance(model, X, y, **settings))

    def plot(self, ax: Any = None, *, most: int = 15) -> Self:
        """Draw the columns that count most."""
        found = self.importances
        chosen = found.order[:most]
        self.figure_, self.ax_ = _one(ax, 6.4, 0.9 + 0.3 * len(chosen))
        places = np.arange(len(chosen))[::-1]
        mean, (low, high) = found.mean[chosen], (side[chosen] for side in found.interval)
        self.ax_.barh(places, mean, color=BLUE, height=0.62)
        self.ax_.hlines(places, low, high, color=INK, linewidth=1.3)
        self.ax_.set_yticks(places, [short(found.columns[column], 30) for column in chosen])
        self.ax_.axvline(0.0, color=GREY, linewidth=0.8)
        rows = "rows held out" if found.held_out else "the given rows"
        verb = "rise" if found.measure == "log loss" else "fall"
        self.ax_.set_xlabel(f"{verb} of {found.measure} on {rows} when the column is shuffled", fontsize=9, color=INK)
        return self


@dataclass
class ShapleyDisplay:
    """Why a row is predicted as it is (bars), or what columns do in many rows (a swarm of dots).

    Parameters
    ----------
    values : ShapleyValues
        Of the rows to show.
    target : class or None
        The class that values speak for or against; by default the second of two, else the first.
    """

    values: ShapleyValues
    target: Any = None
    figure_: Any = field(init=False, default=None)
    ax_: Any = field(init=False, default=None)

    def __post_init__(self) -> None:
        names = self.values.classes.tolist()
        self.target = self.target if self.target is not None else names[1] if len(names) == 2 else names[0]

    @classmethod
    def from_estimator(cls, model: Any, X: Any, background: Any = None, *, target: Any = None) -> Self:
        """By :func:`agnoboost.explain.shapley_values`."""
        return cls(shapley_values(model, X, background), target)

    def plot(self, ax: Any = None, *, row: int | None = None, most: int = 10) -> Self:
        """Draw one row if there is only one or its number is given, else all."""
        values, base = self.values.of(self.target)
        if row is None and len(values) > 1:
            return self._swarm(ax, values, most)
        return self._bars(ax, values[row or 0], base, row or 0, most)

    def _bars(self, ax: Any, values: Any, base: float, row: int, most: int) -> Self:
        order = np.argsort(-np.abs(values), kind="stable")
        kept, rest = order[:most], order[most:]
        names = [f"{short(self.values.columns[c])} = {short(shown(self.values.cells[c][row]), 16)}" for c in kept]
        sizes = values[kept]
        if len(rest):
            names.append(f"{len(rest)} other columns")
            sizes = np.append(sizes, values[rest].sum())
        self.figure_, self.ax_ = _one(ax, 7.0, 1.1 + 0.34 * len(names))
        places = np.arange(len(names))[::-1]
        self.ax_.barh(places, sizes, color=[BLUE if size >= 0 else ORANGE for size in sizes], height=0.62)
        reach = max(float(np.abs(sizes).max()), 1e-12)
        for place, size in zip(places, sizes, strict=True):
            side = "left" if size >= 0 else "right"
            self.ax_.text(
                size + np.copysign(0.02 * reach, size), place, f"{size:+.2f}", ha=side, va="center", fontsize=9
            )
        ends = [size + np.copysign(0.3 * reach, size) for size in sizes.tolist()]  # room for the numbers
        self.ax_.set_xlim(min(-0.02 * reach, *ends), max(0.02 * reach, *ends))
        self.ax_.set_yticks(places, names)
        self.ax_.axvline(0.0, color=GREY, linewidth=0.8)
        here, usual = expit(base + values.sum()), expit(base)
        name = short(self.target)
        against = " against all others" if len(self.values.classes) > 2 else ""
        self.ax_.set_title(f"{name}{against}: {here:.0%} here, {usual:.0%} for an average row", fontsize=10, loc="left")
        self.ax_.set_xlabel(f"speaks against {name}  ←  log-odds  →  speaks for {name}", fontsize=9, color=INK)
        return self

    def _swarm(self, ax: Any, values: Any, most: int) -> Self:
        order = np.argsort(-np.abs(values).mean(axis=0), kind="stable")[:most]
        self.figure_, self.ax_ = _one(ax, 7.4, 1.2 + 0.42 * len(order))
        places = np.arange(len(order))[::-1]
        reach = max(float(np.abs(values[:, order]).max()), 1e-12)
        for place, column in zip(places, order, strict=True):
            own = values[:, column]
            high = _relative(self.values.cells[column])
            known = ~np.isnan(high)
            y = place + _heights(own, reach)
            self.ax_.scatter(own[~known], y[~known], color=GREY, s=11, linewidths=0)
            dots = self.ax_.scatter(
                own[known], y[known], c=high[known], cmap="coolwarm", vmin=0, vmax=1, s=11, linewidths=0
            )
        bar = self.figure_.colorbar(dots, ax=self.ax_, ticks=[0, 1], aspect=30, fraction=0.04)
        bar.ax.set_yticklabels(["low", "high"], fontsize=9)
        bar.set_label("cell (grey: category or missing)", fontsize=9, color=INK)
        bar.outline.set_visible(False)
        self.ax_.set_yticks(places, [short(self.values.columns[column], 30) for column in order])
        self.ax_.set_ylim(-0.6, len(order) - 0.4)
        self.ax_.axvline(0.0, color=GREY, linewidth=0.8)
        name = short(self.target)
        self.ax_.set_xlabel(f"speaks against {name}  ←  log-odds  →  speaks for {name}", fontsize=9, color=INK)
        return self


def _one(ax: Any, width: float, height: float) -> tuple[Any, Any]:
    if ax is None:
        figure, (own,) = panels(1, width, height)
        return figure, own
    plain(ax)
    return ax.figure, ax


def _relative(cells: list[Any]) -> Any:
    """The rank of each number among the cells, from 0 to 1; NaN for all else."""
    numbers = np.array([float(c) if isinstance(c, (int, float)) and not isinstance(c, bool) else np.nan for c in cells])
    known = ~np.isnan(numbers)
    values, place = np.unique(numbers[known], return_inverse=True)
    numbers[known] = place / max(len(values) - 1, 1)
    return numbers


def _heights(values: Any, reach: float) -> Any:
    """Dots that would hide each other are put above and below the line, in turn."""
    cell = np.round(values / reach * SWARM_ROWS).astype(int)
    heights = np.zeros(len(values))
    for one in np.unique(cell):
        own = np.flatnonzero(cell == one)
        turn = (np.arange(len(own)) + 1) // 2 * np.where(np.arange(len(own)) % 2, 1, -1)
        heights[own] = turn * min(0.07, 0.76 / max(len(own), 1))
    return heights
