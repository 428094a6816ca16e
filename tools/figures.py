"""Write the figures of README and paper anew, from the results that a study has left.

python tools/figures.py      # after benchmarks/results/few-labels.json has changed; a test says if it was forgotten
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from agnoboost_experiments.few_labels.few_labels_page import TITLES
from agnoboost_experiments.few_labels.methods import PEERS
from agnoboost_experiments.few_labels.summary import NEAR
from agnoboost_experiments.pages import markdown_table, short

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", ROOT / "paper" / "paper.md")
RESULT = ROOT / "benchmarks" / "results" / "few-labels.json"

_TEXT = """
The mean rank of `{main}` among {fewest} to {most} other classifiers (1 would be the best), and in brackets the best
mean rank of these. Everybody has the defaults of their library. {tables} tables that it was not developed on; up to
{flips:.0%} of the labels are flipped; scores are taken on clean rows that nobody has seen
(`agnoboost reproduce few-labels --data FOLDER`):

{table}

**Bold**: there the peer is ahead. On a single table some peer often is: ours is no more than {near} behind the best of
them (which nobody knows beforehand) in accuracy in {shares}.
"""


def few_labels(summary: dict[str, Any]) -> str:
    """Where our main method stands, in short."""
    main, sizes = summary["main"], summary["sizes"]
    rows = [[f"{size['labels']:,}", *(_cell(ranks, main) for ranks in size["ranks"].values())] for size in sizes]
    counts = [sum(name in PEERS for name in size["ranks"]["accuracy"]) for size in sizes]
    first, *others = [f"{size['near']['accuracy']:.0%} {{}} {size['labels']:,} labels" for size in sizes[::2]]
    shares = [first.format("of the cases with"), *(share.format("with") for share in others)]
    tables = [len(size["tables"]) for size in sizes]
    return _TEXT.format(
        table=markdown_table(["labels", *TITLES.values()], rows),
        main=main,
        fewest=min(counts),
        most=max(counts),
        tables=f"{min(tables)} to {max(tables)}",
        flips=max(sizes[0]["flips"]),
        near=short(NEAR),
        shares=f"{', '.join(shares[:-1])} and {shares[-1]}",
    )


def _cell(ranks: dict[str, float], main: str) -> str:
    best = min((name for name in ranks if name in PEERS), key=lambda name: ranks[name])
    theirs = f"{best} {ranks[best]:.1f}"
    return f"{ranks[main]:.1f} ({f'**{theirs}**' if ranks[best] < ranks[main] else theirs})"


def filled(page: str, name: str, text: str) -> str:
    """The page with this text between the marks of some figures."""
    marks = re.compile(rf"(<!-- figures: {re.escape(name)} -->\n).*?(<!-- end of figures -->)", re.DOTALL)
    if len(marks.findall(page)) != 1:
        raise ValueError(f"The page must have one place for figures of {name!r}. Got {len(marks.findall(page))}.")
    return marks.sub(lambda found: f"{found[1]}{text}\n{found[2]}", page)


def renewed(page: str) -> str:
    """A page with the figures of today's results."""
    return filled(page, "few-labels study", few_labels(json.loads(RESULT.read_text(encoding="utf-8"))))


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(renewed(page.read_text(encoding="utf-8")), encoding="utf-8")
