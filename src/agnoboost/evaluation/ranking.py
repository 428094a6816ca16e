"""How well probabilities rank rows, and whether that is more than chance."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy.typing as npt
from scipy.stats import norm, rankdata

from ..basics.intervals import NORMAL_95
from ..basics.typing import Bools, Floats, Ints


def roc_area(own: Bools, probability: Floats) -> tuple[float, float]:
    """The area under the ROC curve, and half of its 95% interval (DeLong's variance)."""
    above, below = _ranked(own, probability)
    return float(above.mean()), NORMAL_95 * _variance(above, below) ** 0.5


def roc_area_gain(own: Bools, before: Floats, after: Floats) -> tuple[float, float]:
    """How much larger the area is by other probabilities of the same rows, and half of its 95% interval (DeLong's)."""
    (above, below), (above_now, below_now) = _ranked(own, before), _ranked(own, after)
    gain = float(above_now.mean() - above.mean())
    return gain, NORMAL_95 * _variance(above_now - above, below_now - below) ** 0.5


def _ranked(own: Bools, probability: Floats) -> tuple[Floats, Floats]:
    """For each row of the class the share of other rows that are below it; for each other one that of those above."""
    ranks, hits, rest = rankdata(probability), int(own.sum()), int((~own).sum())
    above = (ranks[own] - rankdata(probability[own])) / rest
    return above, 1.0 - (ranks[~own] - rankdata(probability[~own])) / hits


def _variance(above: Floats, below: Floats) -> float:
    return sum(float(part.var(ddof=1)) / len(part) for part in (above, below) if len(part) > 1)


def knows_something(probabilities: Floats, codes: Ints) -> bool:
    """Whether rows of some class are ranked clearly higher than others, by models that have not seen them.

    The interval of the area must lie above 1/2, and is wider the more classes have such a chance.
    """
    classes = probabilities.shape[1]
    wider = norm.ppf(1.0 - 0.025 / max(classes - 1, 1)) / NORMAL_95
    for name in range(classes):
        own = codes == name
        if own.any() and not own.all():
            area, half = roc_area(own, probabilities[:, name])
            if area - wider * half > 0.5:
                return True
    return False


def no_help(labels: npt.NDArray[Any]) -> str:
    """What to say of a model that knows nothing of these labels."""
    (most_frequent, _), *_ = Counter(labels.tolist()).most_common(1)
    return f"This model knows nothing that helps: no better than always saying {most_frequent}."
