"""The page: summary, choices, rounds, shapes, calibration, confusion."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import confusion_matrix

from ..basics.atomic import write_text
from ..core.tape import is_sum
from ..estimators.table import TableClassifier
from ..evaluation.by_class import warnings_of
from ..evaluation.held_out import HeldOutPredictions
from . import figures
from .shapes import averages, influences, shapes

SHAPES_SHOWN = 9
ROWS_LOOKED_AT = 10_000  # at most twice as many, where columns are changed to see what follows

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1d2026; max-width: 60rem; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .4rem; }
p.lead { color: #555b66; margin-top: 0; }
figure { margin: .6rem 0; }
figcaption, .note { color: #555b66; font-size: .88rem; }
table { border-collapse: collapse; margin: .6rem 0; }
td { padding: .25rem .9rem .25rem 0; text-align: left; vertical-align: top; }
svg { max-width: 100%; height: auto; }
.big { font-size: 2rem; font-weight: 600; }
.bar { display: inline-block; height: .7rem; background: #2563a8; }
.row { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: flex-start; }
.row figure { flex: 1 1 24rem; }
"""


def write_report(
    path: Path, model: Any, X: Any, y: npt.NDArray[Any], judged: HeldOutPredictions | None, *, target: str, source: str
) -> None:
    """Write the page to ``path``; it needs no other file and no network."""
    blended = isinstance(model, TableClassifier)
    inside = [_members(model), _influences(model, X)] if blended else [_choice(model), _rounds(model), _steps(model, X)]
    sections = [
        _headline(judged, blended and model.n_unlabeled_ > 0),
        _data(model, X, y, target, source),
        *inside,
        _quality(judged),
    ]
    body = "\n".join(section for section in sections if section)
    title = f"{escape(target)} from {escape(source)}"
    page = (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>'
        f'<body><h1>Predicting {title}</h1><p class="lead">A model trained with agnoboost.</p>\n'
        f"{body}\n</body></html>\n"
    )
    write_text(path, page)


def _section(title: str, content: str) -> str:
    return f"<h2>{title}</h2>\n{content}"


def _figure(svg: str, caption: str) -> str:
    return f"<figure>{svg}<figcaption>{caption}</figcaption></figure>"


def _table(rows: list[tuple[str, str]]) -> str:
    cells = "".join(f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>" for name, value in rows)
    return f"<table>{cells}</table>"


def _headline(judged: HeldOutPredictions | None, not_compared: bool) -> str:
    if judged is None:
        return '<p class="note">No honest estimate: none was asked for, or some class has too few labels.</p>'
    share, low, high = judged.accuracy
    text = (
        f'<p><span class="big">{share:.1%}</span> of held-out labels predicted correctly '
        f"(about 95% interval {low:.1%} to {high:.1%}; {len(judged.y)} labeled rows, {judged.folds}-fold "
        "cross-validation with every choice made inside the folds).</p>"
        '<p class="note">Measured against the labels as they are: where some of them are wrong, right predictions '
        "count as errors, and the true figure is higher.</p>"
    )
    classes = judged.by_class
    text += f"<p>{'<br>'.join(escape(str(one)) for one in classes)}</p>"
    text += "".join(f'<p class="note">{escape(warning)}</p>' for warning in warnings_of(classes))
    if not_compared:
        text += '<p class="note">Unlabeled rows only place bins and ranks here: no comparison without them.</p>'
    if judged.without_unlabeled is None:
        return text
    alone, difference, half = judged.without_unlabeled
    clear = "a clear difference" if abs(difference) > half else "no clear difference"
    return text + (
        f"<p>The same model without the unlabeled rows: {alone:.1%} "
        f"(difference {100 * difference:+.1f} ± {100 * half:.1f} points: {clear}).</p>"
    )


def _data(model: Any, X: Any, y: npt.NDArray[Any], target: str, source: str) -> str:
    known = np.array([value is not None for value in y])
    counts = {str(name): int(np.sum(y[known] == name)) for name in model.classes_}
    gaps = int(np.sum(X.isna().to_numpy()))
    rows = [
        ("file, target", f"{source}, {target}"),
        ("labeled rows", f"{model.n_labeled_} (" + ", ".join(f"{name}: {n}" for name, n in counts.items()) + ")"),
        ("unlabeled rows", str(model.n_unlabeled_)),
        ("columns", f"{X.shape[1]}, of which categorical: {len(model._encoder.categories)}"),
        ("missing cells", f"{gaps} ({gaps / max(X.size, 1):.1%})"),
    ]
    return _section("The data", _table(rows))


def _members(model: TableClassifier) -> str:
    """What each member counts, for each class where there are several."""
    names = _class_names(model) if len(model.weights_) > 1 else ["weight"]
    cells = "".join(f"<td>{escape(name)}</td>" for name in names)
    rows = f"<tr><td></td>{cells}</tr>"
    for member in model.weights_[0]:
        bars = "".join(_bar(weights[member]) for weights in model.weights_)
        rows += f"<tr><td>{escape(member)}</td>{bars}</tr>"
    note = (
        "Shares of the members, by margins of rows that a member has not seen (out-of-bag, out-of-fold, leave-one-out)."
    )
    return _section("What the model is made of", f'<table>{rows}</table><p class="note">{note}</p>')


def _bar(weight: float) -> str:
    return f'<td><span class="bar" style="width:{6 * weight:.2f}rem"></span> {weight:.2f}</td>'


def _influences(model: TableClassifier, X: Any) -> str:
    """Which columns predictions depend on, and how, by changing them."""
    matrix = model._matrix(X.iloc[:: max(1, len(X) // ROWS_LOOKED_AT)])
    shares, names = influences(matrix, model._margins), model._matrix_names
    caption = "How far predictions move when the cells of a column are shuffled among the rows."
    content = _figure(figures.importance_figure(shares, names, "share of the moves"), caption)
    used = [int(i) for i in np.argsort(-shares, kind="stable")[:SHAPES_SHOWN] if shares[i] > 0]
    for found, name in zip(averages(model, matrix, used, model._margins, rows=50), _class_names(model), strict=False):
        caption = f"Average margin as the column varies: above zero speaks for <b>{escape(name)}</b>."
        content += _figure(figures.shape_figure(found, names), caption)
    return _section("What the model learned", content)


def _choice(model: Any) -> str:
    choice = model.history_.choice
    rows = [
        ("algorithm, weak learner", f"{model.algorithm}, {model.weak_learner}"),
        ("rounds", str(model.n_rounds_)),
        ("weight of unlabeled rows", f"{choice.unlabeled_weight:g}"),
        ("chosen by", choice.reason),
    ]
    content = _table(rows)
    if choice.losses:
        caption = "Held-out potential against rounds. Lower is better; the dashed line is the round that was chosen."
        content += _figure(figures.learning_curve(choice, choice.rounds), caption)
    return _section("What was chosen, and why", content)


def _rounds(model: Any) -> str:
    share = np.mean(np.concatenate([run["branch"] == "B" for run in model.history_.runs]))
    caption = (
        "Each round of the final run: how strongly the weak hypothesis correlates with what is left to explain, and "
        f"the potential. Ticks at the bottom mark case-B rounds, in which margins shrink ({share:.0%} of the rounds)."
    )
    return _section("The rounds", _figure(figures.rounds_figure(model.history_.runs, _class_names(model)), caption))


def _steps(model: Any, X: Any) -> str:
    importances, names = model._matrix_importances, model._matrix_names
    used = [int(i) for i in np.argsort(-importances, kind="stable")[:SHAPES_SHOWN] if importances[i] > 0]
    bars = figures.importance_figure(importances, names, "share of the steps")
    content = _figure(bars, "Columns that the steps rest on.")
    matrix = model._matrix(X)
    for tape, name in zip(model._tapes, _class_names(model), strict=True):
        found = shapes(model, matrix, used, tape)
        if not found:
            continue
        exact = "The model is a sum of these functions" if found[0].exact else "Average margin as the column varies"
        gaps = any(shape.missing is not None for shape in found)
        note = " (a dotted line is the value where the cell is empty)" if gaps else ""
        shrunk = (
            ". Case-B steps make the model more than a sum, so averages are shown" if not is_sum(tape.steps) else ""
        )
        caption = f"{exact}{note}: above zero speaks for <b>{escape(name)}</b>{shrunk}."
        content += _figure(figures.shape_figure(found, names), caption)
    return _section("What the model learned", content)


def _quality(judged: HeldOutPredictions | None) -> str:
    if judged is None:
        return ""
    names = [str(name) for name in sorted(set(judged.y.tolist()), key=lambda v: (str(type(v)), v))]
    matrix = confusion_matrix(judged.y.astype(str), judged.predicted.astype(str), labels=names)
    reliability = figures.reliability_figure(judged.probabilities.max(axis=1), judged.right)
    left = _figure(reliability, "Are probabilities to be trusted? Points on the line mean yes; bars are 95% intervals.")
    right = _figure(figures.confusion_figure(matrix, names), "Held-out rows by true and predicted class.")
    return _section("How good it is, on held-out labels", f'<div class="row">{left}{right}</div>')


def _class_names(model: Any) -> list[str]:
    names = [str(name) for name in model.classes_]
    return names[1:] if len(names) == 2 else names
