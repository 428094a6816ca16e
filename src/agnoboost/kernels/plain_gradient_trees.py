"""Boosted regression trees on binned columns, in plain numpy: what :mod:`.compiled.gradient_trees` must give.

All runs grow in step: each divides its best leaf, or, where depth alone limits trees, all leaves of a level. Every node
makes its histograms anew from its own rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.typing import Bools, Floats, Ints
from . import tree_arithmetic as arithmetic
from .forest import goes_left
from .plain_level_cuts import level_cuts
from .plain_tree_cuts import Held, HistogramCells, NewNodes, best_cuts
from .tree_tables import GrowthRule, GrowthWork, TreeTables

STEP, ROW, CELL = 3e-4, 2e-8, 1e-8  # seconds for a step of all runs; for a row and a cell of a feature in a node


def seconds(codes: npt.NDArray[np.uint8], runs: int, rounds: int, rule: GrowthRule) -> float:
    """About how long all rounds take."""
    width = int((codes + np.uint8(1)).max()) + 1
    levels = rule.depth if 0 < rule.depth < 30 else rule.leaves.bit_length()
    steps = levels if rule.by_level else rule.leaves
    features = runs * rule.looked_at * (ROW * codes.shape[1] * levels + CELL * 2 * rule.leaves * width)
    return float(rounds * (STEP * (1 + steps) + features))


def derivatives(margin: Floats, mass: Floats, label: Floats, huber: bool) -> tuple[Floats, Floats]:
    """Minus the gradient, and the curvature, of mass * psi(margin) - label * margin."""
    if huber:
        return label - mass * arithmetic.huber_slope(margin), mass
    t = arithmetic.decay(margin)
    return label - mass * arithmetic.logistic_slope(margin, t), mass * arithmetic.logistic_curvature(t)


def potential(margin: Floats, mass: Floats, label: Floats, huber: bool) -> Any:
    """The sum of mass * psi(margin) - label * margin over the last axis, added up in its order."""
    height = arithmetic.huber_height(margin) if huber else arithmetic.logistic_height(margin, arithmetic.decay(margin))
    return np.cumsum(mass * height - label * margin, axis=-1)[..., -1:].sum(axis=-1)


def rounds(work: GrowthWork, going: Bools) -> Iterator[Floats]:
    """Write tree after tree, and give the margins after 0, 1, ... rounds (runs by rows; the same array every time).

    Runs stand still when ``going`` says so, and when none goes on this ends.
    """
    codes, categorical, mass, label, counts, rule, grown, keys, base = work
    cells, inside = HistogramCells(codes, categorical), counts > 0
    own_mass, own_label = mass * counts, label * counts
    margin = np.repeat(base[:, None], codes.shape[1], axis=1)
    yield margin
    for done in range(grown.size.shape[1]):
        runs = np.flatnonzero(going)
        if not len(runs):
            return
        gradient, curvature = derivatives(margin[runs], own_mass[runs], own_label[runs], rule.huber)
        trees = _Trees(codes, cells, rule, gradient, curvature, arithmetic.mixed(keys[runs], done))
        trees.grow(inside[runs])
        margin[runs] += trees.write(grown, runs, done)
        yield margin


def grow_runs(work: GrowthWork) -> tuple[Ints, Floats]:
    """Run all rounds; returns how many each run keeps, and the margins of the rows outside after these."""
    mass, label, rule, grown, base = work.mass, work.label, work.rule, work.grown, work.base
    outside = work.counts == 0
    judged, going = outside.any(axis=1), np.ones(len(base), dtype=bool)
    judging_mass, judging_label = mass * outside, label * outside
    kept, best = np.zeros(len(base), dtype=np.int64), np.full(outside.shape, np.nan)
    for done, margin in enumerate(rounds(work, going)):
        phi = potential(margin, judging_mass, judging_label, rule.huber)
        grown.potential[:, done] = np.where(going & judged, phi, np.nan)
        least = grown.potential[np.arange(len(base)), kept]
        better = going & (~judged | (rule.patience == 0) | (done == 0) | (phi < least))
        kept[better], best[better] = done, margin[better]
        going &= (rule.patience == 0) | (done - kept < rule.patience)
    return kept, np.where(outside, best, np.nan)


class _Trees:
    """One tree for each run; arrays by node and by row, one run's after the other's."""

    def __init__(
        self,
        codes: npt.NDArray[np.uint8],
        cells: HistogramCells,
        rule: GrowthRule,
        gradient: Floats,
        curvature: Floats,
        key: Ints,
    ) -> None:
        self.codes, self.cells, self.rule = codes, cells, rule
        runs, self.rows = gradient.shape
        pull_scale, bend_scale = (
            np.array([arithmetic.scale_of(total, self.rows) for total in np.cumsum(values, axis=1)[:, -1].tolist()])
            for values in (np.abs(gradient), curvature)
        )
        self.pulls = np.rint(gradient * pull_scale[:, None]).ravel()
        self.bends = np.rint(curvature * bend_scale[:, None]).ravel()
        self.ridge = np.maximum(rule.ridge * bend_scale, 1.0)
        self.least = np.maximum(np.ceil(rule.least * bend_scale), 1.0)
        self.set_ridge = self.ridge + rule.smooth * bend_scale
        self.step = rule.step * (bend_scale / pull_scale)
        self.most = 2 * rule.leaves - 1
        self.root = np.arange(runs) * self.most
        self.size = np.ones(runs, dtype=np.int64)
        nodes = runs * self.most
        self.feature, self.low, self.width, self.group = np.zeros((4, nodes), dtype=np.int64)
        self.child, self.depth, self.key = np.zeros((3, nodes), dtype=np.int64)
        self.pull, self.bend, self.left_pull, self.left_bend, self.gain = np.zeros((5, nodes))
        self.sets = np.zeros((nodes, 4), dtype=np.uint64)
        self.key[self.root] = key
        self.leaf = np.repeat(self.root, self.rows)  # the leaf in which each row is, inside or not

    def grow(self, inside: Bools) -> None:
        pair = np.flatnonzero(inside)
        held = Held(self.leaf.take(pair), pair % self.rows, self.pulls[pair], self.bends[pair])
        for sums, values in ((self.pull, held.pull), (self.bend, held.bend)):
            sums[:] = np.bincount(held.node, values, len(sums))
        fresh, level = self.root, 0
        while len(fresh):
            if self.rule.symmetric:
                self._look_together(fresh, level, held)
                level += 1
            else:
                self._look(fresh, held)
            fresh = self._divide(self._chosen())
            held = held._replace(node=self.leaf.take(pair))

    def write(self, grown: TreeTables, runs: Ints, number: int) -> Floats:
        """Trees to their lines of the tables; returns what each row's margin gains."""
        step, ridge = np.repeat(self.step, self.most), np.repeat(self.ridge, self.most)
        inner = self.child > 0
        value = np.where(inner, 0.0, step * (self.pull / (self.bend + ridge)))
        child = self.child - np.repeat(self.root, self.most)
        for name, part in (("feature", self.feature), ("low", self.low), ("width", self.width), ("child", child)):
            getattr(grown, name)[runs, number] = np.where(inner, part, 0).reshape(-1, self.most)
        grown.sets[runs, number] = np.where(inner[:, None], self.sets, np.uint64(0)).reshape(-1, self.most, 4)
        grown.value[runs, number], grown.size[runs, number] = value.reshape(-1, self.most), self.size
        return value.take(self.leaf).reshape(-1, self.rows)

    def _look(self, fresh: Ints, held: Held) -> None:
        """The best cuts of those new nodes that may be divided, by the rows that their trees hold."""
        self.gain[fresh] = -1.0
        run = fresh // self.most
        asking = (self.size[run] < self.most) & ((self.depth[fresh] < self.rule.depth) | (self.rule.depth == 0))
        fresh, run = fresh[asking], run[asking]
        if not len(fresh):
            return
        number = np.full(len(self.child), -1)
        number[fresh] = np.arange(len(fresh))
        node = number.take(held.node)
        limits = self.ridge[run], self.set_ridge[run], self.least[run]
        new = NewNodes(self.pull[fresh], self.bend[fresh], self.key[fresh], *limits)
        cuts = best_cuts(self.cells, self.rule, new, held.of(node, node >= 0))
        self.gain[fresh], self.left_pull[fresh], self.left_bend[fresh] = cuts[:3]
        self.feature[fresh], self.low[fresh], self.width[fresh], self.sets[fresh] = cuts[3:]
        self.group[fresh] = np.where(cuts.sets.any(axis=1), fresh + 1, 0)

    def _look_together(self, fresh: Ints, level: int, held: Held) -> None:
        """The best cut of all leaves of each tree that has new ones, for the leaves that it can divide."""
        self.gain[:] = -1.0
        if level == self.rule.depth:
            return
        used = np.arange(len(self.child)) % self.most < np.repeat(self.size, self.most)
        leaves = np.flatnonzero(used & (self.child == 0))
        run = leaves // self.most
        number = np.zeros(len(self.child), dtype=np.int64)
        number[leaves] = np.arange(len(leaves))
        limits = self.ridge, self.set_ridge, self.least
        whole = NewNodes(self.pull[self.root], self.bend[self.root], self.key[self.root], *limits)
        nodes = NewNodes(self.pull[leaves], self.bend[leaves], self.key[leaves], *(values[run] for values in limits))
        cuts = level_cuts(self.cells, self.rule, whole, nodes, run, held._replace(node=number.take(held.node)))
        self.feature[leaves], self.low[leaves], self.width[leaves] = cuts.feature[run], cuts.low[run], cuts.width[run]
        self.sets[leaves] = cuts.sets[run]
        self.group[leaves] = np.where(cuts.sets[run].any(axis=1), leaves + 1, 0)
        left = self._goes_left(held.node, held.row)
        for sums, values in ((self.left_pull, held.pull), (self.left_bend, held.bend)):
            sums[:] = np.bincount(held.node, values * left, len(sums))
        enough = np.minimum(self.left_bend, self.bend - self.left_bend)[leaves] >= self.least[run]
        growing = (cuts.gain > 0.0) & np.isin(np.arange(len(self.root)), fresh // self.most)
        self.gain[leaves] = np.where(enough & growing[run], 1.0, -1.0)

    def _goes_left(self, node: Ints, row: Ints) -> Bools:
        code = self.codes.take(self.feature.take(node) * self.rows + row).astype(np.int64)
        return goes_left(code, self.low.take(node), self.width.take(node), self.group.take(node), self.sets)

    def _chosen(self) -> Ints:
        """The nodes that are divided next."""
        if self.rule.by_level:
            return np.flatnonzero(self.gain > 0.0)
        best = self.root + self.gain.reshape(-1, self.most).argmax(axis=1)
        return np.asarray(best[(self.gain[best] > 0.0) & (self.size < self.most)])

    def _divide(self, nodes: Ints) -> Ints:
        """Give nodes two children each, which are returned."""
        if not len(nodes):
            return nodes
        run = nodes // self.most
        child = self.root[run] + self.size[run] + 2 * (np.arange(len(run)) - np.searchsorted(run, run))
        self.size += 2 * np.bincount(run, minlength=len(self.size))
        self.child[nodes], self.gain[nodes] = child, -1.0
        for side in (0, 1):
            self.depth[child + side] = self.depth[nodes] + 1
            self.key[child + side] = arithmetic.mixed(self.key[nodes], -1 - side)
        for sums, left in ((self.pull, self.left_pull[nodes]), (self.bend, self.left_bend[nodes])):
            sums[child], sums[child + 1] = left, sums[nodes] - left
        moving = np.flatnonzero(self.child.take(self.leaf))
        node = self.leaf.take(moving)
        self.leaf[moving] = self.child.take(node) + ~self._goes_left(node, moving % self.rows)
        return np.stack([child, child + 1], axis=1).ravel()
