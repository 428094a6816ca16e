"""Sample sizes from concentration inequalities, for finite base classes and for classes of known VC dimension."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, log, log1p, sqrt
from typing import Protocol


def whole(number: float) -> int:
    """Round up, but not for the last digits of floating point: 10000.000000000002 stays 10000."""
    return ceil(number * (1.0 - 1e-12))


class BaseClass(Protocol):
    """How rich the weak learner's class B is. The class B with the best hypothesis h* added is meant throughout."""

    def error(self, samples: float, failure: float) -> float:
        """With probability 1 - failure, all correlations on that many samples are this close to their means."""

    def samples(self, accuracy: float, failure: float) -> int:
        """The fewest samples for which ``error`` is at most ``accuracy``."""


@dataclass(frozen=True)
class FiniteClass:
    """log of the number of hypotheses. Hoeffding and a union bound: no unknown constant.

    P(|mean - E| > a) <= 2 exp(-n a^2 / 2) for values in [-1, 1].
    """

    log_size: float

    def error(self, samples: float, failure: float) -> float:
        return sqrt(2.0 * self._log_terms(failure) / samples)

    def samples(self, accuracy: float, failure: float) -> int:
        return whole(2.0 * self._log_terms(failure) / accuracy**2)

    def _log_terms(self, failure: float) -> float:
        return self.log_size + log1p(exp(-self.log_size)) + log(2.0 / failure)  # log(2 (|B| + 1) / failure)


@dataclass(frozen=True)
class VCClass:
    """VC dimension. Talagrand's bound, constant * sqrt((VC + log(1/failure))/n): the constant is an assumption."""

    vc: float
    constant: float

    def error(self, samples: float, failure: float) -> float:
        return self.constant * sqrt((self.vc + log(1.0 / failure)) / samples)

    def samples(self, accuracy: float, failure: float) -> int:
        return whole(self.constant**2 * (self.vc + log(1.0 / failure)) / accuracy**2)


def hoeffding(accuracy: float, failure: float, means: float = 1.0, width: float = 2.0) -> int:
    """Samples so that ``means`` averages of values in an interval of this width all come within ``accuracy``."""
    return whole(0.5 * (width / accuracy) ** 2 * log(2.0 * means / failure))
