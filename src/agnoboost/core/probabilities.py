"""From margins to probabilities: H = E[y|x] minimises the potential, so (1 + psi'(H))/2 estimates P(y = +1 | x)."""

from __future__ import annotations

import numpy as np

from ..basics.typing import Floats
from .potentials import Huber

FENCE = 1e-9  # stands for a margin of exactly 0, which belongs to the positive class
SOFT = 1e-9  # weight of the part that keeps probabilities off 0 and 1, and in the order of the margins


def probabilities(margins: Floats) -> Floats:
    """(1 + psi'(H))/2 for each class, scaled to sum to one; in the order of the margins, never exactly 0 or 1."""
    if margins.shape[1] == 1:
        margins = np.where(margins == 0.0, FENCE, margins)
    clipped = (1.0 + Huber().psi_grad(margins)) / 2.0
    smooth = (1.0 + margins / (1.0 + np.abs(margins))) / 2.0
    return shares((1.0 - SOFT) * clipped + SOFT * smooth)


def shares(positive: Floats) -> Floats:
    """From P(class) in each one-against-rest problem to one column a class that sum to one."""
    if positive.shape[1] == 1:
        both = np.repeat(positive, 2, axis=1)
        np.subtract(1.0, positive[:, 0], out=both[:, 0])  # in its place: of many rows every copy counts
        return both
    return np.asarray(positive / positive.sum(axis=1, keepdims=True))
