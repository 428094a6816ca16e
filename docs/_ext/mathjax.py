"""MathJax from a package, so that pages need nothing from outside; one file of it is enough."""

from importlib.metadata import files
from pathlib import Path
from shutil import copyfile

PATH = "tex-svg.js"


def copy(app, error):
    """Put the one file that pages load beside their other scripts."""
    if error is None and app.builder.format == "html":
        (found,) = (file for file in files("sphinx-mathjax-offline") or () if file.name == PATH)
        copyfile(found.locate(), Path(app.outdir) / "_static" / PATH)


def setup(app):
    app.connect("build-finished", copy)
    return {"parallel_read_safe": True}
