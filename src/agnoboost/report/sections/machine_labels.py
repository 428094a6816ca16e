"""What machine labels were worth: to the model, and each machine by itself."""

from __future__ import annotations

import numpy as np

from ...basics.intervals import binomial_interval
from ...evaluation.goal import ACCURACY, BALANCED, COST, Goal
from ...evaluation.machine_worth import BETTER, LEFT_OUT, WORSE, MachineRecord, MachineWorth, few_rows
from .. import charts
from ..case import Case
from ..elements import WHOLE, card, figure, grid, meter, note, percent, table, text

TITLES = {
    ACCURACY: "How often each is right",
    BALANCED: "How well each finds every class (balanced accuracy)",
    COST: "What the mistakes of each cost a row",
}


def machine_labels(case: Case) -> str:
    found = case.machines
    assert found is not None
    first = grid(_figures(found, case.goal), _gains(found, _threshold(case)))
    return first + "".join(_machine(case, one) for one in found.machines)


def _threshold(case: Case) -> str:
    """Which one the answers go by, where there is one to choose."""
    if case.model.tune_threshold:
        return " Each answers by its own tuned threshold, placed without the row that it is judged by."
    return " Each names the likelier class, from a probability of 0.5 on." if len(case.names) == 2 else ""


def _figures(found: MachineWorth, goal: Goal) -> str:
    """The picture: the model with and without machines, and the machines themselves, by what was asked for."""
    title = TITLES[goal.name]
    machines = [(one.name, one.by_itself(goal, found.classes)) for one in found.machines]
    rows = [*_of_models(found, goal), *((f"{name}, by itself", *figure) for name, figure in machines if figure)]
    if not rows:
        return card(title, note("No row has both kinds of labels."))
    said = "; ".join(f"{name}: {goal.said(value)}" for name, value, *_ in rows)
    picture = charts.intervals(rows, f"{title}. {said}.", goal)
    bars = "Bars are 95% intervals" + ("." if goal.name == ACCURACY else "; of the models only the difference has one.")
    caption = (
        "On rows with a checked label, the models by parts that had not seen it; a machine on those that it has "
        f"labeled. {bars} The summary leaves rows out in another way, so that its figures differ: far, with few rows."
    )
    return card(title, figure(picture, caption))


def _of_models(found: MachineWorth, goal: Goal) -> list[charts.Interval]:
    one = next((one for one in found.gains if one.measure == goal.name), None)
    if one is None:
        return []
    pairs = [("the model, with machine labels", one.together), ("the model, by checked labels alone", one.alone)]
    if goal.name != ACCURACY:
        return [(name, value, np.nan, np.nan) for name, value in pairs]
    return [
        (name, share, *binomial_interval(round(share * found.checked), found.checked, 0.95)) for name, share in pairs
    ]


def _gains(found: MachineWorth, threshold: str = "") -> str:
    """Row by row, so that what both find hard does not count."""
    if found.no_gains:
        return card("What the model gained", note(found.no_gains))
    rows = [
        [one.measure, f"{one.alone:.3f}", f"{one.together:.3f}", f"{one.gain:+.3f} ± {one.half:.3f}"]
        for one in found.gains
    ]
    words = (
        f"Checked labels alone, and with machine labels, on {found.checked:,} rows with a checked label (those in the "
        "label column), which the models had not seen. ± is half of the 95% interval of the difference, row by row. Of "
        f"the Brier score, as of costs, less is better.{threshold}"
    )
    numbers = table(["figure", "alone", "with", "difference"], rows, [1, 2, 3], wide=True)
    return card("What the model gained", _pill(found), numbers, note(words))


def _pill(found: MachineWorth) -> str:
    """The verdict, by all figures."""
    clear = {word: [one.measure for one in found.gains if one.verdict == word] for word in (BETTER, WORSE)}
    if clear[WORSE]:
        return f'<p class="pill warn">Clearly worse with them: {", ".join(clear[WORSE])}</p>'
    if clear[BETTER]:
        return f'<p class="pill good">Clearly better with them: {", ".join(clear[BETTER])}</p>'
    return '<p class="pill warn">No clear difference</p>'


def _machine(case: Case, one: MachineRecord) -> str:
    beside = [_errors(one)] if one.role == LEFT_OUT else [_errors(one), _changes(case, one)]
    return f"<h3>{text(one.name)}</h3>{grid(_confusion(case, one), grid(*beside, kind='stack'))}"


def _confusion(case: Case, one: MachineRecord) -> str:
    part = text(one.part(case.names), WHOLE)
    if one.accuracy is None:
        said = f"It has labeled {one.rows:,} rows, none of which has a checked label as well. {part}"
        return card("What it mistakes for what", note(said))
    share, low, high = one.accuracy
    counts = np.array(one.confusion)
    picture = charts.matrix(counts, case.names, f"{one.right} of {one.checked} rows are right.", f"{one.name} says")
    caption = (
        f"Checked labels (down) against what it says (across). Right in {percent(share)} of {one.checked:,} rows (95% "
        f"interval {percent(low)} to {percent(high)}); {one.rows:,} rows have its label. {part}"
    )
    return card("What it mistakes for what", figure(picture, caption))


def _errors(one: MachineRecord) -> str:
    title = "Where it errs more often"
    if not one.checked:
        return card(title, note("Nobody can say."))
    if not one.regions:
        return card(title, note(f"No column shows where it errs.{few_rows(one.checked)}"))
    rows = [
        [
            text(region.condition),
            meter(region.share, "f2"),
            f"{region.wrong:,} of {region.rows:,}",
            percent(region.share),
            percent(region.share_elsewhere),
        ]
        for region in one.regions
    ]
    words = (
        "Conditions under which more of its labels differ from checked ones than elsewhere. All columns were tried; "
        f"what chance shows in 1 of 20 tables is left out.{few_rows(one.checked)}"
    )
    header = ["where", "", "wrong", "share", "elsewhere"]
    return card(title, table(header, rows, [2, 3, 4], wide=True), note(words))


def _changes(case: Case, one: MachineRecord) -> str:
    """What checked labels changed, on rows that have none."""
    title, total = "What checked labels changed", sum(one.said)
    if not total:
        return card(title, note("Every row that it has labeled has a checked label."))
    rows = [
        [text(name, 24), f"{count:,}", meter(changed / count, "f2"), percent(changed / count)]
        for name, count, changed in zip(case.names, one.said, one.changed, strict=True)
        if count
    ]
    share = percent(sum(one.changed) / total)
    words = f"Of {total:,} rows without a checked label the model disagrees with it in {share}."
    return card(title, table(["it says", "rows", "", "changed"], rows, [1, 3]), note(words))
