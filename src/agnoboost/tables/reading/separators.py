"""What separates the cells of a line, found by looking at the first lines."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from itertools import islice
from typing import Any

from .findings import Findings

# Of equally good ones the first is taken: commas occur inside cells most often, tabs hardly ever.
CANDIDATES = "\t;|,"
NAMES = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "blank": " ", "space": " "}
BLANKS = " "
NONE = "\x1f"  # occurs in no text: each line is one cell
LOOKED_AT = 200  # records
ENOUGH = 1_000_000  # characters
TOLD = re.compile(r"sep=(.)\n")  # a first line by which spreadsheets are told


def wanted_separator(sep: str, findings: Findings) -> str:
    """What the user means by ``--sep``."""
    found = NAMES.get(sep.lower(), sep)
    if len(found) != 1 or found in '"\n\r':
        raise findings.fail(
            f"cannot be read with the separator {sep!r}. Expected one character, or one of: "
            f"{', '.join(name for name in NAMES if name.isalpha())}."
        )
    return found


def find_separator(text: str) -> str:
    """The one that cuts the header and most lines into the same number of cells, at least two.

    Where none does, lines are cut at blanks if all of them then have the same number of cells; and otherwise there
    is one column.

    >>> find_separator("name;price\\nx;1,5\\n")
    ';'
    """
    text = some_lines(text)
    best = max(CANDIDATES, key=lambda one: (_score(text, one), -CANDIDATES.index(one)))
    if _score(text, best) > (0.0, 0):
        return best
    rows = {len(line.split()) for line in islice(io.StringIO(text), LOOKED_AT) if line.strip()}
    return BLANKS if len(rows) == 1 and rows != {1} else NONE


def records(text: str, separator: str, strict: bool) -> Any:
    """A reader of the standard library; blanks before a quote do not count, as in ``1, "x, y"``."""
    loose = blanks_before_quotes(text, separator)
    return csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=loose, strict=strict)


def blanks_before_quotes(text: str, separator: str) -> bool:
    """Whether cells look like ``1, "x, y"`` somewhere."""
    return '"' in text and f'{separator} "' in text


def lines_above_the_header(text: str) -> int:
    """How many cells most lines have, if the first has one only and most others have three or more; else 0."""
    for separator in CANDIDATES:
        widths = Counter(_widths(some_lines(text), separator)[1:])
        width, count = widths.most_common(1)[0] if widths else (0, 0)
        if width > 2 and 2 * count > widths.total():
            return width
    return 0


def some_lines(text: str) -> str:
    """Some whole lines: enough to look at."""
    return text if len(text) < ENOUGH else text[: text.find("\n", ENOUGH) + 1] or text


def _score(text: str, separator: str) -> tuple[float, int]:
    """The share of lines with as many cells as the header, and that number; zeros for fewer than two."""
    widths = _widths(text, separator)
    if not widths or widths[0] < 2:
        return 0.0, 0
    return sum(width == widths[0] for width in widths) / len(widths), widths[0]


def _widths(text: str, separator: str) -> list[int]:
    """How many cells the first lines have."""
    try:
        return [len(row) for row in islice(records(text, separator, strict=False), LOOKED_AT) if row]
    except csv.Error:
        return []
