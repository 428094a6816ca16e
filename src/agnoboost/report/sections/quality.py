"""How good the model is, in detail, on rows that it has not seen."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.metrics import confusion_matrix

from ...basics.intervals import binomial_interval
from ...basics.typing import Floats
from .. import charts
from ..case import Case
from ..elements import card, figure, folded, grid, meter, note, percent, table, text
from ..scores import OneClass, gap, gap_by_chance, zoomed
from .threshold import threshold

MOST_CURVES = 6
PAIRS = 8  # of classes that are taken for each other
Curve = Callable[[OneClass], tuple[Floats, Floats]]


def quality(case: Case) -> str:
    if case.judged is None:
        return card("", note("There are no rows to judge by. See what to do next, above."))
    pictures = grid(_roc(case), _precision_recall(case), _calibration(case), _confusion(case))
    return pictures + threshold(case) + grid(_by_class(case), kind="stack")


def _curves(case: Case, panel: charts.Panel, curve: Curve, figures: list[float]) -> list[tuple[str, str]]:
    """A line for each class, or the three worst among many; says what lines mean."""
    if len(case.classes) == 2:
        panel.line(*curve(case.focus), tip=case.focus.name)
        return []
    worst = sorted(range(len(figures)), key=lambda i: figures[i])
    shown = range(len(figures)) if len(figures) <= MOST_CURVES else worst[:3]
    legend = []
    for place in [*(i for i in worst if i not in shown), *shown]:
        one, colour = case.classes[place], None
        if place in shown:
            colour = charts.COLOURS[list(shown).index(place)]
            legend.append((colour, f"{text(one.name, 24)} ({figures[place]:.3f})"))
        panel.line(*curve(one), style=f"line {colour}" if colour else "faint", tip=f"{one.name}: {figures[place]:.3f}")
    return legend if len(figures) <= MOST_CURVES else [*legend, ("c0", "all others")]


def _roc(case: Case) -> str:
    areas = [one.area[0] for one in case.classes]
    two = len(areas) == 2
    said = f"{areas[0]:.3f}" if two else f"{np.mean(areas):.3f} on average"
    panel = charts.Panel(f"ROC curve; area {said}.", x_label="false alarms", y_label="found", shares="xy")
    panel.line((0, 1), (0, 1), "chance", "a coin")
    legend = _curves(case, panel, lambda one: one.roc, areas)
    whom = f"“{text(case.focus.name, 30)}” is searched for." if two else "Each class against the rest, worst in front."
    caption = f"Area {said}; 1 is perfect, the dashed line (0.5) is a coin. {whom}"
    return card("How well it ranks (ROC)", figure(panel.svg(), caption, legend))


def _precision_recall(case: Case) -> str:
    assert case.judged is not None
    found = [one.ranking for one in case.judged.by_class]
    own = found[case.classes.index(case.focus)]
    two = len(found) == 2
    said = f"{own:.3f}" if two else f"{np.mean(found):.3f} on average"
    panel = charts.Panel(f"Precision against recall; area {said}.", x_label="found", y_label="right", shares="xy")
    if two:
        panel.level(float(case.focus.own.mean()), "a coin")
    legend = _curves(case, panel, lambda one: one.precision_recall, found)
    name = text(case.focus.name, 30)
    whom = f"Of rows taken for “{name}”: how many are right, against how many are found. " if two else ""
    coin = f"; a coin gets {case.focus.own.mean():.3f}" if two else ""
    caption = f"{whom}Average precision {said}{coin}. What counts where a class is rare."
    return card("Precision and recall", figure(panel.svg(), caption, legend))


def _calibration(case: Case) -> str:
    two = len(case.classes) == 2
    said = "; ".join(f"{one.probability:.0%} came true in {one.right / one.rows:.0%}" for one in case.calibration)
    bars = [binomial_interval(one.right, one.rows, 0.95) for one in case.calibration]
    x, y = zoomed(np.array([one.probability for one in case.calibration])), zoomed(np.array(bars))
    panel = charts.Panel(f"Calibration: {said}.", x, y, "said", "came true", shares="xy")
    ends = max(x[0], y[0]), min(x[1], y[1])
    panel.line(ends, ends, "chance", "perfectly calibrated")
    for one, (low, high) in zip(case.calibration, bars, strict=True):
        tip = f"{one.rows} rows: said {one.probability:.0%}, came true {one.right / one.rows:.0%}"
        panel.dot(one.probability, one.right / one.rows, tip, low, high)
    whom = f"probability of “{text(case.focus.name, 30)}”" if two else "probability of the predicted class"
    usual, most = gap_by_chance(case.calibration)
    caption = (
        f"The {whom} against how often it came true: on the line is right. Bars are 95% intervals. Off by "
        f"{percent(gap(case.calibration))} on average; if all were true, chance would show {percent(usual)}, and in 39 "
        f"of 40 cases at most {percent(most)}."
    )
    if (x, y) != 2 * ((0.0, 1.0),):
        caption += f" The scales show {x[0]:.3g} to {x[1]:.3g} of what was said, {y[0]:.3g} to {y[1]:.3g} of what came."
    return card("Can probabilities be trusted?", figure(panel.svg(), caption))


def _confusion(case: Case) -> str:
    assert case.judged is not None
    names = [one.name for one in case.classes]
    counts = confusion_matrix(case.judged.y.astype(str), case.judged.predicted.astype(str), labels=names)
    right = int(np.trace(counts))
    picture = charts.matrix(counts, names, f"Confusion: {right} of {counts.sum()} rows on the diagonal are right.")
    numbered = "" if len(names) <= 8 else " Numbers stand for classes, as in the table below."
    caption = (
        f"Rows by their true class (down) and the predicted one (across); blue is right, orange is wrong.{numbered}"
    )
    return card("What is taken for what", figure(picture, caption), _pairs(counts, names))


def _pairs(counts: Floats, names: list[str]) -> str:
    """The most frequent mistakes, where there are too many classes for a glance."""
    if len(names) <= 8:
        return ""
    wrong = np.array(counts)
    np.fill_diagonal(wrong, 0)
    order = [divmod(int(i), len(names)) for i in np.argsort(-wrong, axis=None, kind="stable")[:PAIRS]]
    rows = [[text(names[i], 24), text(names[j], 24), str(wrong[i, j])] for i, j in order if wrong[i, j]]
    return folded("The most frequent mistakes", table(["true", "predicted", "rows"], rows, [2]))


def _by_class(case: Case) -> str:
    assert case.judged is not None
    rows = []
    for place, (one, curve) in enumerate(zip(case.judged.by_class, case.classes, strict=True)):
        area, half = curve.area
        right = "never predicted" if one.right is None else percent(one.right)
        name = text(one.name, 40)
        rows.append(
            [
                f"{place + 1}. {name}" if len(case.classes) > 8 else name,
                f"{one.rows:,}",
                meter(one.found),
                percent(one.found),
                right,
                f"{one.ranking:.3f}",
                f"{area:.3f} ± {half:.3f}",
            ]
        )
    header = ["class", "rows", "", "found (recall)", "right (precision)", "average precision", "ROC area"]
    return card("Class by class", table(header, rows, [1, 3, 4, 5, 6], wide=True))
