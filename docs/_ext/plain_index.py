"""``llms.txt``: the site in one plain file, a line a page, with where its text can be had as it was written."""

from pathlib import Path

from docutils import nodes

ABOUT = (
    "Classification of tables with few labels, noisy labels, and labels by a machine; and a library of agnostic "
    "boosting beneath it. Start with agnoboost.TableClassifier. Pages are given as HTML, and as the text they were "
    "written in."
)
GENERATED = ("api/generated/",)


def lines(env, copied):
    yield "# agnoboost"
    yield ""
    yield f"> {ABOUT}"
    for section in env.toctree_includes[env.config.root_doc]:
        yield ""
        yield f"## {_title(env, section)}"
        yield ""
        for name in _below(env, section):
            text = f" ([text](_sources/{copied(name)}))"
            yield f"- [{_title(env, name)}]({name}.html){text}"


def _below(env, name, seen=None):
    """A page and those below it; of what is generated only the first page."""
    seen = set() if seen is None else seen
    if name in seen:
        return
    seen.add(name)
    yield name
    for inner in env.toctree_includes.get(name, ()):
        if not inner.startswith(GENERATED) or name == env.config.root_doc:
            yield from _below(env, inner, seen)


def _title(env, name):
    found = env.titles.get(name)
    return found.astext() if isinstance(found, nodes.Node) else name


def write(app, error):
    if error is None and app.builder.name == "html":
        suffix = app.config.html_sourcelink_suffix

        def copied(name):
            return f"{name}{Path(app.env.doc2path(name)).suffix}{suffix}"

        (Path(app.outdir) / "llms.txt").write_text("\n".join(lines(app.env, copied)) + "\n", encoding="utf-8")


def setup(app):
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}
