"""Arrays from files: each must be what was written, or it is refused before anything rests on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .typing import Arrays

MOST = float(np.finfo(np.float64).max)  # so that infinity and NaN are refused


def kept(
    arrays: Arrays,
    name: str,
    dtype: npt.DTypeLike,
    shape: tuple[int | None, ...],
    least: float = -MOST,
    most: float = MOST,
) -> npt.NDArray[Any]:
    """The array of this name. ``shape`` has None where any length will do; all values are within the limits.

    >>> kept({"mass": np.array([0.5, 0.5])}, "mass", np.float64, (None,), least=0)
    array([0.5, 0.5])
    """
    if name not in arrays:
        raise ValueError(f"{name} is missing")
    array = arrays[name]
    if array.dtype != np.dtype(dtype):
        raise ValueError(f"{name} must hold {np.dtype(dtype)}, not {array.dtype}")
    if array.ndim != len(shape) or any(want not in (None, have) for want, have in zip(shape, array.shape, strict=True)):
        wanted = " x ".join("any" if length is None else str(length) for length in shape) or "one number"
        raise ValueError(f"{name} must be of shape {wanted}, not {array.shape}")
    if array.size and not (array.min() >= least and array.max() <= most):
        raise ValueError(f"{name} must be between {least:g} and {most:g}")
    return array


def kept_number(arrays: Arrays, name: str, least: float = -MOST, most: float = MOST) -> float:
    """One number, as an array without dimensions."""
    return float(kept(arrays, name, np.float64, (), least, most))


def check_sums_to_one(mass: npt.NDArray[Any], name: str) -> None:
    """Masses that are not those of a distribution are refused."""
    if not abs(float(mass.sum()) - 1.0) <= 1e-6:
        raise ValueError(f"{name} must sum to 1, not {float(mass.sum()):g}")
