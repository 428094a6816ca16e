"""What each threshold would do: live where the page may run its script, a table elsewhere."""

from __future__ import annotations

import json

import numpy as np

from ...estimators.threshold import written
from ...tables.reading.grid import as_text
from .. import charts
from ..case import Case
from ..elements import card, figure, grid, note, percent, table, text
from ..scores import STEPS, OneClass, zoomed

CURVES = {"precision": "c1", "recall": "c2 second", "share": "c3 third"}
SHARES_FOUND = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
OWN = "the model's own threshold"
WORDS = {"precision": "right (precision)", "recall": "found (recall)", "share": "flagged share"}


def threshold(case: Case) -> str:
    """Only where a model has one: for two classes."""
    if case.threshold is None or len(case.classes) != 2:
        return ""
    panel = charts.Panel(
        "Precision, recall and flagged share by threshold.", x_label="threshold", shares="y", marks="cut-marks"
    )
    for name, colour in CURVES.items():
        panel.line([], [], f"line {colour}", WORDS[name], name=f"curve-{name}")
    panel.mark("own-mark", "chance")
    panel.mark("live-mark")
    picture = figure(
        panel.svg(), _caption(case), [*((colour, WORDS[name]) for name, colour in CURVES.items()), ("chance", OWN)]
    )
    data = {"classes": [_numbers(one, _own(case, one)) for one in case.classes], "frame": panel.frame}
    hidden = f'<script type="application/json" id="thresholds">{_json(data)}</script>'
    slider = f'<div class="slider">{grid(f"<div>{_knobs(case)}</div>", picture)}</div>'
    fixed = f"<noscript>{_table(case.focus, _own(case, case.focus))}</noscript>"
    return f'<div id="threshold">{grid(card("Choose a threshold", slider, fixed), kind="stack")}{hidden}</div>'


def _knobs(case: Case) -> str:
    """What can be moved, and what comes of it; costs are those that the model was trained with, if there were any."""
    focus = case.classes.index(case.focus)
    options = "".join(
        f'<option value="{place}"{" selected" if place == focus else ""}>{text(one.name)}</option>'
        for place, one in enumerate(case.classes)
    )
    live = "".join(
        f'<div><b id="live-{name}"></b><span>{words}</span></div>'
        for name, words in (*WORDS.items(), ("cost", "cost of 1,000 rows"))
    )
    costs = {as_text(name): float(cost) for name, cost in case.goal.costs.items()}
    miss, alarm = (f"{costs.get(case.classes[place].name, 1.0):g}" for place in (focus, 1 - focus))
    return (
        f'<div class="knobs"><label>Class to find<br><select id="flagged-class">{options}</select></label>'
        f'<label>Cost of a miss<br><input id="cost-miss" type="number" min="0" step="any" value="{miss}"></label>'
        "<label>Cost of a false alarm<br>"
        f'<input id="cost-alarm" type="number" min="0" step="any" value="{alarm}"></label>'
        '<button id="cheapest" type="button">Lowest cost</button>'
        f'<button id="own" type="button">{OWN.capitalize()}</button></div>'
        '<label for="cut">Threshold: <b id="live-cut-now"></b></label>'
        f'<input id="cut" type="range" min="0" max="{STEPS}" value="0">'
        f'<div class="live" aria-live="polite">{live}</div><p class="note" id="live-words"></p>'
    )


def _own(case: Case, one: OneClass) -> float:
    """From which probability of this class on the model predicts it."""
    assert case.threshold is not None
    return case.threshold if one.name == case.names[1] else 1.0 - case.threshold


def _caption(case: Case) -> str:
    words = (
        "Rows whose probability reaches the threshold are flagged. On rows that the model has not seen. Dashed is "
        f"{OWN}, where the slider starts. The scale goes as far as there are probabilities."
    )
    if getattr(case.model, "threshold_", None) is None:
        return words
    return f"{words} In the summary the model of each fold has tuned one of its own: so figures differ a little."


def _numbers(one: OneClass, own: float) -> dict[str, object]:
    """Counts at even thresholds over the probabilities there are, and at the model's own one."""
    low, high = zoomed(np.append(one.probability, own))
    cuts = np.sort(np.append(np.linspace(low, high, STEPS), own))
    hits, alarms = one.at_thresholds(cuts)
    return {
        "name": one.name[:60],
        "own": int(one.own.sum()),
        "rows": len(one.own),
        "cuts": cuts.tolist(),
        "place": int(np.searchsorted(cuts, own)),
        "hits": hits.tolist(),
        "alarms": alarms.tolist(),
    }


def _json(data: object) -> str:
    """Nothing in it can end the element that it stands in."""
    plain = json.dumps(data, separators=(",", ":"))
    return plain.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _table(one: OneClass, own: float) -> str:
    """At the model's own threshold, and by how much is found: round ones would say nothing of a rare class."""
    rows = []
    for cut in (own, *map(one.threshold_that_finds, SHARES_FOUND)):
        flagged = one.probability >= cut
        right = float(one.own[flagged].mean()) if flagged.any() else np.nan
        found = [percent(right), percent(float(flagged[one.own].mean()))]
        rows.append([written(cut), *found, percent(float(flagged.mean()))])
    header = ["threshold", "right (precision)", "found (recall)", "flagged share"]
    return note(f"For “{text(one.name)}”, first at {OWN}:") + table(header, rows, [0, 1, 2, 3])
