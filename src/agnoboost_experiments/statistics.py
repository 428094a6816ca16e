"""The few figures that the experiments report."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import stats


def standard_error(values: npt.ArrayLike) -> float:
    """Of the mean of independent values."""
    column = np.asarray(values, dtype=np.float64)
    return float(np.std(column, ddof=1) / np.sqrt(len(column)))


def mean_with_error(values: npt.ArrayLike) -> dict[str, float]:
    """As the pages show it."""
    return {"mean": float(np.asarray(values, dtype=np.float64).mean()), "error": standard_error(values)}


def paired_test(first: npt.ArrayLike, second: npt.ArrayLike) -> dict[str, float]:
    """The mean difference of pairs with its standard error and p-value."""
    return {**mean_with_error(np.subtract(first, second)), "p": paired_p(first, second)}


def paired_p(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Two-sided p-value of a paired t-test: are the means equal? 1 where all pairs are equal.

    >>> round(paired_p([1.0, 2.0, 3.0], [0.0, 2.0, 1.0]), 4)
    0.2254
    """
    difference = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    if not difference.any():
        return 1.0
    with np.errstate(divide="ignore"):  # the same difference everywhere
        t = np.abs(difference.mean()) / np.float64(standard_error(difference))
    return float(2.0 * stats.t.sf(t, len(difference) - 1))


def clustered(gaps: npt.ArrayLike, groups: npt.ArrayLike) -> dict[str, float]:
    """The mean of differences that come in groups, with half of a 95% interval; only the groups are independent.

    >>> found = clustered([0.1, 0.3, 0.0, 0.2], ["a", "a", "b", "b"])
    >>> round(found["mean"], 3), round(found["half_width"], 3), round(found["least"], 3)
    (0.15, 0.635, 0.1)
    """
    values, names = np.asarray(gaps, dtype=np.float64), np.asarray(groups)
    means = np.array([values[names == name].mean() for name in np.unique(names)])
    error = standard_error(means) if len(means) > 1 else float("nan")
    half = float(stats.t.ppf(0.975, max(len(means) - 1, 1))) * error
    return {"mean": float(means.mean()), "half_width": half, "least": float(means.min())}


def interval_over(gaps: npt.ArrayLike, groups: npt.ArrayLike) -> dict[str, float | None]:
    """The same as JSON can hold it: None is half of the interval of a single group.

    >>> interval_over([0.1, 0.3], ["a", "a"])["half_width"] is None
    True
    """
    return {name: value if np.isfinite(value) else None for name, value in clustered(gaps, groups).items()}


def slope(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """The exponent a of y ~ x**a, by least squares on logarithms.

    >>> round(slope([1, 2, 4], [3, 12, 48]), 6)
    2.0
    """
    return float(np.polyfit(np.log(np.asarray(x, float)), np.log(np.asarray(y, float)), 1)[0])
