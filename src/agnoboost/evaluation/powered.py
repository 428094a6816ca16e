"""Prediction-powered estimates: machine labels carry the bulk, gold ones remove their bias.

With w_i the weight of a gold row (1/probability, 0 without gold label), y_i its gold mark and g_i the machine's, the
mass of a row, and mass times mark, are

    rows_i = w_i + power * (1 - w_i),      marks_i = w_i y_i + power * (1 - w_i) g_i      (both divided by the rows).

If w_i has mean 1 their means are right, whatever the machine says and whatever the power. A power of 0 is the classical
estimate from gold rows alone. The power is chosen so that the variance is smallest, for each figure by itself
(Angelopoulos, Duchi and Zrnic, 2023): a useless machine gets none.

An interval is Clopper and Pearson's at the number of rows that would have the same variance, share * (1 - share) /
variance (Korn and Graubard, 1998). For shares among equally likely gold rows that is the exact classical interval.
Other means over all rows, as the Brier score, may depend on few rows with large errors of which by luck none is gold:
then gold rows do not show how far they are off. So their classical variance, too, is that with one more such row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from ..basics.intervals import binomial_interval
from ..basics.typing import Floats
from .measures import Measure, Measured, effective_count

MISSED = 1.0  # gold rows that refute the machine and are added, since by luck too few of them may have been drawn
PENALTY = 5.0  # the power is shrunk as if so many more gold rows had found nothing in the machine
POWERS = (-1.5, 1.5)
ROUNDING = 1e-15
FEWEST = 8.0  # gold rows that a figure must speak of before they can say what a machine is worth


@dataclass(frozen=True, eq=False)  # arrays have no single answer
class Marks:
    """A mark of each row: by gold labels (anything where there is none), by the machine, and how far labels move it."""

    gold: Floats
    machine: Floats
    reach: Floats


@dataclass(frozen=True)
class Estimate:
    """A figure, the ends of its interval, and the variance that they are made of."""

    value: float
    low: float
    high: float
    variance: float


@dataclass(frozen=True)
class Pair:
    """Of gold rows alone, and with the machine's help; both are the same where it is of none."""

    gold_only: Estimate
    powered: Estimate
    power: float

    @property
    def worth(self) -> float:
        """How many times as many gold labels would be needed without the machine."""
        if self.power == 0.0:
            return 1.0
        return self.gold_only.variance / self.powered.variance


def masses(weight: Floats, marks: Marks, power: float) -> tuple[Floats, Floats]:
    """Mass of each row, and mass times mark."""
    rest = power * (1.0 - weight)
    count = len(weight)
    return (weight + rest) / count, (weight * marks.gold + rest * marks.machine) / count


def best_power(weight: Floats, marks: Marks, measured: Measured) -> float:
    """The power of the smallest variance, a little closer to 0."""
    gold = weight * measured.influence(marks.gold)
    rest = (1.0 - weight) * measured.influence(marks.machine)
    size = float(rest @ rest)
    if size <= 0.0:
        return 0.0
    shrunk = 1.0 + PENALTY / np.count_nonzero(weight)
    return float(np.clip(-(gold @ rest) / size / shrunk, *POWERS))


def variance(weight: Floats, marks: Marks, power: float, measured: Measured) -> float:
    """Of the estimate: since few rows are gold, and since there are only so many rows."""
    influence = weight * measured.influence(marks.gold)
    influence += power * (1.0 - weight) * measured.influence(marks.machine)
    return float(influence @ influence) / len(weight) ** 2


def one_missed(weight: Floats, marks: Marks, measured: Measured) -> float:
    """What one more gold row that refutes the machine would add to the variance."""
    moved = np.where(weight > 0.0, measured.by_marks * marks.reach, 0.0) ** 2  # rows that move more count more
    return float(moved**2 @ weight**2 / moved.sum()) / len(weight) ** 2 if moved.any() else 0.0


def with_one_missed(spread: float, weight: Floats, marks: Marks, measured: Measured, most: float) -> float:
    """The variance of a mean over all rows if one more gold row had a large mark.

    It is at most that of marks that are all or nothing, among as many rows as if all had the largest weight: with this
    mean no marks vary more.
    """
    ceiling = measured.value * (most - measured.value) * float(weight.max()) / len(weight)
    return max(spread, min(spread + MISSED * one_missed(weight, marks, measured), ceiling))


def estimate(
    measure: Measure,
    weight: Floats,
    marks: Marks,
    confidence: float,
    *,
    binomial: bool = False,
    of_all: bool = False,
    most: float = 1.0,
) -> Pair | None:
    """A figure with its intervals; None if gold rows alone do not define it.

    Parameters
    ----------
    measure : the figure
    weight : array
        Of gold rows, with sum the number of rows; 0 for others.
    marks : what the figure looks at
    confidence : of the intervals
    binomial : bool
        Whether the figure is a share of equally likely gold rows: then the classical interval is exact.
    of_all : bool
        Whether the figure is a mean over all rows. (Others have wide intervals where rows are few: they count only the
        rows that they speak of.)
    most : float
        The largest value of the figure; the smallest is 0.
    """
    rows = masses(weight, marks, 0.0)
    classical = measure(*rows)
    if classical is None:
        return None
    count = measure.count(*rows)
    spread = variance(weight, marks, 0.0, classical)
    if of_all and not binomial:
        spread = with_one_missed(spread, weight, marks, classical, most)
    known = count * effective_count(weight**2) / effective_count(weight)  # rows that speak of the variance
    degrees = np.inf if binomial else known - 1.0
    gold_only = _interval(classical.value, spread, count, degrees, confidence, most)
    power = best_power(weight, marks, classical) if count >= FEWEST else 0.0
    helped = measure(*masses(weight, marks, power)) if power else None
    if helped is not None and 0.0 < helped.value < most:
        found = variance(weight, marks, power, helped) * count / (count - 2.0)  # two were estimated: figure and power
        found += MISSED * one_missed(weight, marks, helped)
        if found < spread:
            return Pair(gold_only, _interval(helped.value, found, count, known - 2.0, confidence, most), power)
    return Pair(gold_only, gold_only, 0.0)


def _interval(value: float, spread: float, count: float, degrees: float, confidence: float, most: float) -> Estimate:
    """Clopper and Pearson's at the effective number of rows; ``count`` of them where nothing is known of the spread."""
    share, tail = min(max(value / most, 0.0), 1.0), (1.0 - confidence) / 2.0
    if (known := spread / most**2) < ROUNDING:
        share, rows = round(share, 9), count
    else:
        rows = share * (1.0 - share) / known
    rows *= float(ndtri(tail) / stdtrit(max(degrees, 1.0), tail)) ** 2
    low, high = binomial_interval(share * rows, rows, confidence)
    return Estimate(value, most * low, most * high, spread)
