"""What both ways to grow boosted trees read and write: a rule, and tables of trees."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..basics.typing import Bools, Floats, Ints

FIELDS = 6  # tables that describe nodes


class GrowthRule(NamedTuple):
    """How trees are grown, in numbers: see :class:`agnoboost.kernels.gradient_trees.TreeGrowth`.

    Trees that only their depth limits grow ``by_level``: whatever is worth dividing will be divided, in any order, so
    leaves are taken as they come.
    """

    huber: bool
    leaves: int
    depth: int
    by_level: bool
    step: float
    ridge: float
    least: float
    smooth: float
    looked_at: int
    random_cuts: bool
    patience: int
    symmetric: bool


class TreeTables(NamedTuple):
    """Room for the trees of all runs, by round, with their numbers of nodes.

    ``potential`` is that of the rows outside, from 0 trees on.
    """

    feature: npt.NDArray[np.int32]
    low: npt.NDArray[np.uint8]
    width: npt.NDArray[np.uint8]
    child: npt.NDArray[np.int32]
    value: Floats
    sets: npt.NDArray[np.uint64]
    size: Ints
    potential: Floats

    @classmethod
    def room(cls, runs: int, rounds: int, leaves: int) -> TreeTables:
        """Empty tables."""
        shape = (runs, rounds, 2 * leaves - 1)
        return cls(
            feature=np.zeros(shape, dtype=np.int32),
            low=np.zeros(shape, dtype=np.uint8),
            width=np.zeros(shape, dtype=np.uint8),
            child=np.zeros(shape, dtype=np.int32),
            value=np.zeros(shape),
            sets=np.zeros((*shape, 4), dtype=np.uint64),
            size=np.zeros((runs, rounds), dtype=np.int64),
            potential=np.full((runs, rounds + 1), np.nan),
        )


class GrowthWork(NamedTuple):
    """What trees of several runs are grown from, and the tables that they are written to.

    Codes (features, rows), which features are categorical, what rows weigh and pull, how often runs hold them (runs,
    rows), the rule, and for each run a random key and the margin that it starts with.
    """

    codes: npt.NDArray[np.uint8]
    categorical: Bools
    mass: Floats
    label: Floats
    counts: npt.NDArray[Any]
    rule: GrowthRule
    grown: TreeTables
    keys: Ints
    base: Floats
