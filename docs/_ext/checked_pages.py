"""What built pages are held to: nothing is fetched from elsewhere, and no link of ours leads nowhere."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sphinx.errors import ExtensionError

FETCHED = {"script": "src", "img": "src", "source": "src", "iframe": "src", "link": "href", "object": "data"}
OUTSIDE = re.compile(r"(?:https?:)?//", re.IGNORECASE)
IN_STYLES = re.compile(r"""(?:url\(|@import)\s*['"]?((?:https?:)?//[^'")\s;]+)""", re.IGNORECASE)


class Page(HTMLParser):
    """What a page fetches, where it leads, and where one can go on it."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.fetched, self.links, self.places = set(), set(), set()
        self.feed(text)
        self.fetched.update(IN_STYLES.findall(text))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.places.update(given[name] for name in ("id", "name") if given.get(name))
        if tag in FETCHED and given.get(FETCHED[tag]):
            self.fetched.add(given[FETCHED[tag]])
        if tag == "a" and given.get("href"):
            self.links.add(given["href"])

    handle_startendtag = handle_starttag


def problems(folder):
    """What is wrong with the pages and styles of a folder: a sentence each."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in _pages(folder)}
    for path, page in pages.items():
        name = path.relative_to(folder)
        for target in sorted(page.fetched):
            if OUTSIDE.match(target):
                yield f"{name} fetches {target}"
            elif not target.startswith("data:") and not _file(path, target).exists():
                yield f"{name} shows {target}, which is not there"
        for target in sorted(page.links):
            if not urlsplit(target).scheme and not OUTSIDE.match(target):
                yield from _dead_end(folder, pages, path, target)
    for path in sorted(folder.rglob("*.css")):
        for target in IN_STYLES.findall(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(folder)} fetches {target}"


def _pages(folder):
    return (path for path in sorted(folder.rglob("*.html")) if path.relative_to(folder).parts[0] != "_static")


def _file(page, target):
    path = unquote(urlsplit(target).path)
    return (page.parent / path).resolve() if path else page


def _dead_end(folder, pages, path, target):
    file, place = _file(path, target), unquote(urlsplit(target).fragment)
    name = path.relative_to(folder)
    if not file.is_file():
        yield f"{name} links to {target}, which is not there"
    elif place and file in pages and place not in pages[file].places:
        yield f"{name} links to {target}: that page has no such place"


def check(app, error):
    if error is None and app.builder.name == "html":
        found = list(problems(Path(app.outdir).resolve()))
        if found:
            raise ExtensionError("\n".join(["the built pages:", *found]))


def setup(app):
    app.connect("build-finished", check, priority=900)  # after all that is written at the end
    return {"parallel_read_safe": True}
