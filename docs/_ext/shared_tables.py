"""Tables that stand on two pages are written on one: ``<!-- table of PAGE: WORDS OF ITS HEADER -->`` shows it here.

Figures are filled in by those who measure, in one place; a copy would go on showing the old ones.
"""

import re
from pathlib import Path

DOCS = Path(__file__).parents[1]
WANTED = re.compile(r"^<!-- table of (\S+): (.+) -->$", re.MULTILINE)
TABLE = re.compile(r"(?:^\|.*\|\n)+", re.MULTILINE)


def table(page, words):
    """The first table of a page whose header has these words."""
    for found in TABLE.findall((DOCS / page).read_text()):
        if words in found.splitlines()[0]:
            return found.rstrip()
    raise ValueError(f"{page} has no table with {words!r} in its header. Is it written in another way now?")


def show(app, name, source):
    source[0] = WANTED.sub(lambda match: table(match[1], match[2]), source[0])


def setup(app):
    app.connect("source-read", show, priority=100)  # before links are rewritten
    return {"parallel_read_safe": True}
