"""What each threshold would do: live where the page may run its script, a table elsewhere."""

from __future__ import annotations

import json

import numpy as np

from .. import charts
from ..case import Case
from ..elements import card, figure, grid, note, percent, table, text
from ..scores import OneClass

CURVES = {"precision": "c1", "recall": "c2 second", "share": "c3 third"}
SHARES_FOUND = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
DIGITS = 4  # of a threshold: those of a rare class may be small
WORDS = {"precision": "right (precision)", "recall": "found (recall)", "share": "flagged share"}


def threshold(case: Case) -> str:
    focus = case.classes.index(case.focus)
    panel = charts.Panel("Precision, recall and flagged share by threshold.", x_label="threshold", shares="y")
    for name, colour in CURVES.items():
        panel.line([], [], f"line {colour}", WORDS[name], name=f"curve-{name}")
    panel.mark("live-mark")
    picture = figure(
        panel.svg(),
        "Rows whose probability reaches the threshold are flagged. On rows that the model has not seen.",
        [(colour, WORDS[name]) for name, colour in CURVES.items()],
    )
    options = "".join(
        f'<option value="{place}"{" selected" if place == focus else ""}>{text(one.name)}</option>'
        for place, one in enumerate(case.classes)
    )
    live = "".join(
        f'<div><b id="live-{name}"></b><span>{words}</span></div>'
        for name, words in (*WORDS.items(), ("cost", "cost of 1,000 rows"))
    )
    knobs = (
        f'<div class="knobs"><label>Class to find<br><select id="flagged-class">{options}</select></label>'
        '<label>Cost of a miss<br><input id="cost-miss" type="number" min="0" step="any" value="1"></label>'
        '<label>Cost of a false alarm<br><input id="cost-alarm" type="number" min="0" step="any" value="1"></label>'
        '<button id="cheapest" type="button">Lowest cost</button></div>'
        '<label for="cut">Threshold: <b id="live-cut-now"></b></label>'
        '<input id="cut" type="range" min="0" max="100" value="50">'
        f'<div class="live" aria-live="polite">{live}</div><p class="note" id="live-words"></p>'
    )
    data = {"classes": [_numbers(one) for one in case.classes], "frame": panel.frame}
    hidden = f'<script type="application/json" id="thresholds">{_json(data)}</script>'
    slider = f'<div class="slider">{grid(f"<div>{knobs}</div>", picture)}</div>'
    fixed = f"<noscript>{_table(case.focus)}</noscript>"
    return f'<div id="threshold">{grid(card("Choose a threshold", slider, fixed), kind="stack")}{hidden}</div>'


def _numbers(one: OneClass) -> dict[str, object]:
    hits, alarms = one.at_thresholds()
    own, rows = int(one.own.sum()), len(one.own)
    return {"name": one.name[:60], "own": own, "rows": rows, "hits": hits.tolist(), "alarms": alarms.tolist()}


def _json(data: object) -> str:
    """Nothing in it can end the element that it stands in."""
    plain = json.dumps(data, separators=(",", ":"))
    return plain.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _table(one: OneClass) -> str:
    """By how much is found: round thresholds would say nothing of a rare class."""
    rows = []
    for share in SHARES_FOUND:
        cut = one.threshold_that_finds(share)
        flagged = one.probability >= cut
        found = [percent(float(one.own[flagged].mean())), percent(float(flagged[one.own].mean()))]
        rows.append(
            [
                np.format_float_positional(cut, DIGITS, unique=False, fractional=False, trim="-"),
                *found,
                percent(float(flagged.mean())),
            ]
        )
    header = ["threshold", "right (precision)", "found (recall)", "flagged share"]
    return note(f"For “{text(one.name)}”:") + table(header, rows, [0, 1, 2, 3])
