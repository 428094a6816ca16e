"""Trees with real-valued leaves as arrays: all nodes in a row, tree after tree, children before their parents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.typing import Arrays, Ints
from ..core.learners.base import Hypothesis
from ..core.learners.regression_tree import RegressionTree
from ..core.learners.walk import Walk
from ..kernels.binning import WIDTH

_FIELDS = tuple(field.name for field in fields(Walk))
_NODES: dict[str, Any] = {
    "feature": np.int64,
    "threshold": np.float64,
    "missing": np.bool_,
    "value": np.float64,
    "group": np.int64,
}


def encode_regression_trees(trees: Sequence[RegressionTree]) -> Arrays:
    """The arrays of hypotheses."""
    return pack_walks([tree.walk for tree in trees])


def decode_regression_trees(arrays: Arrays) -> list[Hypothesis]:
    """The hypotheses of arrays that have been checked."""
    return [RegressionTree(walk) for walk in unpack_walks(arrays)]


def pack_walks(walks: Sequence[Walk]) -> Arrays:
    """``ends`` and ``set_ends`` say where each tree's nodes and sets of categories end; sets are 256 bits each."""
    child = np.concatenate([np.zeros((0, 2), np.int64), *(walk.child for walk in walks)])
    sets = np.concatenate([np.zeros((0, WIDTH), bool), *(walk.sets for walk in walks)])
    return {
        "ends": np.cumsum([len(walk.feature) for walk in walks], dtype=np.int64),
        "set_ends": np.cumsum([len(walk.sets) for walk in walks], dtype=np.int64),
        **{
            name: np.concatenate([np.zeros(0, kind), *(getattr(walk, name) for walk in walks)]).astype(kind)
            for name, kind in _NODES.items()
        },
        "below": child[:, 0],
        "above": child[:, 1],
        "sets": np.packbits(sets.astype(bool), axis=1),
    }


@dataclass(frozen=True, eq=False)
class ManyWalks:
    """The fields of :class:`Walk` for many trees in a row, and where the nodes and the sets of each end."""

    columns: tuple[npt.NDArray[Any], ...]
    ends: Ints
    set_ends: Ints

    def part(self, number: int) -> tuple[npt.NDArray[Any], ...]:
        """The fields of one tree."""
        *nodes, sets = self.columns
        own, own_sets = (slice(ends[number - 1] if number else 0, ends[number]) for ends in (self.ends, self.set_ends))
        return *(column[own] for column in nodes), sets[own_sets]


class KeptWalk(Walk):
    """One of many trees in common arrays.

    It takes its part of them when it is asked, and is next to nothing before: a file of a million trees takes hardly
    more memory than its arrays.
    """

    __slots__ = ("_many", "_number")
    _many: ManyWalks
    _number: int

    def __init__(self, many: ManyWalks, number: int) -> None:
        object.__setattr__(self, "_many", many)
        object.__setattr__(self, "_number", number)

    def __reduce__(self) -> tuple[type[Walk], tuple[Any, ...]]:
        return Walk, self.arrays  # by itself, without the others

    def __getattr__(self, name: str) -> Any:
        """A field that nobody has asked for yet."""
        if name not in _FIELDS:
            raise AttributeError(name)
        vars(self).update(zip(_FIELDS, self._many.part(self._number), strict=True))
        return vars(self)[name]


def unpack_walks(arrays: Arrays) -> list[Walk]:
    """What :func:`pack_walks` packed, of arrays that have been checked."""
    columns = {name: arrays[name].astype(kind, copy=False) for name, kind in _NODES.items()}
    columns["child"] = np.column_stack([arrays["below"], arrays["above"]]).astype(np.int64, copy=False)
    columns["sets"] = np.unpackbits(arrays["sets"], axis=1).view(np.bool_)
    ends, set_ends = (arrays[name].astype(np.int64) for name in ("ends", "set_ends"))
    many = ManyWalks(tuple(columns[name] for name in _FIELDS), ends, set_ends)
    return [KeptWalk(many, number) for number in range(len(ends))]
