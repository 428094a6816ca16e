"""What a run depends on, in a few digits; and generators as JSON."""

from __future__ import annotations

import hashlib
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from ..basics.device_arrays import on_device, to_host
from ..core.sources import Source


def fingerprint(*parts: Any) -> str:
    """A digest of everything that a run depends on, data included."""
    digest = hashlib.sha256()
    for part in parts:
        _digest(part, digest, set())
    return digest.hexdigest()


def _digest(part: Any, digest: Any, seen: set[int]) -> None:
    if isinstance(part, np.ndarray) or on_device(part):
        digest.update(f"{part.dtype} {part.shape}".encode())
        for block in np.array_split(part, max(1, part.nbytes >> 24)):
            digest.update(np.ascontiguousarray(to_host(block)).data)
        return
    if id(part) in seen:
        return
    digest.update(type(part).__qualname__.encode())
    if is_dataclass(part) and not isinstance(part, type):
        seen.add(id(part))
        for entry in fields(part):
            if not entry.name.startswith("_"):  # memories change nothing
                _digest(getattr(part, entry.name), digest, seen)
    elif isinstance(part, Source):
        for name in ("X", "y", "mass", "identity"):
            if vars(part).get(name) is not None:
                _digest(vars(part)[name], digest, seen)
    else:
        digest.update(repr(part).encode())


def to_json(state: Any) -> Any:
    """A generator's state as JSON."""
    if isinstance(state, dict):
        return {key: to_json(value) for key, value in state.items()}
    if isinstance(state, np.ndarray):
        return {"array": state.tolist(), "dtype": state.dtype.str}
    return state.item() if isinstance(state, np.generic) else state


def from_json(state: Any, like: Any) -> Any:
    """What :func:`to_json` gave, of a generator whose state is ``like`` it but for the numbers.

    numpy takes the numbers as they come, and reads beyond its own arrays where a position is not in them.
    """
    if isinstance(like, dict):
        if not isinstance(state, dict) or set(state) != set(like):
            raise ValueError("the state of the generator must have the names that such states have")
        return {key: _position(key, from_json(value, like[key])) for key, value in state.items()}
    if isinstance(like, np.ndarray):
        known = {"array": list, "dtype": str}
        if not isinstance(state, dict) or {name: type(value) for name, value in state.items()} != known:
            raise ValueError("the state of the generator must have arrays where such states have them")
        if state["dtype"] != like.dtype.str or len(state["array"]) != len(like):
            raise ValueError(f"the state of the generator must have {len(like)} numbers of type {like.dtype}")
        return np.array(state["array"], dtype=like.dtype)
    if type(state) is not type(like):
        raise ValueError(f"the state of the generator must have {like!r:.20} or the like, not {state!r:.20}")
    return state


_LAST = {"pos": 624, "buffer_pos": 4}  # one beyond the last number of MT19937 and of Philox


def _position(name: str, value: Any) -> Any:
    if name in _LAST and not 0 <= value <= _LAST[name]:
        raise ValueError(f"the state of the generator must have a {name} of 0 to {_LAST[name]}, not {value!r:.20}")
    return value
