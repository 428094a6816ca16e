"""Rows that stay elsewhere: on other machines, or on a disk."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..basics.checks import check_count
from ..basics.typing import Rng
from .sources import Sample, Source


class FarRows(Source):
    """Rows of equal mass that stay where they are, on other machines or on a disk, and are only counted here.

    They cannot be drawn: only an engine that asks ``table``, which keeps them (:mod:`agnoboost.rounds.far`), can learn
    from them. Labeled ones are +1 if they are of class number ``positive``. ``identity`` tells the rows from all
    others, for checkpoints.
    """

    def __init__(self, table: Any, rows: int, n_features: int, *, labeled: bool, positive: int = 1, identity: str = ""):
        self.table, self.labeled, self.n_features = table, labeled, n_features
        self.positive, self.identity = positive, f"{identity} {positive}"
        self._rows = check_count(rows, "rows")

    def __len__(self) -> int:
        return self._rows

    def whole(self) -> Sample:
        return Sample(np.empty((0, self.n_features or 0)), np.empty(0), np.empty(0), far=self)

    def draw(self, n: int | None, rng: Rng) -> Sample:
        raise ValueError(
            "Rows that stay elsewhere cannot be drawn: they are used whole, with a HistogramStumpLearner, fixed steps "
            "and the Huber potential. Got another kind of booster, learner or engine. Draw from rows in memory: Pool."
        )
