"""Boosted trees as members of a blend."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...basics.typing import Bools, Floats
from ...kernels.forest import Forest
from ...kernels.gradient_trees import TreeGrowth, grow

SUREST = 0.98  # the mean label that trees may start from


def fit_trees(
    codes: npt.NDArray[np.uint8],
    categorical: Bools,
    psi: Floats,
    pull: Floats,
    counts: npt.NDArray[Any],
    growth: TreeGrowth,
    seed: int,
    threads: int | None,
) -> tuple[Forest, Floats]:
    """The trees of all runs, and the mean margin of each row by runs that have not seen it; NaN where all have."""
    mean = np.clip((counts @ pull) / np.maximum(counts @ psi, 1e-300), -SUREST, SUREST)
    base = mean if growth.huber else np.log((1.0 + mean) / (1.0 - mean))
    own = replace(growth, seed=seed)
    grown = grow(codes, psi, pull, counts, own, categorical=categorical, base=base, threads=threads)
    return grown.forest, grown.outside()
