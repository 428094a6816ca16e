"""What to do next, from what was found; the most pressing first."""

from __future__ import annotations

import shlex
from math import ceil

from ..basics.intervals import NORMAL_95
from ..evaluation.goal import ACCURACY, BALANCED, COST
from ..evaluation.held_out import possible_folds
from ..labels import PositiveUnlabeled
from .case import Case
from .elements import WHOLE, percent, text
from .scores import gap, gap_by_chance

Step = tuple[str, str]  # what to do, and why; both are markup
WIDE, NARROW = 0.06, 0.05  # half widths of an interval: too wide, and what is aimed for
LEAK = 0.97  # one column alone is right so often: suspicious
POORLY_FOUND = 0.5
OFF = 0.1  # probabilities that are so far from what came true
FEWEST_ROWS = 100  # to speak of calibration
MANY_GAPS = 0.5


def next_steps(case: Case) -> list[Step]:
    """Advice on labels, threshold, columns; never empty."""
    if case.judged is None:
        why = "Without rows that the model has not seen, nobody can say how good it is."
        return [(_how_to_judge(case), why), *_columns(case)]
    found = [*_worth(case), *_machines(case), *_labels(case), *_threshold(case)]
    found += [*_probabilities(case), *_columns(case)]
    if not found:
        found = [("Use it", "It clearly beats the simple alternatives, and nothing in labels or columns stands out.")]
    command = f"agnoboost audit {shlex.quote(case.model_file)} new.csv --next 50"
    why = (
        "Label some new rows now and then, and judge it by them. Of a table of new rows, here new.csv, "
        f"<code>{text(command, WHOLE)}</code> draws them."
    )
    return [*found, ("Keep checking", why)]


def _how_to_judge(case: Case) -> str:
    """What is missing for an honest estimate."""
    counts = case.label_counts
    positives = isinstance(getattr(case.model, "label_model", None), PositiveUnlabeled)
    if positives or not set(counts) <= set(case.names):
        return "Evaluate it on rows with true labels"
    if not possible_folds(counts.values(), 2):
        return "Label at least two rows of every class"
    return "Ask for an honest estimate (folds of 2 or more)"


def _worth(case: Case) -> list[Step]:
    assert case.judged is not None
    found: list[Step] = []
    if not case.judged.knows_something:
        why = "Rows of a class do not get a higher probability of it than others. Add columns that have to do with it."
        found.append(("Do not use this model yet", why))
    best = case.best_alternative
    one_column = case.alternatives[1]
    if one_column.accuracy[0] >= LEAK and case.alternatives[0].accuracy[0] < LEAK - 0.05:
        why = f"Alone it is right in {percent(one_column.accuracy[0])} of the rows. Is it filled in only later?"
        found.append((f"Check whether {text(one_column.column, 30)} gives the answer away", why))
    theirs, ours = _told(case, best.figure[0]), _told(case, _ours(case)[0])
    if best.clearly_better:
        found.append((f"Prefer the simpler one: {best.name}", f"It {theirs}; this model {ours}."))
    elif not best.clearly_beaten:
        why = f"That one {theirs}, this model {ours}: too near to tell. Label more, or take the simpler one."
        found.append((f"Not shown to be better than {best.name}", why))
    return found + _more_rows(case)


def _ours(case: Case) -> tuple[float, float, float]:
    assert case.judged is not None
    return case.goal.figure(case.judged.y, case.judged.right)


def _told(case: Case, value: float) -> str:
    """A figure by what the model was asked for, after the name of who has it."""
    what = {
        ACCURACY: "is right in {} of the rows",
        BALANCED: "finds {} of each class on average",
        COST: "costs {} a row",
    }
    return what[case.goal.name].format(case.goal.said(value))


def _more_rows(case: Case) -> list[Step]:
    """As many as make the interval of the figure, or with costs of the share of right answers, narrow enough."""
    assert case.judged is not None
    by_class = case.goal.name == BALANCED
    share, low, high = _ours(case) if by_class else case.judged.accuracy
    half, rows = (high - low) / 2, len(case.judged.y)
    if half <= WIDE:
        return []
    enough = rows * (half / NARROW) ** 2 if by_class else max(share * (1 - share), 0.05) * (NORMAL_95 / NARROW) ** 2
    more = max(ceil(enough / 10) * 10 - rows, 10)
    what = "the balanced accuracy" if by_class else "the share of right answers"
    why = f"So that {what} is known to about {100 * NARROW:.0f} points; more labels also teach."
    return [(f"Label about {more:,} more rows", why)]


def _machines(case: Case) -> list[Step]:
    """Machines that know more than their columns say, which the model cannot learn from them."""
    worth = case.machines
    model = next((one for one in worth.gains if one.measure == case.goal.name), None) if worth else None
    if worth is None or model is None:
        return []
    found = []
    for one in worth.machines:
        figure = one.by_itself(case.goal, worth.classes)
        if figure is None or (figure[2] >= model.together if case.goal.is_cost else figure[1] <= model.together):
            continue
        name = text(one.name, WHOLE)
        why = (
            f"On rows with a checked label it {_told(case, figure[0])} by itself, the model "
            f"{_told(case, model.together)}: it knows what the other columns do not say. If new rows will have its "
            "answer, too, train with it as a column like others, and not as machine labels."
        )
        found.append((f"Use what {name} says of new rows", why))
    return found


def _labels(case: Case) -> list[Step]:
    found: list[Step] = []
    if case.suspects is not None and (many := case.suspects.to_check):
        low, high = case.suspects.interval
        below = '<a href="#suspects">The most suspicious are listed below</a>'
        if unknown := case.suspects.unknown_classes:
            names = " and ".join(f"“{text(name, 30)}”" for name in unknown)
            found.append((f"Label more of {names}", f"{text(case.suspects.advice, WHOLE)} {below}."))
        else:
            about = f"About {case.suspects.count:.0f} look wrong ({low:.0f} to {high:.0f})."
            why = f"{about} {below}: train again if some of them are wrong."
            found.append((f"Look at about {many} label{'s' if many > 1 else ''} again", why))
    if case.checks.contradictions:
        why = "Their cells are the same, their labels are not: one of them is wrong, or a column is missing."
        found.append((f"Settle {case.checks.contradictions} labels of equal rows", why))
    return found


def _threshold(case: Case) -> list[Step]:
    assert case.judged is not None
    poor = [one for one in case.judged.by_class if one.found < POORLY_FOUND]
    if not poor or not case.judged.knows_something:
        return []
    worst = min(poor, key=lambda one: one.found)
    why = f"Only {worst.found:.0%} of its rows are found. " if worst.found else "None of its rows is found. "
    if len(case.classes) == 2:
        why += '<a href="#threshold">Try thresholds below</a>, or train with costs (<code>tune_threshold</code>).'
    else:
        why += "Label more of it, or let all classes count the same (<code>class_weight</code>)."
    return [(f"Decide how much a missed “{text(worst.name, 30)}” costs", why)]


def _probabilities(case: Case) -> list[Step]:
    assert case.judged is not None
    off = gap(case.calibration)
    usual, most = gap_by_chance(case.calibration)
    if off <= max(OFF, most) or len(case.judged.y) < FEWEST_ROWS:
        return []
    why = (
        f"They are off by {100 * off:.0f} points on average. If all were true, chance alone would show "
        f"{100 * usual:.0f} with so many rows, and in 39 of 40 cases at most {100 * most:.0f}."
    )
    return [("Do not take probabilities at face value", why)]


def _columns(case: Case) -> list[Step]:
    found: list[Step] = []
    looked = case.checks
    empty = [name for name, share in looked.missing if share > MANY_GAPS]
    useless = [name for name in looked.constant if name not in case.not_used]
    if useless:
        found.append((f"Leave out columns that cannot help: {_listed(useless)}", "They say the same in every row."))
    if empty:
        found.append((f"Fill, or leave out, what is mostly empty: {_listed(empty)}", "Most of their cells are empty."))
    if looked.copies > 0.01 * len(case.y):
        why = "A copy of a row that the model has seen is easy to get right: the estimate may be too good."
        found.append((f"Remove {looked.copies} rows that occur more than once", why))
    return found


def _listed(names: list[str], most: int = 4) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(text(name, 30) for name in names[:most]) + more
