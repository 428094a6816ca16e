"""Labels that look wrong: rows for which models that have not seen them are surer of another class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..evaluation.held_out import HeldOutPredictions

SURE = 0.8  # of another class: from here on a label is worth a second look
FEWEST = 50  # labels: below, probabilities say too little


@dataclass(frozen=True)
class Suspect:
    """A labeled row (``place`` among them) with its label, the likelier class, and the probabilities of both."""

    place: int
    given: Any
    likelier: Any
    p_given: float
    p_likelier: float


def suspects(judged: HeldOutPredictions) -> list[Suspect]:
    """Rows whose label is likelier another one, the surest first."""
    names = sorted(set(judged.y.tolist()))
    codes, rows = np.searchsorted(names, judged.y.tolist()), np.arange(len(judged.y))
    given = judged.probabilities[rows, codes]
    others = judged.probabilities.copy()
    others[rows, codes] = -1.0
    likelier = others.argmax(axis=1)
    gap = others[rows, likelier] - given
    order = [int(i) for i in np.argsort(-gap, kind="stable") if gap[i] > 0]
    return [Suspect(i, judged.y[i], names[likelier[i]], float(given[i]), float(others[i, likelier[i]])) for i in order]
