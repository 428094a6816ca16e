"""The best cuts of many nodes at once, in plain numpy: twin of :mod:`.compiled.tree_cuts`.

All sums are whole numbers, which float64 holds exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..basics.typing import Bools, Floats, Ints
from .binning import MISSING, WIDTH
from .tree_arithmetic import FEW, mixed
from .tree_tables import GrowthRule

CELLS = 2**14  # of histograms that are judged at a time: they stay in the cache


class Cuts(NamedTuple):
    """Of each node, with the sums of what goes left; a gain of -1 says that none is worth it."""

    gain: Floats
    pull: Floats
    bend: Floats
    feature: Ints
    low: Ints
    width: Ints
    sets: npt.NDArray[np.uint64]


@dataclass(frozen=True)
class NewNodes:
    """Nodes that look for a cut: their sums, random keys, and what a leaf and a set of categories must bring."""

    pull: Floats
    bend: Floats
    key: Ints
    ridge: Floats
    set_ridge: Floats
    least: Floats

    def __getitem__(self, which: slice) -> NewNodes:
        return NewNodes(*(getattr(self, part.name)[which] for part in fields(self)))


class Held(NamedTuple):
    """Rows of nodes: the number of the node, that of the row, its pull and its bend."""

    node: Ints
    row: Ints
    pull: Floats
    bend: Floats

    def of(self, node: Ints, where: Bools) -> Held:
        """Some of the rows, with other numbers for their nodes."""
        return Held(node[where], self.row[where], self.pull[where], self.bend[where])


class HistogramCells:
    """The cells of histograms: the codes of a table without those that none of its columns has; the last is missing."""

    def __init__(self, codes: npt.NDArray[np.uint8], categorical: Bools) -> None:
        gap = codes == MISSING
        last = int(codes[~gap].max(initial=0)) + 1
        self.of_row = np.where(gap, last, codes).astype(np.int64)
        self.code = np.append(np.arange(last), MISSING)
        self.gaps = bool(gap.any())
        self.categorical = categorical

    def histograms(self, looked_at: Ints, held: Held) -> tuple[Floats, Floats]:
        """Sums of pulls and of bends in each cell of each feature that a node looks at."""
        shape = (*looked_at.shape, len(self.code))
        first = np.arange(looked_at.size).reshape(looked_at.shape) * shape[2]
        place = (looked_at * self.of_row.shape[1]).take(held.node, axis=0) + held.row[:, None]
        cell = (first.take(held.node, axis=0) + self.of_row.take(place)).ravel()
        pulls, bends = (
            np.bincount(cell, np.repeat(values, shape[1]), shape[0] * shape[1] * shape[2]).reshape(shape)
            for values in (held.pull, held.bend)
        )
        return pulls, bends


def best_cuts(cells: HistogramCells, rule: GrowthRule, nodes: NewNodes, held: Held) -> Cuts:
    """The best cut of each node: the lowest feature, then the lowest place, among equals."""
    together = max(1, CELLS // (rule.looked_at * len(cells.code)))
    if len(nodes.pull) <= together:
        return CutSearch(cells, rule, nodes, held).cuts()
    found = []
    for start in range(0, len(nodes.pull), together):
        part = held.of(held.node - start, (held.node >= start) & (held.node < start + together))
        found.append(CutSearch(cells, rule, nodes[start : start + together], part).cuts())
    return Cuts(*map(np.concatenate, zip(*found, strict=True)))


class CutSearch:
    """Nodes by features by ways to divide: all intervals of cells, then the same with the missing ones.

    Leaves that are divided ``alike`` are asked what their whole trees may be asked: these, and which is each leaf's.
    """

    looked_at: Ints
    by_set: Bools

    def __init__(
        self,
        cells: HistogramCells,
        rule: GrowthRule,
        nodes: NewNodes,
        held: Held,
        alike: tuple[CutSearch, Ints] | None = None,
    ) -> None:
        self.cells, self.rule, self.nodes, self.alike = cells, rule, nodes, alike
        if alike is None:
            self.looked_at = features_of(nodes.key, len(cells.of_row), rule.looked_at)
        else:
            self.looked_at = alike[0].looked_at[alike[1]]
        self.pulls, self.bends = cells.histograms(self.looked_at, held)
        self.draw = mixed(nodes.key[:, None], self.looked_at) if rule.random_cuts else np.zeros_like(self.looked_at)
        self.kinds = cells.categorical[self.looked_at]
        if alike is None:
            self.by_set = self.kinds & (self.filled.sum(axis=2) > FEW) if self.kinds.any() else self.kinds
        else:
            self.by_set = alike[0].by_set[alike[1]]

    @cached_property
    def filled(self) -> Bools:
        return np.asarray((self.pulls != 0) | (self.bends != 0))

    def cuts(self) -> Cuts:
        """The best of each node."""
        score = self.scores().reshape(len(self.pulls), -1)
        best = score.argmax(axis=1)
        parent = self.nodes.pull * self.nodes.pull / (self.nodes.bend + self.nodes.ridge)
        top = score[np.arange(len(best)), best]
        return self.cut_at(best)._replace(gain=np.where(top > parent * (1.0 + 1e-9), top - parent, -1.0))

    def scores(self) -> Floats:
        """Of all ways to divide (shape: nodes, features, without and with the missing ones, cells)."""
        return self._score(*self._lefts)

    @cached_property
    def _lefts(self) -> tuple[Floats, Floats]:
        return self._left(self.pulls), self._left(self.bends)

    def cut_at(self, best: Ints) -> Cuts:
        """One way to divide for each node, by its number among all."""
        left_pull, left_bend = self._lefts
        each = np.arange(len(best))
        which, half, place = np.unravel_index(best, left_pull.shape[1:])
        chosen = (each, which)
        pull, bend = (values[(*chosen, half, place)] for values in (left_pull, left_bend))
        # Where none is missing, missing values will follow the heavier side.
        any_missing = (self.pulls[(*chosen, -1)] != 0) | (self.bends[(*chosen, -1)] != 0)
        gap = np.where(any_missing, half > 0, 2.0 * bend >= self.nodes.bend)
        low, width = np.where(gap, MISSING, 0), place + gap
        sets = np.zeros((len(each), WIDTH // 64), dtype=np.uint64)
        if self.kinds.any():
            single, by_set = self.kinds[chosen], self.by_set[chosen]
            low, width = np.where(single, self.cells.code[place], low), np.where(single, 0, width)
            low = np.where(by_set, 0, low)
            # Other categories will follow the heavier side, which is never the one that goes left.
            heavy = by_set & (2.0 * bend > self.nodes.bend)
            sets[by_set] = self._sets((each[by_set], which[by_set]), place[by_set], heavy[by_set])
            pull, bend = np.where(heavy, self.nodes.pull - pull, pull), np.where(heavy, self.nodes.bend - bend, bend)
        return Cuts(np.zeros(len(each)), pull, bend, self.looked_at[chosen], low, width, sets)

    def _left(self, sums: Floats) -> Floats:
        """Sums of all that might go left (shape: nodes, features, without and with the missing ones, cells)."""
        left = np.cumsum(sums, axis=2)
        if self.kinds.any():
            left = np.where(self.kinds[:, :, None], sums, left)
        if self.by_set.any():
            left[self.by_set] = np.cumsum(np.take_along_axis(sums[self.by_set], self._orders(), 1), axis=1)
        if not self.cells.gaps:
            return left[:, :, None]
        with_missing = left + np.where(self.kinds, 0.0, sums[:, :, -1])[:, :, None]  # one category is missing itself
        with_missing[:, :, -1] = left[:, :, -1]
        return np.stack([left, with_missing], axis=2)

    def _score(self, pull: Floats, bend: Floats) -> Floats:
        """How much a set would lower the potential if it went left; -1 where a side has too little."""
        nodes = self.nodes
        ridge = np.where(self.by_set, nodes.set_ridge[:, None], nodes.ridge[:, None])[:, :, None, None]
        all_pull, all_bend, least = (part[:, None, None, None] for part in (nodes.pull, nodes.bend, nodes.least))
        rest, other = all_pull - pull, all_bend - bend
        here, there = bend + ridge, other + ridge
        score = pull * pull
        score *= there
        rest *= rest
        rest *= here
        score += rest
        here *= there
        score /= here  # (pull^2 there + rest^2 here) / (here there), without new arrays
        score[np.minimum(bend, other) < least] = -1.0
        if self.rule.random_cuts:
            score[
                np.broadcast_to((np.arange(pull.shape[3]) != self._drawn()[:, :, None])[:, :, None], score.shape)
            ] = -1
        return score

    def _drawn(self) -> Ints:
        """The one way to divide that is looked at; -1 if there is none."""
        known = self.filled[:, :, :-1]
        first, last = known.argmax(axis=2), known.shape[2] - 1 - known[:, :, ::-1].argmax(axis=2)
        span = np.where(self.kinds, last - first + 1, np.maximum(last - first, 1))
        drawn = np.where(known.any(axis=2), first + self.draw % span, -1)
        return np.where(self.by_set, (self.filled & self._heads()).sum(axis=2) - 1, drawn)

    def _heads(self) -> Bools:
        """Categories that are in the random set, if the node has them."""
        return np.asarray(mixed(self.draw[:, :, None], self.cells.code) >> 31 > 0)

    def _order(self, which: Bools | tuple[Ints, Ints]) -> Ints:
        """Categories by what their leaves would be, or those of the random set first; at last those that are not there.

        Sets that might go left are the first ones in this order.
        """
        if self.rule.random_cuts:
            height = -self._heads()[which].astype(np.float64)
        else:
            ridge = np.broadcast_to(self.nodes.set_ridge[:, None], self.by_set.shape)[which]
            height = self.pulls[which] / (self.bends[which] + ridge[:, None])
        return np.argsort(np.where(self.filled[which], height, np.inf), axis=1, kind="stable")

    def _orders(self) -> Ints:
        """That order wherever there are sets; of leaves that are divided alike, their tree's."""
        if self.alike is None:
            return self._order(self.by_set)
        whole, tree = self.alike
        node, feature = np.nonzero(self.by_set)
        return whole._order((tree[node], feature))

    def _sets(self, which: tuple[Ints, Ints], place: Ints, heavy: Bools) -> npt.NDArray[np.uint64]:
        """The members up to a place in the order, or the rest if they are heavy."""
        position = np.arange(len(self.cells.code))
        rest = (position > place[:, None]) & (position < self.filled[which].sum(axis=1)[:, None])
        members = np.zeros((len(place), WIDTH), dtype=bool)
        members[np.arange(len(place))[:, None], self.cells.code[self._order(which)]] = np.where(
            heavy[:, None], rest, position <= place[:, None]
        )
        return np.packbits(members, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def features_of(key: Ints, features: int, count: int) -> Ints:
    """The features that each node looks at, in increasing order: by a shuffle that stops when it has them."""
    order = np.repeat(np.arange(features)[:, None], len(key), axis=1)
    if count == features:
        return order.T
    place = np.arange(count)[:, None]
    other = place + mixed(key, features + place) % (features - place)
    each = np.arange(len(key))
    for here, there in enumerate(other):
        order[there, each], order[here] = order[here], order[there, each]
    return np.sort(order[:count].T, axis=1)
