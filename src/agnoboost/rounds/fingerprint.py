"""What a run depends on, in a few digits; and generators as JSON."""

from __future__ import annotations

import hashlib
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from ..core.sources import Source


def fingerprint(*parts: Any) -> str:
    """A digest of everything that a run depends on, data included."""
    digest = hashlib.sha256()
    for part in parts:
        _digest(part, digest, set())
    return digest.hexdigest()


def _digest(part: Any, digest: Any, seen: set[int]) -> None:
    if isinstance(part, np.ndarray):
        digest.update(f"{part.dtype} {part.shape}".encode())
        for block in np.array_split(part, max(1, part.nbytes >> 24)):
            digest.update(np.ascontiguousarray(block).data)
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
        for name in ("X", "y", "mass"):
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


def from_json(state: Any) -> Any:
    """What :func:`to_json` gave."""
    if isinstance(state, dict):
        if set(state) == {"array", "dtype"}:
            return np.array(state["array"], dtype=state["dtype"])
        return {key: from_json(value) for key, value in state.items()}
    return state
