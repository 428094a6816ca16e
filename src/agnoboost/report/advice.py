"""What to do next, from what was found; the most pressing first."""

from __future__ import annotations

from math import ceil

from ..basics.intervals import NORMAL_95
from ..evaluation.held_out import possible_folds
from ..labels import PositiveUnlabeled
from .case import Case
from .elements import percent, text
from .scores import gap

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
    found = [*_worth(case), *_labels(case), *_threshold(case), *_probabilities(case), *_columns(case)]
    if not found:
        found = [("Use it", "It clearly beats the simple alternatives, and nothing in labels or columns stands out.")]
    why = "Label some new rows now and then, and judge it by them: <code>agnoboost audit --next 50</code> draws them."
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
    share, low, high = case.judged.accuracy
    found: list[Step] = []
    if not case.judged.knows_something:
        why = "Rows of a class do not get a higher probability of it than others. Add columns that have to do with it."
        found.append(("Do not use this model yet", why))
    best = max(case.alternatives, key=lambda one: one.accuracy[0])
    one_column = case.alternatives[1]
    if one_column.accuracy[0] >= LEAK and case.alternatives[0].accuracy[0] < LEAK - 0.05:
        why = f"Alone it is right in {percent(one_column.accuracy[0])} of the rows. Is it filled in only later?"
        found.append((f"Check whether {text(one_column.column, 30)} gives the answer away", why))
    if best.clearly_better:
        why = f"It is right in {percent(best.accuracy[0])} of the rows, this model in {percent(share)}."
        found.append((f"Prefer the simpler one: {best.name}", why))
    elif not best.clearly_beaten:
        why = f"That is right in {percent(best.accuracy[0])} of the rows: too near to tell. Label more, or take it."
        found.append((f"Not shown to be better than {best.name}", why))
    if (high - low) / 2 > WIDE:
        enough = ceil(max(share * (1 - share), 0.05) * (NORMAL_95 / NARROW) ** 2 / 10) * 10
        more = max(enough - len(case.judged.y), 10)
        why = f"So that the share of right answers is known to about {100 * NARROW:.0f} points; more labels also teach."
        found.append((f"Label about {more} more rows", why))
    return found


def _labels(case: Case) -> list[Step]:
    found: list[Step] = []
    if case.suspects is not None and (many := case.suspects.to_check):
        low, high = case.suspects.interval
        why = (
            f"About {case.suspects.count:.0f} look wrong ({low:.0f} to {high:.0f}). "
            '<a href="#suspects">The most suspicious are listed below</a>; correct them and train again.'
        )
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
    why = f"Only {worst.found:.0%} of its rows are found. "
    if len(case.classes) == 2:
        why += '<a href="#threshold">Try thresholds below</a>, or train with costs (<code>tune_threshold</code>).'
    else:
        why += "Label more of it, or let all classes count the same (<code>class_weight</code>)."
    return [(f"Decide how much a missed “{text(worst.name, 30)}” costs", why)]


def _probabilities(case: Case) -> list[Step]:
    assert case.judged is not None
    off = gap(case.calibration)
    if off <= OFF or len(case.judged.y) < FEWEST_ROWS:
        return []
    return [("Do not take probabilities at face value", f"They are off by {100 * off:.0f} points on average.")]


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
