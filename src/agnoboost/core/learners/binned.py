"""What weak learners over binned features share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from ...basics.memo import LastArray
from ...basics.typing import Matrix
from ...kernels.binning import Bins
from .base import WeakLearner

Codes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class BinnedLearner(WeakLearner):
    """Features as small whole numbers. Without ``bins`` a run places them by all rows that it knows beforehand."""

    bins: Bins | None = None
    _codes: LastArray[tuple[Bins, Codes]] = field(default_factory=LastArray, repr=False, compare=False, kw_only=True)

    def __repr__(self) -> str:
        if self.bins is None:
            return f"{type(self).__name__}()"
        return f"{type(self).__name__}({len(self.bins)} features, {len(self.bins.categorical)} categorical)"

    def seeing(self, tables: Sequence[Matrix]) -> Self:
        if self.bins is not None:
            return self
        if not tables:
            raise ValueError(
                f"{type(self).__name__}() places its bins by the rows of a table. Got streams only. Make it with "
                f"{type(self).__name__}.from_data(some_rows)."
            )
        return replace(self, bins=Bins.from_data(tables))

    def check(self, X: Matrix) -> None:
        if self.bins is not None:
            self.bins.check(X)

    def encoded(self, X: Matrix) -> tuple[Bins, Codes]:
        """The bins, and the rows in them."""

        def encode() -> tuple[Bins, Codes]:
            bins = Bins.from_data(X) if self.bins is None else self.bins
            return bins, bins.encode(X)

        return self._codes.get(encode, X)
