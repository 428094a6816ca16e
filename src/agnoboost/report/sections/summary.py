"""First things first: how good, how sure, against what, and what to do next."""

from __future__ import annotations

import numpy as np

from ...evaluation.ranking import no_help
from .. import charts
from ..advice import next_steps
from ..case import Case
from ..elements import WHOLE, card, fact, figure, grid, note, percent, text


def summary(case: Case) -> str:
    steps = "".join(f"<li><b>{what}</b>{why}</li>" for what, why in next_steps(case))
    todo = card("What to do next", f'<ol class="next">{steps}</ol>')
    return grid(_verdict(case), todo) + _facts(case)


def _verdict(case: Case) -> str:
    if case.judged is None:
        return card(
            "How good it is",
            '<p class="pill warn">No honest estimate</p>',
            "<p>None was asked for, some class has too few labels, or these labels cannot judge a model. "
            "The model may be good; there is no evidence here.</p>",
        )
    share, low, high = case.judged.accuracy
    rows = [("this model", share, low, high), *((one.name, *one.accuracy) for one in case.alternatives)]
    start = max(0.0, np.floor(10 * min(row[2] for row in rows)) / 10)
    said = "; ".join(f"{name}: {one:.1%}" for name, one, *_ in rows)
    picture = charts.intervals(rows, float(start), f"Share of right answers with 95% intervals. {said}.")
    right = "nearly all" if share >= 0.995 else f"about {round(100 * share)} of 100"
    words = (
        f"<p>Right in {right} cases that it had not seen before: between <b>{percent(low)}</b> and "
        f"<b>{percent(high)}</b> (95% interval, {len(case.judged.y):,} labeled rows).</p>"
    )
    caption = "On the same rows, each judged by models that had not seen them. Bars are 95% intervals."
    return card("How good it is", f'<p class="big">{share:.1%}</p>', _pill(case), words, figure(picture, caption))


def _pill(case: Case) -> str:
    assert case.judged is not None
    if not case.judged.knows_something:
        return f'<p class="pill warn">{text(no_help(case.judged.y), WHOLE)}</p>'
    best = max(case.alternatives, key=lambda one: one.accuracy[0])
    points = f"{100 * best.gain:+.1f} ± {100 * best.half:.1f} points"
    if best.clearly_beaten:
        return f'<p class="pill good">Better than {best.name} ({points})</p>'
    if best.clearly_better:
        return f'<p class="pill warn">Worse than {best.name} ({points})</p>'
    return f'<p class="pill warn">Not clearly better than {best.name} ({points})</p>'


def _facts(case: Case) -> str:
    made = []
    if case.judged is not None:
        areas = [one.area for one in case.classes]
        if len(areas) == 2:
            (area, half), words = areas[0], "ROC area: how often a random pair is ranked right"
            words += f" (± {half:.3f})"
        else:
            area, words = float(np.mean([one for one, _ in areas])), "ROC area, mean of the classes"
        found = float(np.mean([one.found for one in case.judged.by_class]))
        made = [
            fact(f"{area:.3f}", words),
            fact(f"{found:.1%}", "of each class are found, on average (balanced accuracy)"),
        ]
    labels = fact(f"{case.model.n_labeled_:,}", f"labeled rows, {len(case.names)} classes")
    unlabeled = fact(f"{case.without_label:,}", "rows without label")
    threshold = getattr(case.model, "_threshold", None)
    if threshold is not None:
        made.append(
            fact(f"{threshold:.3f}", f"threshold: from this probability on “{text(case.names[1], 30)}” is said")
        )
    made += [labels, unlabeled, fact(f"{case.X.shape[1]:,}", "columns")]
    return grid(*made, kind="facts") + _unlabeled(case)


def _unlabeled(case: Case) -> str:
    """What rows without labels were good for, where that was measured."""
    if case.judged is None:
        return ""
    told = "Measured against the labels as they are: where some are wrong, right answers count as errors."
    if case.judged.without_unlabeled is None:
        return note(told)
    alone, difference, half = case.judged.without_unlabeled
    clear = "a clear difference" if abs(difference) > half else "no clear difference"
    points = f"{100 * difference:+.1f} ± {100 * half:.1f} points: {text(clear)}"
    return note(f"{told} The same model without the unlabeled rows: {percent(alone)} (difference {points}).")
