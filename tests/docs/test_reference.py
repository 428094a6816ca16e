"""Every public name is in the reference, and says what each of its parameters is for."""

import dataclasses
import importlib
import inspect

import pytest
from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate
from public_names import listed, named

MODULES = [
    "agnoboost",
    *(
        f"agnoboost.{room}"
        for room in (
            "core", "datasets", "explain", "files", "integrations", "integrations.dask", "labels", "model_selection",
            "planner", "report", "rl", "rounds", "testing",
        )
    ),
]  # fmt: skip

# What a docstring must have: one at all (GL08), parameters that are there and no others (PR01, PR02), a description of
# each (PR07) and its colon in its place (PR10), a summary that is a sentence (SS01, SS03, SS04), what is returned
# (RT01), sections in their order (GL07) and known ones (GL06), no tabs (GL05).
CHECKS = {"GL05", "GL06", "GL07", "GL08", "PR01", "PR02", "PR07", "PR10", "SS01", "SS03", "SS04", "RT01"}


def names(module):
    """The public names of a module: those it lists, or all that it hands out."""
    inside = importlib.import_module(module)
    found = getattr(inside, "__all__", None) or [name for name in vars(inside) if not name.startswith("_")]
    return [name for name in found if not inspect.ismodule(getattr(inside, name))]


def problems(name):
    """What numpydoc finds wrong, but for what results of ours say under Attributes instead of Parameters."""
    found = named(name)
    attributes = _described(found, "Attributes") if inspect.isclass(found) else {}
    yield from (f"attribute {one} has no description" for one, text in attributes.items() if not text)
    for code, message in validate(name)["errors"]:
        if code == "PR01":
            missing = _parameters(found) - set(_described(found, "Parameters")) - set(attributes)
            if missing:
                yield f"parameters without description: {sorted(missing)}"
        elif code in CHECKS:
            yield message


def _described(found, section):
    entries = NumpyDocString(inspect.getdoc(found))[section]
    return {name.strip(" *"): " ".join(entry.desc) for entry in entries for name in entry.name.split(",")}


def _parameters(found):
    """What a caller may pass; protocols are not made, and what begins with an underscore is not for callers."""
    if getattr(found, "_is_protocol", False):
        return set()
    given = {name for name in inspect.signature(found).parameters if not name.startswith("_")}
    if dataclasses.is_dataclass(found):
        given &= {field.name for field in dataclasses.fields(found) if field.init}
    return given


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_in_the_reference(module):
    there = {id(named(name)) for name in listed()}
    assert [name for name in names(module) if id(getattr(importlib.import_module(module), name)) not in there] == []


def test_the_reference_lists_each_name_once():
    assert len(set(listed())) == len(listed())
    assert all(named(name) is not None for name in listed())


@pytest.mark.parametrize("name", [name for name in listed() if callable(named(name))])
def test_a_docstring_describes_every_parameter(name):
    assert list(problems(name)) == []


def test_a_parameter_without_description_is_seen():
    """The check itself: it would be easy to write one that finds nothing."""

    def undocumented(a, b):
        """Add.

        Parameters
        ----------
        a : int
        """

    importlib.import_module(__name__).undocumented = undocumented
    assert not _described(undocumented, "Parameters")["a"]
    assert _parameters(undocumented) == {"a", "b"}
