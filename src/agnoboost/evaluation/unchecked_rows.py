"""Rows of an audit plan that nobody checked: figures are right only if chance chose which ones.

Weights are relative, so that labels of a random part of a plan judge as well as those of all of it, just less closely.
Rows from its top are such a part, since plans are in random order; rows that were skipped for being hard are none.
"""

from __future__ import annotations

import numpy as np

from ..basics.typing import Bools, Floats
from ..basics.user_warnings import tell

DEVIATIONS = 3.0  # of rows that are drawn one by one; plans scatter less


class UncheckedRowsWarning(UserWarning):
    """Clearly fewer rows have a gold label than the probabilities of an audit plan say."""


def left_unchecked(chance: Floats, known: Bools) -> bool:
    """Whether clearly fewer rows have a gold label than were drawn with these probabilities; with gaps nobody knows.

    >>> chance = np.full(1000, 0.05)
    >>> left_unchecked(chance, np.arange(1000) < 48), left_unchecked(chance, np.arange(1000) < 20)
    (False, True)
    """
    if np.isnan(chance).any():
        return False
    scatter = np.sqrt(np.sum(chance * (1.0 - chance)))
    return bool(known.sum() < chance.sum() - 1.0 - DEVIATIONS * scatter)


def tell_of_unchecked(chance: Floats, known: Bools) -> None:
    """Warn if rows of a plan have no gold label."""
    if left_unchecked(chance, known):
        tell(
            f"sampling_probability is that of {chance.sum():.0f} rows, but {known.sum()} have a gold label. Figures "
            "are right if chance chose which ones: those from the top of a plan are in random order. They are not if "
            "hard rows were skipped: check the others, too. (Where it holds mere proportions, all is well.)",
            UncheckedRowsWarning,
        )
