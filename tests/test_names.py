"""What ``import agnoboost`` offers, and what it costs."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import agnoboost

# Optional, or slow to load: wanted only by whoever uses what needs them.
HEAVY = [
    *("numba", "pandas", "pyarrow", "polars", "matplotlib", "rich", "typer", "openpyxl", "onnx", "gymnasium"),
    *("xgboost", "lightgbm", "dask", "distributed", "catboost", "cupy", "torch"),
]

ASKED = """
import builtins, json
asked, ordinary = set(), builtins.__import__

def watched(name, globals=None, *others):
    if globals and str(globals.get("__name__")).startswith("agnoboost"):
        asked.add(name.split(".")[0])
    return ordinary(name, globals, *others)

builtins.__import__ = watched
from agnoboost import *
print(json.dumps(sorted(asked)))
"""


def said_by(program):
    return json.loads(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout)


def test_import_agnoboost_loads_nothing_else():
    loaded = said_by("import agnoboost, json, sys; print(json.dumps([*sys.modules]))")
    assert {name for name in loaded if name.startswith("agnoboost")} == {"agnoboost", "agnoboost._version"}
    assert not {"numpy", "scipy", "sklearn", *HEAVY} & set(loaded)


def test_no_public_name_asks_for_heavy_packages():
    """By itself, that is: scikit-learn loads pandas where it is installed."""
    asked = said_by(ASKED)
    assert {"numpy", "sklearn"} <= set(asked)
    assert not set(HEAVY) & set(asked)


@pytest.mark.parametrize("name", [*agnoboost.__all__, *agnoboost._ROOMS])
def test_every_name_is_there(name):
    assert getattr(agnoboost, name) is getattr(agnoboost, name)
    assert name in dir(agnoboost)


def test_type_checkers_see_the_same_names():
    stub = ast.parse(Path(agnoboost.__file__).with_suffix(".pyi").read_text())
    lines = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    assert all(alias.name == alias.asname for line in lines for alias in line.names)  # handed on
    seen = {(line.module, alias.name) for line in lines for alias in line.names}
    own = {(module, name) for module, names in agnoboost._NAMES.items() for name in names}
    assert seen == own | {("_version", "__version__")} | {(None, room) for room in agnoboost._ROOMS}


def test_rooms_for_users_are_rooms():
    rooms = {path.stem for path in Path(agnoboost.__file__).parent.iterdir()}
    assert rooms >= set(agnoboost._ROOMS)


def test_what_is_not_there():
    with pytest.raises(AttributeError, match="module 'agnoboost' has no attribute 'TableClasifier'"):
        agnoboost.TableClasifier  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'reports'"):
        from agnoboost import reports  # noqa: F401
