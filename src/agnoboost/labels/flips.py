"""Labels that were flipped at known rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.checks import check_between
from ..basics.gaps import is_missing
from ..basics.intervals import binomial_interval
from ..basics.typing import Floats
from .models import ClassLabels, Evidence, LabelModel
from .reading import as_column, plain_values

MANY_CLASSES = 1_000_000  # for checks that must hold for any number of them


@dataclass(frozen=True)
class FlipRates(LabelModel):
    """Class labels of which a known share is wrong.

    If a positive label is turned with probability p and a negative one with probability n, independently of x, then

        E[observed | x] = (1 - p - n) E[y | x] + n - p,

    so that (observed - (n - p)) / (1 - p - n) stands for y without bias: margins and probabilities are those of the
    clean label. The stand-in is larger than 1, which is the price: its variance grows by 1/(1 - p - n)^2.

    Parameters
    ----------
    rate : float, optional
        P(wrong), the same for all classes; wrong labels are equally likely to be any of the other classes.
    positive, negative : float, optional
        For two classes, instead: P(wrong | second class) and P(wrong | first class) of ``classes_``.

    Examples
    --------
    >>> FlipRates(positive=0.3, negative=0.1).read([0, 1], 2).targets[:, 0].round(4).tolist()
    [-1.3333, 2.0]
    """

    rate: float | None = None
    positive: float | None = None
    negative: float | None = None

    def __post_init__(self) -> None:
        """What is wrong whatever the number of classes is told at once."""
        self._rates(2 if self.rate is None else MANY_CLASSES)

    def read(self, y: Any, rows: int, missing_label: Any = "auto", caller: str = "The label model") -> Evidence:
        found = ClassLabels().read(y, rows, missing_label, caller)
        positive, negative = self._rates(len(found.classes))
        return Evidence(found.classes, found.known, found.codes, stand_in(found.targets, positive, negative))

    def clean(self, probability: npt.ArrayLike) -> Floats:
        """P(y = second class | x) from P(observed = second class | x), of any model that was trained on the labels.

        >>> FlipRates(0.2).clean([0.2, 0.5, 0.8]).round(6).tolist()
        [0.0, 0.5, 1.0]
        """
        positive, negative = self._rates(2)
        p = np.asarray(probability, dtype=np.float64)
        return np.asarray(np.clip((p - negative) / (1.0 - positive - negative), 0.0, 1.0))

    def _rates(self, classes: int) -> tuple[float, float]:
        """Rates of a one-against-rest problem: of its positive and of its negative rows."""
        if (self.rate is None) == (self.positive is None and self.negative is None):
            raise ValueError("FlipRates needs a rate for all classes, or positive and negative. Got both or neither.")
        if self.rate is not None:
            positive = check_between(self.rate, 0.0, 1.0, "rate", open_low=False, open_high=True)
            negative = positive / (classes - 1)
        else:
            if classes != 2:
                raise ValueError(f"positive and negative rates are for two classes. Got {classes}. Pass one rate.")
            positive = check_between(self.positive or 0.0, 0.0, 1.0, "positive", open_low=False, open_high=True)
            negative = check_between(self.negative or 0.0, 0.0, 1.0, "negative", open_low=False, open_high=True)
        if positive + negative >= 1.0:
            raise ValueError(
                f"Flip rates must sum to less than 1, or labels say nothing (or the opposite). Got {positive:g} and "
                f"{negative:g} in a problem of one class against the rest."
            )
        return positive, negative


def stand_in(observed: Floats, positive: float, negative: float) -> Floats:
    """(observed - (n - p)) / (1 - p - n)."""
    return (observed - (negative - positive)) / (1.0 - positive - negative)


@dataclass(frozen=True)
class AuditedRates:
    """Flip rates by rows whose true labels are known, with Clopper-Pearson intervals."""

    positive: float
    negative: float
    positive_interval: tuple[float, float]
    negative_interval: tuple[float, float]

    @property
    def label_model(self) -> FlipRates:
        return FlipRates(positive=self.positive, negative=self.negative)


def audit_flip_rates(observed: npt.ArrayLike, true: npt.ArrayLike, confidence: float = 0.95) -> AuditedRates:
    """Flip rates from rows that were labeled a second time, with care: drawn at random among the labeled rows.

    >>> found = audit_flip_rates([0, 0, 1, 1, 1, 0, 1, 1], [0, 0, 0, 1, 1, 1, 1, 1])
    >>> found.negative, found.positive
    (0.3333333333333333, 0.2)
    """
    check_between(confidence, 0.0, 1.0, "confidence", open_high=True)
    given, right = as_column(observed), as_column(true)
    if is_missing(given).any() or is_missing(right).any():
        raise ValueError("Audited rows must have both labels. Got gaps. Leave those rows out.")
    given, right = plain_values(given), plain_values(right)
    classes = np.unique(right)
    if given.shape != right.shape or len(classes) != 2 or not np.isin(given, classes).all():
        raise ValueError(
            f"observed and true must hold as many labels each, of the same two classes. Got {given.shape} and "
            f"{right.shape}, with {np.unique(given).tolist()[:5]} and {classes.tolist()[:5]}."
        )
    rates, intervals = [], []
    for name in classes:
        own = right == name
        wrong, count = int(np.count_nonzero(given[own] != name)), int(own.sum())
        rates.append(wrong / count)
        intervals.append(binomial_interval(wrong, count, confidence))
    return AuditedRates(rates[1], rates[0], intervals[1], intervals[0])
