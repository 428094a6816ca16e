"""Damage to what JSON says: odd values, missing names, other shapes."""

import json
from copy import deepcopy
from math import isfinite
from random import Random
from typing import Any

Path = list[Any]  # keys and places that lead to a value


DEEP = "@deep@"  # stands for lists within lists, deeper than any parser likes
LONG = "@long@"  # stands for a number of more digits than Python reads
NONSENSE: tuple[Any, ...] = (
    None, True, float("nan"), float("inf"), -float("inf"), [], {}, [[]], "", "x" * 5000, {"a": 1}, DEEP, LONG, [None],
)  # fmt: skip
NUMBERS: tuple[Any, ...] = (0, 1, -1, 2, 3, 0.5, 1e308, -1e308, 1e-320, 2**31, 2**53 + 1, 2**63, -(2**63), 10**30)
EXTREME = 2**31  # from here on a number is taken for nonsense


def changed(facts: Any, dice: Random) -> tuple[Any, str, bool]:
    """Facts with one change, what it is, and whether it is nonsense: what no writer could have written."""
    paths = list(_paths(facts))
    if not paths:
        return {}, "emptied", True
    path = dice.choice(paths)
    parent, key = _parent(facts, path), path[-1]
    before, name = parent[key], "/".join(map(str, path))
    way = dice.choice(("nonsense", "nonsense", "number", "number", "other", "remove", "double", "rename"))
    if way == "remove":
        del parent[key]
        return facts, f"{name} removed", False
    if way == "double" and isinstance(parent, list):
        parent.insert(key, before)
        return facts, f"{name} doubled", False
    if way == "rename" and isinstance(parent, dict):
        parent[dice.choice(("x", "", str(key) + " ", str(key).upper()))] = parent.pop(key)
        return facts, f"{name} renamed", False
    if way == "other":  # a value from elsewhere in the file
        other = dice.choice(paths)
        value = deepcopy(_parent(facts, other)[other[-1]])
        parent[key] = value
        return facts, f"{name} = that of {'/'.join(map(str, other))}", _is_nonsense(path, before, value)
    # A copy: of lists that two changes share, the second could put one into itself.
    parent[key] = deepcopy(dice.choice(NUMBERS if way == "number" and type(before) in (int, float) else NONSENSE))
    return facts, f"{name} = {parent[key]!r:.40}", _is_nonsense(path, before, parent[key])


def as_text(facts: Any) -> str:
    """JSON, with whatever the marks stand for."""
    text = json.dumps(facts, indent=1)
    return text.replace(f'"{DEEP}"', "[" * 100_000 + "]" * 100_000).replace(f'"{LONG}"', "9" * 10_000)


def _is_nonsense(path: Path, before: Any, now: Any) -> bool:
    if "values" in path and (type(now) in (int, str) or (type(now) is float and isfinite(now))):
        return False  # a class, or a category: any text or number may be one
    if "cuts" in path and type(before) is type(now) is float and isfinite(now):
        return False  # between two cells of a table, which may be as large as numbers are
    if type(before) in (int, float) and type(now) in (int, float):
        if isinstance(before, int) and abs(before) >= EXTREME:  # a generator's state: as large as one likes
            return not isinstance(now, int)
        return not abs(now) < EXTREME and not (isinstance(before, float) and abs(now) <= 1e300)
    return type(before) is not type(now) and before is not None


def _paths(value: Any, start: Path = []) -> Any:  # noqa: B006 (never changed)
    """The ways to all values; of long lists only to the first ones."""
    items = value.items() if isinstance(value, dict) else enumerate(value[:20]) if isinstance(value, list) else ()
    for key, inner in items:
        yield [*start, key]
        yield from _paths(inner, [*start, key])


def _parent(facts: Any, path: Path) -> Any:
    for key in path[:-1]:
        facts = facts[key]
    return facts
