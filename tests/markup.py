"""A page as a tree: what opens must close, and who says what."""

from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "img", "hr"}


class Markup(HTMLParser):
    """Elements of a page in order, with their attributes and texts; fails where they are not balanced."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.open, self.found, self.words = [], [], []
        self.feed(page)
        self.close()
        assert self.open == [], f"not closed: {self.open}"

    def handle_starttag(self, tag, attributes):
        assert len(dict(attributes)) == len(attributes), f"an attribute twice in {tag}"
        self.found.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"style", "script", "noscript"} & set(self.open):
            self.words.append(data)

    def all(self, *tags):
        return [attributes for tag, attributes in self.found if tag in tags]

    @property
    def text(self):
        return " ".join(self.words)
