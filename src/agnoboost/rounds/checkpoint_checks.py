"""What a checkpoint must say. All of it is checked before a run goes on from it.

Three things are asked of a file. Its *seal*, a digest of everything that decides the rounds to come, must fit. Its
parts must be of the right types and shapes, and agree with each other and with the run. And the state that was taken
from it, packed again, must be what is in the file: nothing is left out, nothing is read as something else.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import numpy as np

from ..basics.kept import kept
from ..basics.typing import Arrays
from ..core.history import History
from ..core.tape import Shrink, Tape
from ..files.container import Facts

_COUNT = "a whole number that is not negative"


def seal(facts: Facts, arrays: Arrays) -> str:
    """A digest of a state."""
    digest = sha256(_text(facts).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {arrays[name].shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def check_facts(facts: Any, arrays: Arrays, layout: int, sources: int) -> None:
    """Refuse facts that are incomplete, of other types, or not those that the seal was made for."""
    if not isinstance(facts, dict):
        raise ValueError("its facts are no table of names and values")
    found = facts.get("layout", 1)
    if type(found) is not int or not 1 <= found <= layout:
        raise ValueError(f"it has layout {found!r}; this version of agnoboost reads layouts up to {layout}")
    sealed = {name: value for name, value in facts.items() if name != "seal"}
    if (found > 1 or "seal" in facts) and facts.get("seal") != seal(sealed, arrays):
        raise ValueError("its parts do not belong together: it was changed after it was written")
    wanted: dict[str, tuple[str, Callable[[Any], bool]]] = {
        "problem": ("a text", lambda value: isinstance(value, str)),
        "engine": ("a text", lambda value: isinstance(value, str)),
        "unit": ("a number", lambda value: type(value) is float),
        "features": (f"null, or {_COUNT}", lambda value: value is None or _is_count(value)),
        "generator": ("a table of names and values", lambda value: isinstance(value, dict)),
        "start": (f"two times {_COUNT}", lambda value: _are_counts(value, 2)),
        "drawn": (f"{sources} times {_COUNT}", lambda value: _are_counts(value, sources)),
    }
    for name, (what, fits) in wanted.items():
        if name not in facts or not fits(facts[name]):
            raise ValueError(f"its fact {name!r} must be {what}, not {facts.get(name)!r:.60}")
    kept(arrays, "history/number", np.int64, (None,))


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**62


def _are_counts(values: Any, count: int) -> bool:
    return isinstance(values, list) and len(values) == count and all(map(_is_count, values))


def without_gaps(arrays: Arrays) -> Arrays:
    """Arrays of a tape. Thresholds may be infinite; nothing in it is NaN."""
    if gaps := [name for name, array in arrays.items() if array.dtype.kind == "f" and np.isnan(array).any()]:
        raise ValueError(f"its part tape/{gaps[0]} has numbers that are none")
    return arrays


def check_history(arrays: Arrays, tape: Tape, drawn: tuple[int, int], start: tuple[int, ...]) -> History:
    """The history, if it is that of the steps on the tape and of the rows that were drawn."""
    rounds = len(tape)
    if not np.array_equal(kept(arrays, "number", np.int64, (rounds,)), np.arange(1, rounds + 1)):
        raise ValueError("its rounds are not numbered one by one")
    kept(arrays, "edge", np.float64, (rounds,))
    kept(arrays, "potential", np.float64, (rounds,))
    added = [not isinstance(step, Shrink) for step in tape.steps]
    if not np.array_equal(kept(arrays, "branch", np.bool_, (rounds,), 0, 1), added):
        raise ValueError("its history tells of other steps than its tape")
    for name, now, before in zip(("labeled_drawn", "unlabeled_drawn"), drawn, start, strict=True):
        counts = kept(arrays, name, np.int64, (rounds,), least=0)
        if (np.diff(counts) < 0).any() or (rounds and counts[-1] != now - before):
            raise ValueError(f"its history counts other rows ({name}) than were handed out")
    return History.from_arrays(arrays)


def check_same(found: tuple[Facts, Arrays], again: tuple[Facts, Arrays]) -> None:
    """Refuse a file whose state, packed again, is another one."""
    facts, arrays = found
    known = {name: value for name, value in again[0].items() if name in facts or name != "layout"}
    names = set(known) | ({"seal"} if "layout" in facts else {"potential"})  # early files always have a potential
    for name, value in known.items():
        if name not in facts or _text(facts[name]) != _text(value):
            raise ValueError(f"its fact {name!r} is not what a run would keep")
    if more := sorted(set(facts) - names):
        raise ValueError(f"it has facts that no run keeps: {', '.join(more)[:200]}")
    if set(arrays) != set(again[1]):
        raise ValueError(f"it has other parts than a run keeps: {sorted(set(arrays) ^ set(again[1]))[:3]}")
    for name, array in again[1].items():
        mine = arrays[name]
        if (mine.dtype, mine.shape) != (array.dtype, array.shape) or mine.tobytes() != array.tobytes():
            raise ValueError(f"its part {name!r} is not what a run would keep")


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False)
