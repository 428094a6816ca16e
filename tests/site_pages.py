"""Pages of the site, run: blocks of Python and commands in their order, in one folder; what they print is on the page.

A ``text`` block right after one that was run is what it printed. ``python tests/site_pages.py PAGE...`` writes these
blocks anew.
"""

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

from typer.testing import CliRunner

from agnoboost.cli.app import app

DOCS = Path(__file__).parents[1] / "docs"
FOLDERS = ("guide", "coming_from", "research")
BLOCK = re.compile(r"^```(python|console|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?|\.\d+")


def pages():
    """All pages whose blocks are run here; those of the older pages have tests of their own."""
    own = [DOCS / "index.md", DOCS / "which_labels.md", DOCS / "install.md"]
    return own + [page for folder in FOLDERS for page in sorted((DOCS / folder).glob("*.md"))]


def has_files(page):
    """Whether a page makes the files that its commands want; those of the others are run by test_commands."""
    return page.parent != DOCS


def run(text, with_commands=True):
    """For each ``text`` block that follows a block that was run: its place, what it shows, and what was printed."""
    names, printed, end = {"__name__": "page"}, None, None
    for block in BLOCK.finditer(text):
        kind, content = block.groups()
        if kind == "text":
            if printed is not None and not text[end : block.start()].strip():
                yield block.span(2), content, printed
            printed = None
        elif kind == "python" or with_commands:
            printed, end = _python(content, names) if kind == "python" else _commands(content), block.end()


def _python(code, names):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(code, "page", "exec"), names)
    return out.getvalue()


def _commands(lines):
    """Those of agnoboost, after a dollar sign; others are shown only."""
    out = ""
    for line in lines.splitlines():
        if line.startswith("$ agnoboost "):
            done = CliRunner().invoke(app, shlex.split(line)[2:], env={"COLUMNS": "100"})
            assert done.exit_code == 0, (line, done.output)
            out += done.stdout
    return out


def bare(text):
    """A text without what may differ: its numbers, how wide columns are, and blanks at the ends of lines."""
    return [re.sub(r"\s+", " ", NUMBER.sub("#", line)).strip() for line in text.strip().splitlines()]


def numbers(text):
    return [float(found.replace(",", "")) for found in NUMBER.findall(text)]


def agree(shown, printed, share=0.15, least=0.08):
    """Whether a page shows what was printed; other versions of numpy may move numbers a little."""
    near = all(abs(a - b) <= max(share * abs(b), least) for a, b in zip(numbers(shown), numbers(printed), strict=False))
    return bare(shown) == bare(printed) and near


def write(page):
    """Put what blocks print onto the page."""
    text, shift = page.read_text(), 0
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for (start, stop), shown, printed in list(run(text, has_files(page))):
            fresh = printed.rstrip() + "\n"
            text = text[: start + shift] + fresh + text[stop + shift :]
            shift += len(fresh) - len(shown)
    page.write_text(text)


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "Agg"
    for name in sys.argv[1:]:
        write(Path(name).resolve())
