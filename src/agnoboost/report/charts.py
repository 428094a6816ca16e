"""Pictures as SVG, coloured by the page's style sheet, so that they follow its light and dark colours.

Panels are drawn at the width of a phone and grow with the page: texts stay readable at every size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log10
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.typing import Floats, Ints
from ..evaluation.goal import Goal
from .date_scale import date_ticks
from .elements import text

BESIDE, LONGEST_NAME = 14, 46  # letters of names that stand beside bars, and at most
MOST_POINTS = 160  # of a line: more cannot be seen
COLOURS = ("c1", "c2 second", "c3 third", "c4", "c5 second", "c6 third")  # told apart without colours, too


def ticks(low: float, high: float, about: int = 4) -> list[float]:
    """Round numbers between two others.

    >>> ticks(0, 1), ticks(-3, 12)
    ([0.0, 0.25, 0.5, 0.75, 1.0], [-2.5, 0.0, 2.5, 5.0, 7.5, 10.0])
    """
    rough = max(high - low, 1e-300) / about
    power = 10.0 ** floor(log10(rough))
    step = min((one * power for one in (1, 2, 2.5, 5, 10)), key=lambda one: abs(one - rough))
    return [number * step for number in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def shares_of(values: Sequence[float]) -> list[str]:
    """Shares with as many digits as the finest of them needs: a step of 2.5% must not look uneven.

    >>> shares_of([0.05, 0.075, 0.1]), shares_of([0.0, 0.5])
    (['5.0%', '7.5%', '10.0%'], ['0%', '50%'])
    """
    digits = next((n for n in range(6) if all(abs(round(100 * v, n) - 100 * v) < 1e-7 for v in values)), 6)
    return [f"{value:.{digits}%}" for value in values]


def number(value: float) -> str:
    """
    >>> number(1234567.0), number(0.25), number(-3.0), number(1.5e-7)
    ('1.23M', '0.25', '-3', '1.5e-07')
    """
    for size, sign in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            return f"{value / (1e3 if sign == 'k' else size):.3g}{sign}"
    return f"{value + 0.0:.3g}" if abs(value) < 1000 else f"{value:.0f}"


@dataclass
class Panel:
    """One chart: a frame with two scales, and what is drawn inside it, in order."""

    alt: str
    x: tuple[float, float] = (0.0, 1.0)
    y: tuple[float, float] = (0.0, 1.0)
    x_label: str = ""
    y_label: str = ""
    width: int = 360
    height: int = 270
    shares: str = ""  # scales that show percent: "x", "y" or "xy"
    dates: bool = False  # whether x are dates, in microseconds since 1970
    marks: str = ""  # by which the script finds the words below the frame, if it writes them
    parts: list[str] = field(default_factory=list)

    @property
    def frame(self) -> dict[str, int]:
        """The room for what is drawn."""
        return {
            "left": 46,
            "right": self.width - 10,
            "top": 24 if self.y_label else 8,
            "bottom": self.height - (40 if self.x_label else 22),
        }

    def across(self, x: float) -> float:
        low, high, place = *self.x, self.frame
        return place["left"] + (x - low) / ((high - low) or 1.0) * (place["right"] - place["left"])

    def down(self, y: float) -> float:
        low, high, place = *self.y, self.frame
        return place["bottom"] - (y - low) / ((high - low) or 1.0) * (place["bottom"] - place["top"])

    def line(self, x: Any, y: Any, style: str = "line c1", tip: str = "", steps: bool = False, name: str = "") -> None:
        """A line through points; ``steps`` keeps each height until the next point."""
        keep: Ints = np.unique(np.linspace(0, max(len(x) - 1, 0), min(len(x), MOST_POINTS)).round().astype(int))
        points = [(self.across(float(x[i])), self.down(float(y[i]))) for i in keep]
        path = "".join(
            f"{'M' if not i else f'H{a:.1f}L' if steps else 'L'}{a:.1f} {b:.1f}" for i, (a, b) in enumerate(points)
        )
        named = f' id="{name}"' if name else ""
        self.parts.append(f'<path{named} class="{style}" d="{path}">{_tip(tip)}</path>')

    def level(self, y: float, tip: str = "") -> None:
        """A dashed line from side to side."""
        self.line(self.x, (y, y), "chance", tip)

    def dot(self, x: float, y: float, tip: str, low: float | None = None, high: float | None = None) -> None:
        """A point, with its interval if there is one."""
        a = self.across(x)
        bar = "" if low is None or high is None else f"M{a:.1f} {self.down(low):.1f}V{self.down(high):.1f}"
        self.parts.append(
            f'<g>{_tip(tip)}<path class="line c1" d="{bar}"/>'
            f'<circle class="f1" cx="{a:.1f}" cy="{self.down(y):.1f}" r="4"/></g>'
        )

    def mark(self, name: str, style: str = "mark") -> None:
        """An upright line that the script moves."""
        top, bottom = self.frame["top"], self.frame["bottom"]
        self.parts.append(f'<path id="{name}" class="{style}" d="M0 {top}V{bottom}"/>')

    def _x_ticks(self) -> Iterable[tuple[float, str]]:
        if self.dates:
            return date_ticks(*self.x).items()
        marks = ticks(*self.x)
        return zip(marks, shares_of(marks) if "x" in self.shares else map(number, marks), strict=True)

    def svg(self) -> str:
        place, lines = self.frame, []
        marks = ticks(*self.y)
        for y, words in zip(marks, shares_of(marks) if "y" in self.shares else map(number, marks), strict=True):
            at = self.down(y)
            lines.append(f'<path class="rule" d="M{place["left"]} {at:.1f}H{place["right"]}"/>')
            lines.append(f'<text x="{place["left"] - 6}" y="{at + 4:.1f}" text-anchor="end">{words}</text>')
        below = "".join(
            f'<text x="{self.across(x):.1f}" y="{place["bottom"] + 16}" text-anchor="middle">{words}</text>'
            for x, words in self._x_ticks()
        )
        lines.append(f'<g id="{self.marks}">{below}</g>' if self.marks else below)
        base = f'<path class="frame" d="M{place["left"]} {place["bottom"]}H{place["right"]}"/>'
        middle = (place["left"] + place["right"]) / 2
        names = f'<text x="{middle:.0f}" y="{self.height - 6}" text-anchor="middle">{self.x_label}</text>'
        names += f'<text x="2" y="12">{self.y_label}</text>' if self.y_label else ""
        return _svg(self.width, self.height, self.alt, "".join([*lines, base, names, *self.parts]))


def matrix(counts: npt.NDArray[Any], names: Sequence[str], alt: str, across: str = "predicted") -> str:
    """True classes against predicted ones: a row for each true class, darker for a larger share of it.

    ``across`` says whose classes stand across.
    """
    size, few = len(names), len(names) <= 8
    side = 300 / size
    left = 8 + min(92, 7 * max(len(name) for name in names)) if few else 30
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    parts, small = (
        [f'<text x="{left + 150}" y="12" text-anchor="middle">{text(across, 40)}</text>'],
        "" if few else ' class="small"',
    )
    for i, name in enumerate(names):
        words = text(name, 13) if few else str(i + 1)
        middle = (i + 0.5) * side
        parts.append(f'<text{small} x="{left - 6}" y="{42 + middle:.1f}" text-anchor="end">{words}</text>')
        words = text(name, max(3, int(side / 7))) if few else str(i + 1)
        parts.append(f'<text{small} x="{left + middle:.1f}" y="31" text-anchor="middle">{words}</text>')
        for j, other in enumerate(names):
            share, count = float(shares[i, j]), int(counts[i, j])
            tip = f"{count} rows of {name} were taken for {other} ({share:.0%})"
            x, y = left + j * side, 38 + i * side
            parts.append(
                f'<g>{_tip(tip)}<rect class="on" x="{x:.1f}" y="{y:.1f}" width="{side:.1f}" height="{side:.1f}"/>'
                f'<rect class="{"f1" if i == j else "f2"}" opacity="{0.08 + 0.55 * share if count else 0.03:.2f}" '
                f'x="{x + 1:.1f}" y="{y + 1:.1f}" width="{side - 2:.1f}" height="{side - 2:.1f}" rx="3"/>'
            )
            if few:
                parts.append(
                    f'<text class="strong" x="{x + side / 2:.1f}" y="{y + side / 2 + 4:.1f}" '
                    f'text-anchor="middle">{count}</text>'
                )
            parts.append("</g>")
    return _svg(left + 304, 342, alt, "".join(parts))


Interval = tuple[str, float, float, float]  # a name, a figure, and where its interval begins and ends; NaN for none


def _scale(goal: Goal, rows: Sequence[Interval]) -> tuple[float, float]:
    """From a round share below all intervals to 100%; of costs from 0 to the highest."""
    ends = [end for row in rows for end in row[1:] if end == end]
    if goal.is_cost:
        return 0.0, max(ends) or 1.0
    return float(max(0.0, np.floor(10 * min(ends)) / 10)), 1.0


def intervals(rows: Sequence[Interval], alt: str, goal: Goal) -> str:
    """Figures by a goal with their intervals, one below the other; the first one is ours."""
    left, right, height, (low, high), said = 12, 348, 46, _scale(goal, rows), goal.said
    bottom = height * len(rows) + 6

    def across(value: float) -> float:
        return left + (value - low) / (high - low) * (right - left)

    parts, marks = [], ticks(low, high)
    for value, words in zip(marks, map(number, marks) if goal.is_cost else shares_of(marks), strict=True):
        at = across(value)
        parts.append(f'<path class="rule" d="M{at:.1f} 4V{bottom}"/>')
        parts.append(f'<text x="{at:.1f}" y="{bottom + 15}" text-anchor="middle">{words}</text>')
    for place, (name, value, least, most) in enumerate(rows):
        y, style = height * place + 32, ("c1", "f1") if not place else ("c0", "f0")
        strong, known = ' class="strong"' if not place else "", least == least
        tip = f"{name}: {said(value)}" + (f", 95% interval {said(least)} to {said(most)}" if known else "")
        bar = f'<path class="line {style[0]}" d="M{across(least):.1f} {y}H{across(most):.1f}"/>' if known else ""
        parts.append(
            f'<g>{_tip(tip)}<text{strong} x="{left}" y="{y - 14}">{text(name, 46)}</text>'
            f'<text{strong} x="{right}" y="{y - 14}" text-anchor="end">{said(value)}</text>'
            f'{bar}<circle class="{style[1]}" cx="{across(value):.1f}" cy="{y}" r="5"/></g>'
        )
    return _svg(360, bottom + 22, alt, "".join(parts))


def sideways(names: Sequence[str], values: Floats, limits: tuple[float, float], base: float, alt: str) -> str:
    """Bars to both sides of a level, one for each name."""
    low, high = limits
    above = max(map(len, names), default=0) > BESIDE  # long names have a line of their own
    rows, left, right = (38, 6, 250) if above else (24, 100, 250)

    def across(value: float) -> float:
        return left + (value - low) / ((high - low) or 1.0) * (right - left)

    ends = [rows * (place + 1) for place in range(len(names))]
    parts = [f'<path class="chance" d="{"".join(f"M{across(base):.1f} {end - 24}V{end}" for end in ends)}"/>']
    for place, (name, short, value) in enumerate(zip(names, distinct(names, LONGEST_NAME), values, strict=True)):
        a, b = sorted((across(base), across(float(value))))
        y, tip = ends[place] - 24, _tip(f"{name}: {value:.1%}")
        at = f'x="{left}" y="{y}"' if above else f'x="{left - 6}" y="{y + 16}" text-anchor="end"'
        parts.append(
            f"<g>{tip}<text {at}>{text(short)}</text>"
            f'<rect class="f1" x="{a:.1f}" y="{y + 4}" width="{max(b - a, 1.0):.1f}" height="16" rx="2"/>'
            f'<text x="{right + 6}" y="{y + 16}">{value:.1%}</text></g>'
        )
    return _svg(300, rows * len(names) + 2, alt, "".join(parts))


def distinct(names: Sequence[str], most: int) -> list[str]:
    """Names cut to a length at their ends, or if that makes some the same in the middle, or if need be numbered.

    >>> distinct(["invoice open", "invoice late", "fee"], 9), distinct(["abcdxfgh", "abcdyfgh"], 5)
    (['invo…open', 'invo…late', 'fee'], ['1. a…', '2. a…'])
    """
    ways: list[Callable[[str], str]] = [
        lambda name: name[: most - 1] + "…",
        lambda name: name[: most // 2] + "…" + name[most // 2 + 1 - most :],
    ]
    for way in ways:
        cut = [name if len(name) <= most else way(name) for name in names]
        if len(set(cut)) == len(set(names)):
            return cut
    return [f"{place}. {name[: most - 4]}…" for place, name in enumerate(names, start=1)]


def _svg(width: float, height: float, alt: str, content: str) -> str:
    said = text(alt, 400)
    return f'<svg class="panel" role="img" aria-label="{said}" viewBox="0 0 {width:g} {height:g}">{content}</svg>'


def _tip(words: str) -> str:
    return f"<title>{text(words, 200)}</title>" if words else ""
