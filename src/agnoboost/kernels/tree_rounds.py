"""The Python side of :mod:`.compiled.tree_rounds`: a table that is prepared once, and room to work for each run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..basics.typing import Bools, Floats, Ints
from .growing import RunRows, room_for, rows_for, table_of
from .tree_arithmetic import whole_counts, whole_grains
from .tree_tables import FIELDS, GrowthRule, TreeTables

Keys = npt.NDArray[np.uint64]


class Leaves(NamedTuple):
    """What leaves may be: ``reach`` times the mean label, in whole ``grains``; a split must gain ``min_gain``."""

    reach: float
    min_gain: float
    grains: float


class RowProblem(NamedTuple):
    """What rounds need to know of each row: see :class:`.compiled.tree_rounds.Problem`."""

    mass: Floats
    pull: Floats
    bend: Floats
    psi: Floats
    label: Floats
    keys: Keys
    poisson: Floats


@dataclass(frozen=True)
class CountedBatch:
    """A batch as trees are grown from it: masses in units of the smallest, their sum, and mass times mean label."""

    mass: Floats
    whole: float
    pull: Floats

    @classmethod
    def of(cls, mass: Floats, target: Floats) -> CountedBatch:
        """Twin of what :func:`.compiled.tree_rounds.make_batch` does."""
        smallest = float(mass[mass > 0.0].min())
        counts = mass / smallest
        return cls(counts, whole_counts(1.0 / smallest), counts * whole_grains(target))


class GrownNodes(NamedTuple):
    """Nodes of several trees, one tree after the other, as they were grown: see :class:`.forest.Forest`.

    A root is its tree's first node, ``child`` the left child within the tree (0 at a leaf), which the right one
    follows.
    """

    sizes: Ints
    feature: npt.NDArray[np.int32]
    low: npt.NDArray[np.uint8]
    width: npt.NDArray[np.uint8]
    child: npt.NDArray[np.int32]
    value: Floats
    sets: npt.NDArray[np.uint64]


class TreeRoom:
    """A binned table (features, rows), and rooms for runs on it."""

    def __init__(self, codes: npt.NDArray[np.uint8], categorical: Bools):
        from .compiled import gradient_trees, tree_rounds

        self._kernels: Any = tree_rounds
        self._growing: Any = gradient_trees
        self._table = table_of(gradient_trees, np.ascontiguousarray(codes), categorical)

    def room(self, rule: GrowthRule) -> tuple[Any, Any, Any]:
        """Arrays for one run: rows, nodes and the rest."""
        count = self._table.codes.shape[0]
        nothing, places = np.empty((2, 0)), np.empty((2, count), dtype=np.uint32)
        sample = RunRows(np.empty(count), np.empty(count), places[0], places[1], nothing)
        return rows_for(self._growing, sample, 0.0), *room_for(self._growing, self._table, rule)

    def tree(self, counts: CountedBatch, rule: GrowthRule, leaves: Leaves, key: int) -> TreeTables:
        """One tree for a batch."""
        rows, nodes, space = self.room(rule)
        rows.gradient[:], rows.curvature[:] = counts.pull, counts.mass
        grown = _one_run(1, rule.leaves)
        pace = self._kernels.Pace(1.0, 1.0, 1.0, 0.0, *leaves)
        line = self._growing.tree_of(grown, 0)
        self._kernels.fit_tree(self._table, rows, nodes, space, rule, pace, line, key, counts.whole)
        grown.size[0] = space.state[self._growing.NODES]
        grown.value[:] /= leaves.grains
        return grown

    def run(
        self,
        problem: RowProblem,
        rule: GrowthRule,
        leaves: Leaves,
        unit: float,
        add: int,
        shrink: int,
        threshold: float,
    ) -> RoomyRun:
        """A run from margins of 0 on; see :class:`.compiled.tree_rounds.Pace`."""
        pace = self._kernels.Pace(unit, float(add), float(shrink), threshold, *leaves)
        return RoomyRun(self._kernels, self._table, self._kernels.Problem(*problem), self.room(rule), rule, pace)


class RoomyRun:
    """Rounds of one run, which keeps its margins; in whole units."""

    def __init__(self, kernels: Any, table: Any, problem: Any, room: tuple[Any, Any, Any], rule: GrowthRule, pace: Any):
        self._kernels, self._table, self._problem, self._room = kernels, table, problem, room
        self._rule, self._pace = rule, pace
        self.margins: Floats = room[0].margin

    def rounds(self, luck: Keys) -> tuple[TreeTables, Floats]:
        """As many rounds as ``luck`` has lines: trees, and what to note of each round."""
        grown, records = _one_run(len(luck), self._rule.leaves), np.zeros((len(luck), 3))
        self._kernels.run_rounds(self._table, self._problem, *self._room, self._rule, self._pace, grown, luck, records)
        grown.value[:] /= self._pace.grains
        return grown, records


def _one_run(rounds: int, leaves: int) -> TreeTables:
    return TreeTables(*(part[0] for part in TreeTables.room(1, rounds, leaves)))


def used_nodes(grown: TreeTables) -> GrownNodes:
    """The nodes of all trees, without the room that they have not used."""
    used = np.arange(grown.child.shape[1]) < grown.size[:, None]
    parts: list[Any] = [part[used] for part in grown[:FIELDS]]
    return GrownNodes(grown.size, *parts)
