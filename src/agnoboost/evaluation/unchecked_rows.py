"""Rows of an audit plan that nobody checked: figures are right only if chance chose which ones, and if it is known."""

from __future__ import annotations

import numpy as np

from ..basics.typing import Bools, Floats
from ..basics.user_warnings import tell

DEVIATIONS = 3.0  # of rows that are drawn one by one
ROUNDING = 1e-6
FEW_GROUPS = 20


class UncheckedRowsWarning(UserWarning):
    """Fewer rows have a gold label than the probabilities of an audit plan say."""


def left_unchecked(chance: Floats, known: Bools) -> bool:
    """Whether clearly fewer rows have a gold label than were drawn with these probabilities; with gaps nobody knows.

    Probabilities of many kinds whose sum is a whole number are those of a plan, which draws exactly so many rows; those
    of a few groups of rows may be a whole number by chance.

    >>> chance = np.full(1000, 0.05)
    >>> left_unchecked(chance, np.arange(1000) < 48), left_unchecked(chance, np.arange(1000) < 20)
    (False, True)
    """
    if np.isnan(chance).any():
        return False
    expected = float(chance.sum())
    of_plan = abs(expected - round(expected)) < ROUNDING and len(np.unique(chance)) > FEW_GROUPS
    scatter = 0.0 if of_plan else 1.0 + DEVIATIONS * float(np.sqrt(np.sum(chance * (1.0 - chance))))
    return bool(known.sum() < expected - ROUNDING - scatter)


def tell_of_unchecked(chance: Floats, known: Bools) -> None:
    """Warn if rows of a plan have no gold label."""
    if left_unchecked(chance, known):
        tell(
            f"sampling_probability is that of {chance.sum():.0f} rows, but {known.sum()} have a gold label. If these "
            "are the first rows of a plan, pass plan.first(number).sampling_probability: they are in random order. If "
            "hard rows were skipped, check them, too: figures are too good otherwise. (Where it holds mere "
            "proportions, all is well.)",
            UncheckedRowsWarning,
        )
