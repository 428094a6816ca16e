"""Input checks. Every message says what was expected, what came, and what to do."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from .device_arrays import as_cupy, on_device, to_host
from .suggestions import did_you_mean
from .threads import any_part
from .typing import Floats, Matrix, Rng


def as_matrix(X: npt.ArrayLike, name: str = "X") -> Matrix:
    """Return ``X`` as a read-only numeric matrix with at least one row and one column, without infinities.

    NaN means missing; whether that is accepted is for the weak learner to say (:func:`refuse_missing`). A matrix on a
    GPU stays there, as an array of CuPy.
    """
    if isinstance(X, tuple):
        raise ValueError(
            f"{name} must be a table. Got a tuple of {len(X)}. Pass unlabeled rows without labels: X, not (X, y)."
        )
    if hasattr(X, "toarray"):
        raise ValueError(f"{name} must be dense. Got {type(X).__name__}, a sparse matrix. Pass X.toarray().")
    array = as_cupy(X) if on_device(X) else np.asarray(X)
    if array.ndim != 2:
        raise ValueError(
            f"{name} must be a table with 2 dimensions (rows, features). Got {array.ndim} dimension(s) "
            f"with shape {array.shape}. Reshape it, for example with X.reshape(-1, 1) for one feature."
        )
    if 0 in array.shape:
        raise ValueError(
            f"{name} must have at least one row and one feature. Got shape {array.shape}. "
            "Check the filter or split that produced it."
        )
    if array.dtype == bool:
        array = array.astype(np.int8)
    if array.dtype.kind not in "iuf":
        raise ValueError(
            f"{name} must be numeric. Got dtype {array.dtype}. Encode text and categories as numbers first, "
            "for example with sklearn.preprocessing.OrdinalEncoder."
        )
    if array.dtype.kind == "f" and _has_infinity(array):
        raise ValueError(
            f"{name} must be finite. Got infinity in {_rows_with(np.isinf(array))} of {len(array)} rows. "
            "Replace it by a large number, or by NaN where the value is missing."
        )
    view: Matrix = array.view()
    if not on_device(array):  # whose arrays know no such flag
        view.flags.writeable = False
    return view


_LOOKED_AT, _LOOKED_AT_THERE = 1 << 20, 1 << 26  # values at a time, on the host and on a GPU: so that little is made


def _has_infinity(array: Matrix) -> bool:
    there = on_device(array)
    rows = max(1, (_LOOKED_AT_THERE if there else _LOOKED_AT) // array.shape[1])
    parts = range(0, len(array), rows)
    return any_part(lambda start: bool(np.isinf(array[start : start + rows]).any()), parts, together=not there)


def refuse_missing(X: Matrix, reason: str) -> None:
    """Refuse NaN on behalf of a weak learner that cannot take it."""
    if X.dtype.kind == "f" and np.isnan(X).any():
        raise ValueError(
            f"X must have no missing values here. Got NaN in {_rows_with(np.isnan(X))} of {len(X)} rows. {reason} "
            "Or impute them first, for example with sklearn.impute.SimpleImputer."
        )


def as_labels(y: npt.ArrayLike, rows: int, name: str = "y") -> Floats:
    """Return ``y`` as floats in {-1, +1}, one for each of ``rows`` rows."""
    array = np.asarray(to_host(y))
    if array.shape != (rows,):
        raise ValueError(
            f"{name} must hold one label for each of the {rows} rows of X. Got shape {array.shape}. "
            "Pass a 1-dimensional array of the same length as X."
        )
    if array.dtype.kind == "O":  # numbers that came as objects are numbers
        with suppress(TypeError, ValueError):
            array = array.astype(np.float64)
    numeric = array.dtype.kind in "iuf"
    if not numeric or not np.isin(array, (-1, 1)).all():
        found = _some_values(array)
        advice = (
            "Rows marked 0 are unlabeled: separate them with agnoboost.split_labels(X, y)."
            if numeric and set(found) <= {-1, 0, 1}
            else "Map the two classes first, for example with np.where(y == positive_class, 1, -1)."
        )
        raise ValueError(f"{name} must contain only -1 and +1. Got values such as {found}. {advice}")
    return array.astype(np.float64)


def as_soft_labels(y: npt.ArrayLike, rows: int, name: str = "y") -> Floats:
    """Return ``y`` as finite numbers, one for each of ``rows`` rows."""
    array = np.asarray(to_host(y), dtype=np.float64)
    if array.shape != (rows,) or not np.isfinite(array).all():
        raise ValueError(
            f"{name} must hold one finite number for each of the {rows} rows of X. Got shape {array.shape}, "
            f"{np.count_nonzero(~np.isfinite(array))} of them not finite. Leave rows without label out."
        )
    return array


def as_mass(mass: npt.ArrayLike | None, rows: int, name: str = "mass") -> Floats:
    """Return nonnegative weights that sum to one; uniform if none are given."""
    if mass is None:
        return np.full(rows, 1.0 / rows)
    array = np.asarray(to_host(mass), dtype=np.float64)
    if array.shape != (rows,):
        raise ValueError(f"{name} must hold one weight for each of the {rows} rows. Got shape {array.shape}.")
    if not np.isfinite(array).all() or (array < 0).any() or array.sum() <= 0:
        raise ValueError(
            f"{name} must be finite, nonnegative and not all zero. Got minimum {array.min()} and sum "
            f"{array.sum()}. Remove or correct those weights."
        )
    return np.asarray(array / array.sum(), dtype=np.float64)


def check_between(
    value: float, low: float, high: float, name: str, *, open_low: bool = True, open_high: bool = False
) -> float:
    """Return ``value`` if it lies in the interval; the message shows the interval as it is written."""
    interval = f"{'(' if open_low else '['}{low:g}, {high:g}{')' if open_high else ']'}"
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number in {interval}. Got {value!r} instead.") from None
    above = number > low if open_low else number >= low
    below = number < high if open_high else number <= high
    if not (above and below):
        raise ValueError(f"{name} must be in {interval}. Got {value!r} instead.")
    return number


def check_positive(value: float, name: str) -> float:
    """Return ``value`` if it is a positive finite number."""
    return check_between(value, 0.0, float("inf"), name, open_high=True)


def check_gamma(gamma: float) -> float:
    """Return ``gamma`` if it is in (0, 1] and not so small that steps could no longer be counted."""
    if check_between(gamma, 0.0, 1.0, "gamma") < 1e-9:
        raise ValueError(f"gamma must be at least 1e-9, or steps cannot be counted in whole units. Got {gamma!r}.")
    return float(gamma)


def check_count(value: int, name: str, *, least: int = 1) -> int:
    """Return ``value`` if it is a whole number of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}. Got {value!r} instead.")
    return int(value)


def as_generator(random_state: Any, name: str = "random_state") -> Rng:
    """Where chance comes from: a generator as it is, one by a seed, or one like no other for None."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must be a whole number of at least 0, a numpy Generator, or None. Got {random_state!r}."
        ) from None


def check_fixed_seed(checkpoint: Any, random_state: Any) -> None:
    """Refuse a checkpoint without a seed."""
    if checkpoint is not None and random_state is None:
        raise ValueError(
            "checkpoint needs a fixed random_state: otherwise no two runs are the same. Got random_state=None. "
            "Pass for example random_state=0."
        )


def check_word(value: str, known: tuple[str, ...], name: str, otherwise: str = "") -> str:
    """Return ``value`` if it is one of the known words; ``otherwise`` says what may be given instead of a word."""
    if value not in known:
        words = ", ".join(repr(word) for word in known)
        either = f", or {otherwise}" if otherwise else ""
        raise ValueError(f"{name} must be {words}{either}. Got {value!r} instead.{did_you_mean(value, known)}")
    return value


def check_same_features(found: int, expected: int, name: str) -> None:
    """Refuse a table whose number of columns differs from the one that was expected."""
    if found != expected:
        raise ValueError(
            f"{name} must have {expected} features, as the rest of the data does. Got {found}. "
            "Select and order the same columns in both tables."
        )


def _rows_with(cells: npt.NDArray[np.bool_]) -> int:
    return int(cells.any(axis=1).sum())


def _some_values(array: npt.NDArray[Any], most: int = 5) -> list[Any]:
    try:
        return list(np.unique(array)[:most].tolist())
    except TypeError:  # values of mixed types do not sort
        return list(dict.fromkeys(array.tolist()))[:most]
