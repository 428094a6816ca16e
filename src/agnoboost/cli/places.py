"""Where commands read and write: checked before any work, so that nothing is lost."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

from ..basics.places import STANDARD, is_standard_output, place_of
from ..tables.files import check_place
from .console import UserError, make_way

STANDARD_INPUT = "standard input"


def check_places(inputs: Sequence[Path], outputs: Mapping[str, Path | None]) -> None:
    """Complain about places that cannot be used; messages make way for a file that goes to standard output.

    ``outputs`` are named by their options; None for one that was not asked for.
    """
    if sum(path == STANDARD for path in inputs) > 1:
        raise UserError("Only one file can come from standard input (-). Name the others.")
    wanted = {option: path for option, path in outputs.items() if path is not None}
    for option, path in wanted.items():
        check_place(path)
        for source in inputs:
            if is_same_file(path, source):
                raise UserError(f"{option} must not be the input, {source}: it would be overwritten.")
    for (first, path), (second, other) in combinations(wanted.items(), 2):
        if place_of(path) == place_of(other) or (is_standard_output(path) and is_standard_output(other)):
            raise UserError(f"{first} and {second} must be different places. Got {path} and {other}.")
    if any(is_standard_output(path) for path in wanted.values()):
        make_way()


def check_not_for_reading(path: Path, option: str) -> None:
    """A terminal is no place for what is not text."""
    if is_standard_output(path) and sys.stdout.isatty():
        raise UserError(
            f"{option} {path} would fill the terminal: a model is no text. Send it on: --out - > model.agno"
        )


def is_same_file(path: Path, other: Path) -> bool:
    """Whether both lead to one regular file."""
    found = place_of(path)
    return found.is_regular and found.path.exists() and other.exists() and other.samefile(found.path)


def spoken(path: Path) -> str:
    """A place in a sentence."""
    return "standard output" if path == STANDARD else str(path)


def source_of(path: Path) -> str:
    """What a table is called in a report."""
    return STANDARD_INPUT if path == STANDARD else path.name
