"""Figures of one class against the rest: curves, areas, and what each threshold would do."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10

import numpy as np
from sklearn.metrics import precision_recall_curve, roc_curve

from ..basics.typing import Bools, Floats, Ints
from ..evaluation.ranking import roc_area

STEPS = 101  # thresholds from 0 to 1


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
        """The highest one, to four digits, from which on at least so many rows of the class are flagged.

        >>> one = OneClass("a", np.array([True, True, False]), np.array([0.123456, 0.0000123456, 0.5]))
        >>> one.threshold_that_finds(0.5), one.threshold_that_finds(1.0)
        (0.1234, 1.234e-05)
        """
        own = np.sort(self.probability[self.own])[::-1]
        cut = float(own[ceil(share * len(own)) - 1])
        places = 3 - floor(log10(cut)) if cut > 0.0 else 0
        return floor(cut * 10.0**places) / 10.0**places

    def at_thresholds(self) -> tuple[Ints, Ints]:
        """Hits and false alarms if rows from each threshold on are flagged."""
        cuts = np.linspace(0.0, 1.0, STEPS) - 1e-12
        hits, alarms = np.sort(self.probability[self.own]), np.sort(self.probability[~self.own])
        return len(hits) - np.searchsorted(hits, cuts), len(alarms) - np.searchsorted(alarms, cuts)


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
