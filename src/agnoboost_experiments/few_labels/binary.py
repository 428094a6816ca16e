"""A table with two classes."""

from __future__ import annotations

from dataclasses import dataclass

from agnoboost.basics.typing import Floats, Ints


@dataclass(frozen=True)
class Binary:
    """Rows with labels -1 and +1; categories as codes, missing values as NaN."""

    X: Floats
    y: Ints
    categorical: tuple[int, ...] = ()
