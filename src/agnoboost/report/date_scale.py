"""Dates along a scale: microseconds since 1970, and where to write them."""

from __future__ import annotations

from math import ceil

import numpy as np

# Between ticks: the largest of a unit that will do, and how much of a date tells them apart.
STEPS = {"Y": ((20, 10, 5, 2, 1), slice(4)), "M": ((6, 3, 1), slice(7)), "D": ((14, 7, 2, 1), slice(5, 10))}


def day(microseconds: float) -> str:
    """
    >>> day(1.7e15)
    '2023-11-14'
    """
    return str(np.array(microseconds).astype("datetime64[us]").astype("datetime64[D]"))


def date_ticks(low: float, high: float) -> dict[float, str]:
    """Two to five beginnings of years, months or days, with their words; where there are none, the first day.

    >>> date_ticks(1.6e15, 1.7e15)
    {1609459200000000.0: '2021', 1640995200000000.0: '2022', 1672531200000000.0: '2023'}
    >>> list(date_ticks(1.69e15, 1.7e15).values()), list(date_ticks(1.7e15, 1.7e15).values())
    (['2023-08', '2023-09', '2023-10', '2023-11'], ['2023-11-14'])
    """
    for unit, (steps, kept) in STEPS.items():
        first, last = np.array([low, high]).astype("datetime64[us]").astype(f"datetime64[{unit}]").astype(int).tolist()
        for step in steps:
            counts = np.arange(ceil((first + 1) / step) * step, last + 1, step)
            if 2 <= len(counts) <= 5:
                found = counts.astype(f"datetime64[{unit}]").astype("datetime64[us]").astype(float)
                return {tick: day(tick)[kept] for tick in found.tolist()}
    return {low: day(low)}
