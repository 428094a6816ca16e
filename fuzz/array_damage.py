"""Damage to arrays: odd numbers in them, other types and shapes, headers that promise what is not there."""

import io
from random import Random

import numpy as np

HUGE = ("(1000000000000,)", "(4294967296, 4294967296)", "(-1,)", "(3, None)", "()")
WHOLE = (-1, 0, 1, 2, 9, 1000, 2**31, 2**63 - 1, -(2**63))
REAL = (np.nan, np.inf, -np.inf, 0.0, -1.0, 0.3, 1e308, -1e308, 1e-320)


def packed(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def changed(content: bytes, name: str, dice: Random) -> tuple[bytes, str, bool]:
    """A .npy with one change, what it is, and whether it is nonsense: what no writer could have written."""
    array = np.load(io.BytesIO(content))
    way = dice.choice(("value", "value", "value", "value", "values", "type", "shape", "header"))
    if way == "header":
        return _other_header(content, dice)
    if way == "type":
        return _other_type(array, dice)
    if way == "shape" or not array.size:
        return _other_shape(array, dice)
    array = array.copy()
    flat = array.reshape(-1)
    if way == "values":
        dice.shuffle(flat) if array.size < 5000 else np.random.default_rng(dice.getrandbits(32)).shuffle(flat)
        return packed(array), "shuffled", False
    place = dice.randrange(flat.size)
    value = _odd(array.dtype, dice)
    with np.errstate(all="ignore"):
        before, flat[place] = flat[place], value
    return packed(array), f"[{place}] {before!r} -> {flat[place]!r}", _is_nonsense(value, name)


def _is_nonsense(value: object, name: str) -> bool:
    """Whether no array of this name could hold it. Thresholds may be infinite, and rows of tables may have gaps."""
    if isinstance(value, float):
        allowed = np.isinf(value) if "threshold" in name else np.isnan(value) and name.endswith("/X.npy")
        return not (np.isfinite(value) or allowed)
    return isinstance(value, int) and abs(value) >= 2**63 - 1


def _odd(dtype: np.dtype, dice: Random) -> object:
    if dtype.kind == "f":
        return dice.choice(REAL)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return min(max(dice.choice(WHOLE), limits.min), limits.max)
    return dice.random() < 0.5 if dtype.kind == "b" else "odd"


def _other_type(array: np.ndarray, dice: Random) -> tuple[bytes, str, bool]:
    kind = dice.choice(
        ("f8", "f4", "f2", "i8", "i4", "i1", "u8", "?", "c16", "S3", "U2", "M8[s]", ">i8", ">f8", "object")
    )
    alike = any({array.dtype.kind, np.dtype(kind).kind} <= set(letters) for letters in ("iu", "f", "b"))
    with np.errstate(all="ignore"):
        try:
            array = array.astype(kind)
        except (TypeError, ValueError):
            array = np.zeros(array.shape, dtype=kind)
    return packed(array), f"type {kind}", not alike  # fewer digits make another model, but a valid one


def _other_shape(array: np.ndarray, dice: Random) -> tuple[bytes, str, bool]:
    ways = {
        "one more dimension": lambda: array[..., None],
        "doubled": lambda: np.concatenate([np.atleast_1d(array)] * 2),
        "without the last": lambda: np.atleast_1d(array)[:-1],
        "empty": lambda: np.atleast_1d(array)[:0],
        "one number": lambda: array.reshape(-1)[:1].reshape(()) if array.size else np.zeros((), array.dtype),
        "turned": lambda: np.asfortranarray(np.atleast_2d(array).T),
        "two rows": lambda: np.stack([array, array]),
    }
    way = dice.choice(list(ways))
    return packed(ways[way]()), way, way != "without the last"


def _other_header(content: bytes, dice: Random) -> tuple[bytes, str, bool]:
    start = content.index(b"'shape': ") + 9
    end = content.index(b")", start) + 1
    shape = dice.choice(HUGE)
    return content[:start] + shape.encode() + content[end:], f"header says {shape}", True
