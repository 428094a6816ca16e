"""Constraints for pip: the lowest versions that pyproject.toml allows, of all packages of the library and its tests.

``make test-minimum`` installs them and runs the tests, so that no bound is only believed.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
# A name and a lowest version, nothing else: then there is no doubt what the lowest set is.
# (A marker after it says on which machines.)
_BOUND = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(\[[\w,]+\])?>=(?P<lowest>\d+(\.\d+)*)( *;.*)?")


def bounds(pyproject: Path = PYPROJECT) -> dict[str, str]:
    """The lowest version of each package that the library, its extras and its tests ask for."""
    settings = tomllib.loads(pyproject.read_text(encoding="utf-8"))
    project, groups = settings["project"], settings["dependency-groups"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    found: dict[str, str] = {}
    for line in [*project["dependencies"], *extras, *_lines("test", groups)]:
        if line.startswith(f"{project['name']}["):  # extras of our own, put together
            continue
        bound = _BOUND.fullmatch(line)
        if bound is None:
            raise ValueError(f"A requirement must be a name and a lowest version, as in 'numpy>=2.0'. Got {line!r}.")
        name, lowest = bound["name"].lower(), bound["lowest"]
        if found.setdefault(name, lowest) != lowest:
            raise ValueError(f"{name} must have one lowest version. Got {found[name]} and {lowest}.")
    return found


def _lines(group: str, groups: dict[str, list[Any]]) -> Iterator[str]:
    """The requirements of a group and of those in it; tools have exact versions anyway."""
    for line in groups[group]:
        if not isinstance(line, dict):
            yield line
        elif line["include-group"] != "lint":
            yield from _lines(line["include-group"], groups)


def constraints(pyproject: Path = PYPROJECT) -> str:
    """The text of a constraints file."""
    return "".join(f"{name}=={lowest}\n" for name, lowest in sorted(bounds(pyproject).items()))


if __name__ == "__main__":
    sys.stdout.write(constraints())
