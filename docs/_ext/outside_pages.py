"""Links of pages that leave ``docs``: to pages of the site where there are such, else to files that it hands out.

On a page of the repository ``../benchmarks/README.md`` is a file; on the site it is a page that includes this file. And
a file that is included brings links of its own, which count from its folder.
"""

import os
import re
from pathlib import Path

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
# Files of the repository that pages of the site include.
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "development/changelog.md",
    "CODE_OF_CONDUCT.md": "development/conduct.md",
    "CONTRIBUTING.md": "development/contributing.md",
    "SECURITY.md": "development/security.md",
    "benchmarks/README.md": "benchmarks/measured.md",
    **{f"benchmarks/results/{page.name}": f"results/{page.name}" for page in (DOCS / "results").glob("*.md")},
}
LINK = re.compile(r"\]\((?!https?:|mailto:|#|/)([^)#\s]+)((?:#[^)\s]*)?)\)")


def rewritten(text, folder):
    """The text of a file in ``folder`` with links that a page anywhere on the site can have."""

    def place(match):
        target = Path(os.path.normpath(folder / match[1]))
        try:
            known = PAGES.get(target.relative_to(ROOT).as_posix())
        except ValueError:
            return match[0]
        return f"](/{known or Path(os.path.relpath(target, DOCS)).as_posix()}{match[2]})"

    return LINK.sub(place, text)


def page(app, name, source):
    path = Path(app.env.doc2path(name))
    if path.suffix == ".md":
        source[0] = rewritten(source[0], path.parent)


def included(app, path, parent, source):
    if path.suffix == ".md":
        source[0] = rewritten(source[0], Path(os.path.normpath(DOCS / path)).parent)


def setup(app):
    app.connect("source-read", page)
    app.connect("include-read", included)
    return {"parallel_read_safe": True}
