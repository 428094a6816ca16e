"""One place for every public name: references by any other path (where a class is written, say) lead there."""

import importlib
import inspect
import re
from functools import cache
from pathlib import Path

from numpydoc.xref import DEFAULT_LINKS
from sphinx.addnodes import pending_xref

DOCS = Path(__file__).parents[1]


@cache
def listed():
    """The full names in the tables of the reference, in order."""
    found = []
    for page in sorted((DOCS / "api").glob("*.rst")):
        module = None
        for line in page.read_text().splitlines():
            if match := re.match(r"\.\. (?:currentmodule|module):: (\S+)", line):
                module = match[1]
            elif module and (match := re.match(r"(?:   |\.\. py:(?:data|function):: )([A-Za-z_]\w*)$", line)):
                found.append(f"{module}.{match[1]}")
    return found


def named(path):
    """The object that a dotted path names, or None; a name that is both goes before a module."""
    parts = path.split(".")
    found = importlib.import_module(parts[0])
    for number, part in enumerate(parts[1:], 2):
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = importlib.import_module(".".join(parts[:number]))
            except ImportError:
                return None
    return found


@cache
def places():
    """Where each object is to be found, by its identity."""
    return {id(named(name)): name for name in listed()}


def resolve(app, env, node, around):
    """A reference that nothing answers to, by the object that it names."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    owner, _, member = target.rpartition(".")
    for path, rest in ((target, ""), (owner, f".{member}")):
        found = named(path) if path.startswith("agnoboost") else None
        public = places().get(id(found)) if found is not None else None
        if public and public + rest != target:
            again = pending_xref(node.rawsource, **{**node.attributes, "reftarget": public + rest})
            domain = env.domains["py"]
            return domain.resolve_xref(env, node["refdoc"], app.builder, node["reftype"], public + rest, again, around)
    return None


def skip_what_others_wrote(app, what, name, obj, skip, options):
    """Of scikit-learn's methods only those that we write ourselves."""
    written_in = getattr(inspect.unwrap(obj) if callable(obj) else getattr(obj, "fget", obj), "__module__", None)
    return True if written_in and not written_in.startswith("agnoboost") else None


def signature_for_callers(app, what, name, obj, options, signature, returns):
    """Without what begins with an underscore: memories that a value carries, of no use to a caller."""
    if what != "class" or not signature or "_" not in signature:
        return None
    given = inspect.signature(obj)
    kept = [one for one in given.parameters.values() if not re.match("_[a-z]", one.name)]
    if len(kept) == len(given.parameters):
        return None
    bare = [one.replace(annotation=inspect.Parameter.empty) for one in kept]
    return str(inspect.Signature(bare)), returns


def types(app, config):
    DEFAULT_LINKS.clear()  # of numpydoc: they lead to the documentation of Python, which is elsewhere
    config.numpydoc_xref_aliases = {name.rpartition(".")[2]: name for name in listed()}


def setup(app):
    app.connect("config-inited", types, priority=10)
    app.connect("missing-reference", resolve)
    app.connect("autodoc-process-signature", signature_for_callers)
    app.connect("autodoc-skip-member", skip_what_others_wrote)
    return {"parallel_read_safe": True}
