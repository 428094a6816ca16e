"""Figures of one class against the rest: curves, areas, and what each threshold would do."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10

import numpy as np
from sklearn.metrics import precision_recall_curve, roc_curve

from ..basics.typing import Bools, Floats, Ints
from ..evaluation.ranking import roc_area

STEPS = 101  # thresholds of a scale
DRAWS = 4_000  # of labels, to see what chance does


@dataclass(frozen=True, eq=False)  # the same only as itself: arrays have no single answer
class OneClass:
    """One class among judged rows: which rows have it, and how likely each was said to have it."""

    name: str
    own: Bools
    probability: Floats

    @property
    def roc(self) -> tuple[Floats, Floats]:
        """False alarms against hits."""
        alarms, hits, _ = roc_curve(self.own, self.probability)
        return alarms, hits

    @property
    def precision_recall(self) -> tuple[Floats, Floats]:
        """Recall against precision, from the highest threshold to the lowest."""
        precision, recall, _ = precision_recall_curve(self.own, self.probability)
        return recall[-2::-1], precision[-2::-1]  # without the end that no threshold reaches

    @property
    def area(self) -> tuple[float, float]:
        """The area under the ROC curve, and half of its 95% interval."""
        return roc_area(self.own, self.probability)

    def threshold_that_finds(self, share: float) -> float:
        """The highest one, to three digits, from which on at least so many rows of the class are flagged.

        >>> one = OneClass("a", np.array([True, True, False]), np.array([0.123456, 0.0000123456, 0.5]))
        >>> one.threshold_that_finds(0.5), one.threshold_that_finds(1.0)
        (0.123, 1.23e-05)
        """
        own = np.sort(self.probability[self.own])[::-1]
        cut = float(own[ceil(share * len(own)) - 1])
        places = 2 - floor(log10(cut)) if cut > 0.0 else 0
        return floor(cut * 10.0**places) / 10.0**places

    def at_thresholds(self, cuts: Floats) -> tuple[Ints, Ints]:
        """Hits and false alarms if rows from each threshold on are flagged."""
        cuts = cuts - 1e-12
        hits, alarms = np.sort(self.probability[self.own]), np.sort(self.probability[~self.own])
        return len(hits) - np.searchsorted(hits, cuts), len(alarms) - np.searchsorted(alarms, cuts)


def zoomed(probability: Floats) -> tuple[float, float]:
    """A scale for probabilities that all lie near 0, or near 1; it is cut where quarters of it are round numbers.

    >>> zoomed(np.array([0.01, 0.17])), zoomed(np.array([0.95, 0.999])), zoomed(np.array([0.2, 0.7]))
    ((0.0, 0.2), (0.94, 1.0), (0.0, 1.0))
    """
    most, least = float(probability.max()), float(probability.min())
    if least >= 0.5:
        return round(1.0 - _round_above(1.0 - least), 12), 1.0
    return 0.0, _round_above(most)


def _round_above(value: float) -> float:
    """
    >>> _round_above(0.017), _round_above(0.4), _round_above(0.41), _round_above(0.0)
    (0.02, 0.4, 0.6, 1e-06)
    """
    wide = (one * 10.0**-power for power in range(6, -1, -1) for one in (1, 2, 4, 6) if one * 10.0**-power <= 1.0)
    return next(round(one, 12) for one in wide if one >= value or one == 1.0)


@dataclass(frozen=True)
class CalibrationBin:
    """Rows of about the same probability: its mean, how many there are, how many of them were right."""

    probability: float
    rows: int
    right: int


def calibration(probability: Floats, right: Bools, bins: int = 10) -> list[CalibrationBin]:
    """Bins of equally many rows, the least probable first."""
    order = np.argsort(probability, kind="stable")
    parts = np.array_split(order, max(1, min(bins, len(order) // 10)))
    return [CalibrationBin(float(probability[part].mean()), len(part), int(right[part].sum())) for part in parts]


def gap(bins: list[CalibrationBin]) -> float:
    """Mean distance between probabilities and what came true."""
    rows = sum(one.rows for one in bins)
    return sum(abs(one.right - one.rows * one.probability) for one in bins) / rows


def gap_by_chance(bins: list[CalibrationBin]) -> tuple[float, float]:
    """What :func:`gap` is on average if all probabilities are true, and its 97.5% quantile.

    Bins of few rows are never right on the dot. So labels are drawn by the probabilities, over and over; rows of a bin
    have its mean, which makes chance a little larger than it is, never smaller.

    >>> mean, most = gap_by_chance([CalibrationBin(0.5, 15, 7)] * 10)
    >>> round(mean, 2), round(most, 2)
    (0.1, 0.15)
    """
    rows, said = np.array([one.rows for one in bins]), np.array([one.probability for one in bins])
    came = np.random.default_rng(0).binomial(rows, np.clip(said, 0.0, 1.0), (DRAWS, len(bins)))
    gaps = np.abs(came - rows * said).sum(axis=1) / rows.sum()
    return float(gaps.mean()), float(np.quantile(gaps, 0.975))
