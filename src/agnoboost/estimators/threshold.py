"""The decision threshold for two classes: 0, or where held-out rows are told apart best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.metrics import balanced_accuracy_score

from ..basics.typing import Floats, Ints

MOST_CUTS = 500  # thresholds that are tried


@dataclass(frozen=True)
class HeldOut:
    """Labeled rows with margins from runs that have not seen them (margins and targets: rows, problems)."""

    margins: Floats
    codes: Ints
    targets: Floats
    weight: Floats

    def first(self, count: int) -> HeldOut:
        """The first rows alone."""
        return HeldOut(self.margins[:count], self.codes[:count], self.targets[:count], self.weight[:count])


def refuse_several_classes(tune_threshold: bool, classes: int) -> None:
    """A threshold can be tuned for two classes only."""
    if tune_threshold and classes > 2:
        raise ValueError(f"tune_threshold=True is for two classes. Got {classes}. Use class_weight='balanced'.")


def tuned_cut(held_out: HeldOut | None) -> float:
    """The margin of the best balanced accuracy on held-out rows; among equally good ones the nearest to 0."""
    assert held_out is not None
    margins = held_out.margins[:, 0]
    values = np.unique(margins)
    between = (values[:-1] + values[1:]) / 2.0
    cuts = np.append(between[:: max(1, len(between) // MOST_CUTS)], 0.0)
    scores = [balanced_accuracy_score(held_out.codes, margins > cut, sample_weight=held_out.weight) for cut in cuts]
    best = np.flatnonzero(np.asarray(scores) >= max(scores) - 1e-12)
    return float(cuts[best[np.argmin(np.abs(cuts[best]))]])
