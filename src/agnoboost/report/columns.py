"""Columns as a report counts and compares them: numbers or texts, whatever holds them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.gaps import is_gap, is_missing
from ..basics.typing import Bools, Floats, Ints
from ..tables import cells

TIMES = {"M": "datetime64[us]", "m": "timedelta64[us]"}


@dataclass(frozen=True)
class TableColumn:
    """One column: numbers with NaN for gaps, or texts with empty ones for gaps; dates are microseconds since 1970."""

    name: str
    missing: Bools
    numbers: Floats | None
    texts: npt.NDArray[Any] | None
    holds_dates: bool = False

    @cached_property
    def codes(self) -> Ints:
        """The same number for the same content; -1 for gaps."""
        found = np.full(len(self.missing), -1)
        if self.texts is None:
            found[~self.missing] = np.unique(self.known, return_inverse=True)[1]
        else:  # without sorting all of them
            known = self.known.tolist()
            number = {text: place for place, text in enumerate(sorted(set(known)))}
            found[~self.missing] = [number[text] for text in known]
        return found

    @property
    def known(self) -> npt.NDArray[Any]:
        """Cells that are not empty."""
        cells = self.numbers if self.numbers is not None else self.texts
        assert cells is not None
        return np.asarray(cells[~self.missing])

    @property
    def distinct(self) -> int:
        """How many different contents there are."""
        return int(self.codes.max(initial=-1)) + 1


def columns_of(X: Any) -> Iterator[TableColumn]:
    """All columns of a data frame or an array, in order."""
    named = cells.is_frame(X)
    for column in cells.columns_of(X):
        name, raw = str(column.name) if named else f"column {column.name}", column.plain()
        missing = is_missing(raw)
        try:
            numbers = _floats(raw, missing)
            yield TableColumn(name, missing, numbers, None, raw.dtype.kind == "M")
        except (TypeError, ValueError):
            texts = ["" if gap else str(value) for value, gap in zip(raw, missing, strict=True)]
            yield TableColumn(name, missing, None, np.array(texts, dtype=object))  # not each as wide as the longest


def _floats(raw: npt.NDArray[Any], missing: Bools) -> Floats:
    """Numbers, NaN where missing, unless some are texts: "007" is not 7."""
    if raw.dtype.kind in TIMES:
        raw = raw.astype(TIMES[raw.dtype.kind]).astype(np.int64)
    elif raw.dtype.kind not in "biuf":
        if any(isinstance(value, str) for value in raw):
            raise ValueError
        raw = np.where(missing, np.nan, raw)
    return np.where(missing, np.nan, raw.astype(np.float64))


def fingerprint(X: Any, y: npt.NDArray[Any]) -> str:
    """A short hash of all names, cells and labels: the same for the same content, however it is stored."""
    found = sha256()
    for column in columns_of(X):
        found.update(f"\0{column.name}\0".encode("utf-8", "replace"))
        found.update(column.missing.tobytes())
        found.update(column.known.astype(float).tobytes() if column.texts is None else _joined(column.known))
    found.update(_joined("" if is_gap(label) else label for label in y))
    return found.hexdigest()[:16]


def _joined(values: Any) -> bytes:
    return "\x1f".join(str(value) for value in values).encode("utf-8", "replace")
