"""Labels that were flipped at known rates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..basics.checks import check_between
from ..basics.gaps import is_missing
from ..basics.intervals import binomial_interval
from ..basics.typing import Floats
from .channel import LabelChannel
from .reading import as_column, plain_values


@dataclass(frozen=True)
class FlipRates(LabelChannel):
    """Class labels of which a known share is wrong.

    If a positive label is turned with probability p and a negative one with probability n, independently of x, then

        E[observed | x] = (1 - p - n) E[y | x] + n - p,

    so that (observed - (n - p)) / (1 - p - n) stands for y without bias: margins and probabilities are those of the
    clean label. The stand-in is larger than 1, which is the price: :meth:`worth` says how much. Rates that differ among
    more than two classes are a :class:`~agnoboost.labels.NoiseMatrix`.

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
        if self.rate is not None:
            check_between(self.rate, 0.0, 1.0, "rate", open_low=False, open_high=True)
        if self.rate is None or self.positive is not None or self.negative is not None:
            self.chances(2)

    def chances(self, classes: int) -> Floats:
        if (self.rate is None) == (self.positive is None and self.negative is None):
            raise ValueError("FlipRates needs a rate for all classes, or positive and negative. Got both or neither.")
        if self.rate is not None:
            rate = check_between(self.rate, 0.0, 1.0, "rate", open_low=False, open_high=True)
            other = rate / (classes - 1)
            return _chances(np.where(np.eye(classes, dtype=bool), 1.0 - rate, other), rate, other)
        if classes != 2:
            raise ValueError(
                f"positive and negative rates are for two classes. Got {classes}. Pass one rate, or a NoiseMatrix."
            )
        positive = check_between(self.positive or 0.0, 0.0, 1.0, "positive", open_low=False, open_high=True)
        negative = check_between(self.negative or 0.0, 0.0, 1.0, "negative", open_low=False, open_high=True)
        return _chances(np.array([[1.0 - negative, negative], [positive, 1.0 - positive]]), positive, negative)


def _chances(matrix: Floats, positive: float, negative: float) -> Floats:
    """The matrix, unless labels would say nothing of a class against the rest."""
    if positive + negative >= 1.0:
        raise ValueError(
            f"Flip rates must sum to less than 1, or labels say nothing (or the opposite). Got {positive:g} and "
            f"{negative:g} in a problem of one class against the rest."
        )
    return matrix


@dataclass(frozen=True)
class AuditedRates:
    """Flip rates by rows whose true labels are known, with Clopper-Pearson intervals.

    Attributes
    ----------
    positive, negative : float
        P(wrong | second class) and P(wrong | first class).
    positive_interval, negative_interval : tuple of float
        Their intervals.
    """

    positive: float
    negative: float
    positive_interval: tuple[float, float]
    negative_interval: tuple[float, float]

    @property
    def label_model(self) -> FlipRates:
        """The label model with these rates."""
        return FlipRates(positive=self.positive, negative=self.negative)


def audit_flip_rates(observed: npt.ArrayLike, true: npt.ArrayLike, confidence: float = 0.95) -> AuditedRates:
    """Flip rates from rows that were labeled a second time, with care: drawn at random among the labeled rows.

    Parameters
    ----------
    observed : array
        Labels as they were.
    true : array
        Labels as they should have been.
    confidence : float, default=0.95
        Of each interval.

    Returns
    -------
    AuditedRates
        Its ``label_model`` has these rates.

    Examples
    --------
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
