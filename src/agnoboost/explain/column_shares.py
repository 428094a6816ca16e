"""How much each column counts in a model, by the model itself: one source for all who show it."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..basics.typing import Floats
from ..estimators import TableClassifier

ANSWERS, STEPS, GAINS = "how far answers move", "the steps that use it", "the gain of all splits"


class ColumnShares(NamedTuple):
    """A share for each column of the table, and what it is a share of, in plain words."""

    shares: Floats
    of: str


def column_shares(model: Any) -> ColumnShares | None:
    """``feature_importances_`` with its meaning; None for models, and files of earlier versions, that have none.

    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(60, 4, random_state=0)
    >>> column_shares(TableClassifier("fast", members=["linear"], random_state=0).fit(X, y)).of
    'how far answers move'
    """
    try:
        shares = model.feature_importances_
    except AttributeError:
        return None
    if isinstance(model, TableClassifier):
        return ColumnShares(shares, ANSWERS)
    return ColumnShares(shares, STEPS if hasattr(model, "tape_") else GAINS)
