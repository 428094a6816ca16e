"""First things first: how good, how sure, against what, and what to do next."""

from __future__ import annotations

import numpy as np

from ...estimators.threshold import written
from ...evaluation.goal import ACCURACY, BALANCED, COST
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
    goal, found = case.goal, case.goal.figure(case.judged.y, case.judged.right)
    rows = [("this model", *found), *((one.name, *one.figure) for one in case.alternatives)]
    said = "; ".join(f"{name}: {goal.said(one)}" for name, one, *_ in rows)
    what = {ACCURACY: "Share of right answers", BALANCED: "Balanced accuracy", COST: "Mean cost of a row"}[goal.name]
    picture = charts.intervals(rows, f"{what} with 95% intervals. {said}.", goal)
    caption = (
        f"{what} on the same rows, each judged by models that had not seen them; simple ones were asked for the same. "
        "Bars are 95% intervals."
    )
    big = f'<p class="big">{goal.said(found[0])}</p>'
    return card("How good it is", big, _never(case), _pill(case), _in_words(case, *found), figure(picture, caption))


def _in_words(case: Case, value: float, low: float, high: float) -> str:
    """The figure that was asked for, with accuracy beside it if it is another one."""
    assert case.judged is not None
    goal, rows = case.goal, f"{len(case.judged.y):,} labeled rows"
    interval = f"between <b>{goal.said(low)}</b> and <b>{goal.said(high)}</b> (95% interval, {rows})"
    if goal.name == ACCURACY:
        right = "nearly all" if value >= 0.995 else f"about {round(100 * value)} of 100"
        return f"<p>Right in {right} cases that it had not seen before: {interval}.</p>"
    share, least, most = case.judged.accuracy
    told = f"<p>Right in {percent(share)} of all rows (accuracy; {percent(least)} to {percent(most)})"
    if goal.is_cost:
        first = "Mean cost of a row that it had not seen before, by the costs that its threshold was placed by"
        return f"<p>{first}: {interval}. Less is better.</p>{told}: not what was asked for.</p>"
    by = "class weights" if not case.model.tune_threshold else "threshold"
    first = f"Balanced accuracy, for which its {by} {'was' if by == 'threshold' else 'were'} chosen: the share that it"
    return (
        f"<p>{first} finds of each class, on average, in cases that it had not seen before: {interval}.</p>"
        f"{told}. Whoever wants rare classes found pays with errors on frequent ones.</p>"
    )


def _never(case: Case) -> str:
    """Classes that nobody is taken for: no figure of all rows shows them."""
    assert case.judged is not None
    names = [f"“{text(one.name, 30)}” ({one.rows:,} rows)" for one in case.judged.by_class if one.right is None]
    return f'<p class="pill warn">Never predicted: {", ".join(names)}</p>' if names else ""


def _pill(case: Case) -> str:
    assert case.judged is not None
    if not case.judged.knows_something:
        return f'<p class="pill warn">{text(no_help(case.judged.y), WHOLE)}</p>'
    best, goal = case.best_alternative, case.goal
    points = goal.said_difference(-best.gain if goal.is_cost else best.gain, best.half)
    points += "" if goal.name != BALANCED else " of balanced accuracy"
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
        made = [fact(f"{area:.3f}", words)]
        if case.goal.name != BALANCED:
            made.append(fact(f"{found:.1%}", "of each class are found, on average (balanced accuracy)"))
        if case.goal.name != ACCURACY:
            made.append(fact(percent(case.judged.accuracy[0]), "of all rows are right (accuracy)"))
    labels = fact(f"{case.model.n_labeled_:,}", f"labeled rows, {len(case.names)} classes")
    unlabeled = fact(f"{case.without_label:,}", "rows without label")
    threshold = getattr(case.model, "threshold_", None)
    if threshold is not None:
        made.append(
            fact(written(threshold), f"threshold: from this probability on “{text(case.names[1], 30)}” is said")
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
