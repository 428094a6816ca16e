"""JSON: one object a line, or one list of objects; the names are the columns."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .findings import Findings, listed
from .grid import Grid

MANY_CELLS = 20_000_000  # names times objects, since each object has a place for each name; beyond that
EMPTIEST = 20  # times as many cells as there are values may be
SUFFIXES = {".jsonl", ".ndjson", ".json"}


def is_json(path: Path, text: str) -> bool:
    """By the name, or because the text begins like JSON: no header of other tables begins with a brace."""
    begin = text.lstrip("\ufeff \n\t")
    return bool(SUFFIXES & set(path.suffixes)) or begin.startswith("{") or begin[:20].replace(" ", "").startswith("[{")


def read_json(text: str, findings: Findings) -> Grid:
    """Values keep their types."""
    text = text.lstrip("\ufeff")
    objects, lines = _from_list(text, findings) if text.lstrip().startswith("[") else _from_lines(text, findings)
    names = list(dict.fromkeys(name for one in objects for name in one))
    cells = len(names) * len(objects)
    if cells > MANY_CELLS and cells > EMPTIEST * sum(map(len, objects)):
        raise findings.fail(
            f"has {len(names):,} different names in {len(objects):,} JSON objects, too many for columns of a table. "
            "All objects should have the same names: put what differs from row to row into values, not into names."
        )
    columns = [_column([one.get(name) for one in objects]) for name in names]
    return Grid(names, columns, typed=True, lines=lines)


def _column(values: list[Any]) -> pd.Series:
    """A type of numpy's if there is one for all values; whole numbers of any length are kept as objects."""
    column = pd.Series(values, dtype=object)
    try:
        return column.infer_objects()
    except OverflowError:  # pandas before 3, at whole numbers that no float can hold
        return column


def _from_lines(text: str, findings: Findings) -> tuple[list[dict[str, Any]], Any]:
    objects, lines, broken = [], [], []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        found = _object(line)
        if isinstance(found, str):
            broken.append(f"line {number} ({found})")
        else:
            objects.append(found)
            lines.append(number)
    if broken:
        findings.problem(f'has lines that are no JSON objects: {listed(broken)}. Expected lines such as {{"a": 1}}.')
    return objects, np.array(lines, dtype=np.int64)


def _from_list(text: str, findings: Findings) -> tuple[list[dict[str, Any]], None]:
    try:
        found = json.loads(text, object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError) as error:
        raise findings.fail(f"cannot be read as a table: it begins like JSON, but {_reason(error)}.") from None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise findings.fail('cannot be read as a table: it must be a list of JSON objects, such as [{"a": 1}].')
    return found, None


def _object(line: str) -> dict[str, Any] | str:
    """The object in a line, or what is wrong with it."""
    try:
        found = json.loads(line, object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError) as error:
        return _reason(error)
    return found if isinstance(found, dict) else f"a {type(found).__name__}"


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return f"{error.msg} at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else str(error)


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    twice = [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
    if twice:
        raise ValueError(f"the name {listed(map(repr, twice))} occurs twice")
    return dict(pairs)
