"""Pieces of the page. Whatever comes from the data goes through :func:`text`, and nothing else may skip it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

LONGEST = 60
WHOLE = 1_000  # characters: for sentences of ours with a name inside
NONE = "\N{EN DASH}"  # where there is no number
NUMBER, WIDE = ' class="number"', ' class="wide"'


def text(value: Any, most: int = LONGEST) -> str:
    """Any value as escaped text; long ones are cut.

    >>> text("</script>"), text("abcdef", 4)
    ('&lt;/script&gt;', 'abc…')
    """
    words = "".join(sign if sign.isprintable() else " " for sign in str(value))
    return escape(words if len(words) <= most else words[: most - 1] + "…")


def percent(share: float) -> str:
    """
    >>> percent(0.8642), percent(float("nan"))
    ('86.4%', '–')
    """
    return f"{share:.1%}" if share == share else NONE


def card(title: str, *content: str) -> str:
    """A box with a heading; the title is markup."""
    head = f"<h3>{title}</h3>" if title else ""
    return f'<section class="card">{head}{"".join(content)}</section>'


def grid(*cards: str, kind: str = "grid") -> str:
    """Boxes side by side, as many as there is room for."""
    return f'<div class="{kind}">{"".join(cards)}</div>'


def fact(value: str, words: str) -> str:
    """A number with what it means; both are markup."""
    return f'<div class="card fact"><b>{value}</b><span>{words}</span></div>'


def note(words: str) -> str:
    return f'<p class="note">{words}</p>'


def figure(svg: str, caption: str, legend: Sequence[tuple[str, str]] = ()) -> str:
    """A picture, the meaning of its lines (classes of a line, markup), and what to see in it."""
    keys = "".join(
        f'<li><svg viewBox="0 0 26 8" aria-hidden="true"><path class="line {style}" d="M0 4H26"/></svg>{words}</li>'
        for style, words in legend
    )
    listed = f'<ul class="legend">{keys}</ul>' if keys else ""
    said = f"<figcaption>{caption}</figcaption>" if caption else ""
    return f"<figure>{svg}{listed}{said}</figure>"


def meter(share: float, style: str = "f1") -> str:
    """A bar as a table cell; the number stands beside it."""
    width = 100.0 * min(max(share, 0.0), 1.0)
    return (
        '<td class="meter"><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="{style}" width="{width:.1f}" height="8" rx="1"/></svg></td>'
    )


def cell(content: str, number: bool = False, name: str = "") -> str:
    """With the name of its column where the style sheet may need it: on a phone wide tables are read row by row."""
    named = f' data-name="{name}"' if name else ""
    return f"<td{NUMBER if number else ''}{named}>{content}</td>"


def table(header: Iterable[str], rows: Iterable[Iterable[str]], numbers: Sequence[int] = (), wide: bool = False) -> str:
    """Rows of cells that are markup; ready-made cells (<td...>) stay as they are. Wide ones scroll inside their box.

    On a phone the cells of a row of a wide one stand below each other, with the names of their columns.
    """
    places = set(numbers)

    heads = list(header)

    def line(cells: Iterable[str]) -> str:
        made = (
            content if content.startswith("<td") else cell(content, place in places, heads[place] if wide else "")
            for place, content in enumerate(cells)
        )
        return f"<tr>{''.join(made)}</tr>"

    names = "".join(
        f'<th scope="col"{NUMBER if place in places else ""}>{name}</th>' for place, name in enumerate(heads)
    )
    head = f"<thead><tr>{names}</tr></thead>" if names else ""
    body = "".join(line(cells) for cells in rows)
    whole = f"<table{WIDE if wide else ''}>{head}<tbody>{body}</tbody></table>"
    return f'<div class="scroll" tabindex="0" role="region" aria-label="table">{whole}</div>' if wide else whole


def folded(title: str, content: str) -> str:
    """What only some want to see."""
    return f"<details><summary>{title}</summary>{content}</details>"
