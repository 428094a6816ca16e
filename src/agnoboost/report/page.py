"""The page as a whole: one file that needs no other, runs no script but its own, and asks nobody for anything."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

from .._version import __version__
from .case import Case
from .columns import fingerprint
from .elements import text
from .sections.data import data
from .sections.labels_to_check import labels_to_check
from .sections.machine_labels import machine_labels
from .sections.quality import quality
from .sections.summary import summary
from .sections.training import training
from .sections.what_it_learned import what_it_learned

SECTIONS = (
    ("summary", "Summary", "", summary),
    ("quality", "Quality", "How good it is, on labels that it has not seen", quality),
    ("learned", "What it learned", "What the model learned", what_it_learned),
    ("suspects", "Labels to check", "Labels that look wrong", labels_to_check),
    ("data", "Data", "The data", data),
)


MACHINES = ("machines", "Machine labels", "What machine labels were worth", machine_labels)


def page(case: Case, date: str, command: str | None) -> str:
    """The whole document."""
    style, script = (files(__package__).joinpath(name).read_text("utf-8") for name in ("style.css", "script.js"))
    title = f"Predicting {text(case.target, 120)}"
    sections = SECTIONS if case.machines is None else (*SECTIONS[:2], MACHINES, *SECTIONS[2:])
    links = "".join(f'<a href="#{name}">{short}</a>' for name, short, _, _ in sections)
    body = "\n".join(
        f'<section id="{name}" aria-label="{short}">{f"<h2>{long}</h2>" if long else ""}{write(case)}</section>'
        for name, short, long, write in sections
    )
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}; form-action \'none\'">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>'
        f'<link rel="icon" href="data:,"><style>{style}</style></head>\n'
        f'<body><header><h1>{title}</h1><p class="lead">From {text(case.source, 120)} · {text(date)} · '
        f"agnoboost {__version__}</p></header>\n"
        f'<nav aria-label="Sections"><div><div class="links">{links}<a href="#training">Training</a></div>'
        '<button id="theme" class="js-only" type="button" aria-label="Switch between light and dark">Dark</button>'
        f"</div></nav>\n<main>{body}\n"
        f'<details id="training"><summary><h2>How it was trained</h2></summary>{training(case)}</details></main>\n'
        f"{_footer(case, date, command)}<script>{script}</script></body></html>\n"
    )


def _footer(case: Case, date: str, command: str | None) -> str:
    made = f"<p>Made by <code>{text(command, 600)}</code></p>" if command else ""
    return (
        f"<footer><p>{text(date)} · agnoboost {__version__} · {text(type(case.model).__name__)} · data fingerprint "
        f"<code>{fingerprint(case.X, case.y)}</code> (of all cells and labels: the same data give the same one)</p>"
        f"{made}</footer>\n"
    )


def _hash(content: str) -> str:
    """By which the browser knows that a style or script is ours."""
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"
