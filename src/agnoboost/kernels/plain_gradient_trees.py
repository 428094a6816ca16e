"""Boosted regression trees on binned columns, in plain numpy: what :mod:`.compiled.gradient_trees` must give.

Every node makes its histograms anew from its own rows. Leaves with the most to gain are divided first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..basics.typing import Bools, Floats, Ints
from . import tree_arithmetic as arithmetic
from .binning import MISSING, WIDTH

FIELDS = 6  # tables that describe nodes


class TreeTables(NamedTuple):
    """Room for the trees of a run, one line a round, with their numbers of nodes.

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


class GrowthRule(NamedTuple):
    """How trees are grown, in numbers: see :class:`agnoboost.kernels.gradient_trees.TreeGrowth`."""

    huber: bool
    leaves: int
    depth: int
    step: float
    ridge: float
    least: float
    smooth: float
    looked_at: int
    random_cuts: bool
    patience: int


@dataclass(frozen=True)
class RunRows:
    """One run's share of the rows: how much each weighs and pulls, those inside, and those outside to judge by."""

    mass: Floats
    label: Floats
    inside: npt.NDArray[np.uint32]
    outside: npt.NDArray[np.uint32]
    seen: Floats  # mass and label of the rows outside (shape: 2, rows)

    def potential(self, margin: Floats, huber: bool) -> float:
        """Phi of margins of the rows outside."""
        return potential(margin, self.seen[0], self.seen[1], huber)


@dataclass
class _Node:
    rows: npt.NDArray[np.uint32]
    depth: int
    pull: int
    bend: int
    gain: float = -1.0
    cut: tuple[int, int, int] = (0, 0, 0)  # feature, low, width
    goes: Bools | None = None  # the codes that go left
    by_set: bool = False


def derivatives(margin: Floats, mass: Floats, label: Floats, huber: bool) -> tuple[Floats, Floats]:
    """Minus the gradient, and the curvature, of mass * psi(margin) - label * margin."""
    if huber:
        return label - mass * arithmetic.huber_slope(margin), mass
    t = arithmetic.decay(margin)
    return label - mass * arithmetic.logistic_slope(margin, t), mass * arithmetic.logistic_curvature(t)


def potential(margin: Floats, mass: Floats, label: Floats, huber: bool) -> float:
    """The sum of mass * psi(margin) - label * margin, added up in the order of the rows."""
    height = arithmetic.huber_height(margin) if huber else arithmetic.logistic_height(margin, arithmetic.decay(margin))
    return float(np.cumsum(np.append(0.0, mass * height - label * margin))[-1])


def goes_left(codes: Ints, low: Any, width: Any) -> Bools:
    """Whether codes lie in an interval of the circle of all codes."""
    return np.asarray(((codes - low) & MISSING) <= width)


def rounds(
    codes: npt.NDArray[np.uint8],
    categorical: Bools,
    sample: RunRows,
    rule: GrowthRule,
    grown: TreeTables,
    key: int,
    base: float,
) -> tuple[int, Floats]:
    """Run all rounds; returns how many to keep, and the margins of the rows outside after these."""
    margin = np.full(codes.shape[1], base)
    kept, best, done = 0, margin[sample.outside], 0
    if len(best):
        grown.potential[0] = sample.potential(best, rule.huber)
    while done < len(grown.size) and (rule.patience == 0 or done - kept < rule.patience or not len(best)):
        gradient, curvature = derivatives(margin, sample.mass, sample.label, rule.huber)
        nodes = _Tree(codes, categorical, gradient, curvature, rule, arithmetic.mixed(key, done)).grow(
            sample.inside, grown, done
        )
        grown.size[done] = nodes
        group = np.where(grown.sets[done].any(axis=1), np.arange(1, 1 + grown.child.shape[1]), 0)
        margin += leaf_values(codes, [*(part[done] for part in grown[: FIELDS - 1]), group], grown.sets[done])
        done += 1
        if not len(best):
            kept = done
            continue
        grown.potential[done] = sample.potential(margin[sample.outside], rule.huber)
        if rule.patience == 0 or grown.potential[done] < grown.potential[kept]:
            kept, best = done, margin[sample.outside]
    return kept, best


def leaf_values(codes: npt.NDArray[np.uint8], tree: Sequence[npt.NDArray[Any]], sets: npt.NDArray[np.uint64]) -> Floats:
    """The value of the leaf that each row reaches in a tree: feature, low, width, child, value, number of the set."""
    feature, low, width, child, value, group = tree
    node, each = np.zeros(codes.shape[1], dtype=np.int64), np.arange(codes.shape[1])
    while (inner := child[node] > 0).any():
        code = codes[feature[node], each].astype(np.int64)
        left = goes_left(code, low[node], width[node])
        if len(sets):
            words = sets[group[node] - 1, code >> 6]
            member = (words >> (code & 63).astype(np.uint64)) & np.uint64(1) > 0
            left = np.where(group[node] > 0, member, left)
        node = np.where(inner, child[node] + ~left, node)
    return np.asarray(value[node], dtype=np.float64)


def as_bits(members: Bools) -> npt.NDArray[np.uint64]:
    """A mask of 256 codes as four words."""
    return np.packbits(members, bitorder="little").view("<u8").astype(np.uint64)


class _Tree:
    """A tree that grows."""

    def __init__(
        self,
        codes: npt.NDArray[np.uint8],
        categorical: Bools,
        gradient: Floats,
        curvature: Floats,
        rule: GrowthRule,
        key: int,
    ) -> None:
        self.codes, self.categorical, self.rule, self.key = codes, categorical, rule, key
        pull_scale, bend_scale = (
            arithmetic.scale_of(float(np.cumsum(np.abs(values))[-1]), len(values)) for values in (gradient, curvature)
        )
        self.pulls = np.rint(gradient * pull_scale).astype(np.int64)
        self.bends = np.rint(curvature * bend_scale).astype(np.int64)
        self.ridge = max(rule.ridge * bend_scale, 1.0)
        self.least = max(np.ceil(rule.least * bend_scale), 1.0)
        self.set_ridge = self.ridge + rule.smooth * bend_scale
        self.step = rule.step * (bend_scale / pull_scale)
        self.nodes: list[_Node] = []

    def grow(self, inside: npt.NDArray[np.uint32], grown: TreeTables, number: int) -> int:
        """Write the tree to its line of the tables; returns its number of nodes."""
        self._add(inside, 0)
        leaves = 1
        while leaves < self.rule.leaves:
            best = int(np.argmax([node.gain for node in self.nodes]))
            node = self.nodes[best]
            if node.gain <= 0.0:
                break
            assert node.goes is not None
            left = node.goes[self.codes[node.cut[0], node.rows]]
            if node.by_set:
                grown.sets[number, best] = as_bits(node.goes)
            grown.feature[number, best], grown.low[number, best], grown.width[number, best] = node.cut
            grown.child[number, best] = len(self.nodes)
            for side in (left, ~left):
                self._add(node.rows[side], node.depth + 1)
            node.gain = -1.0
            leaves += 1
        for place, node in enumerate(self.nodes):
            if grown.child[number, place] == 0:
                grown.value[number, place] = self.step * (node.pull / (node.bend + self.ridge))
        return len(self.nodes)

    def _add(self, rows: npt.NDArray[np.uint32], depth: int) -> None:
        node = _Node(rows, depth, int(self.pulls[rows].sum()), int(self.bends[rows].sum()))
        if self.rule.depth == 0 or depth < self.rule.depth:
            self._find_cut(node, arithmetic.mixed(self.key, len(self.nodes)))
        self.nodes.append(node)

    def _find_cut(self, node: _Node, key: int) -> None:
        parent = float(node.pull) * node.pull / (node.bend + self.ridge)
        best = parent * (1.0 + 1e-9)
        for feature in self._looked_at(key):
            column = self.codes[feature, node.rows]
            pulls, bends = (
                np.bincount(column, values[node.rows], WIDTH).astype(np.int64) for values in (self.pulls, self.bends)
            )
            draw = arithmetic.mixed(key, feature)
            filled = (pulls != 0) | (bends != 0)
            by_set = bool(self.categorical[feature]) and int(filled.sum()) > arithmetic.FEW
            if by_set:
                goes = self._sets(pulls, bends, filled, draw)
                low = width = np.zeros(len(goes), dtype=np.int64)
            else:
                low, width = self._intervals(feature, filled, draw)
                goes = goes_left(np.arange(WIDTH), low[:, None], width[:, None])
            if not len(goes):
                continue
            bend = goes @ bends
            score = self._score(node, goes @ pulls, bend, self.set_ridge if by_set else self.ridge)
            place = int(np.argmax(score))
            if score[place] <= best:
                continue
            best = float(score[place])
            node.gain, node.goes, node.by_set = best - parent, goes[place], by_set
            node.cut = (feature, int(low[place]), int(width[place]))
            # What was not there will follow the heavier side: other categories, or missing values.
            if by_set and 2 * bend[place] > node.bend:
                node.goes = filled & ~goes[place]
            if not self.categorical[feature] and not filled[MISSING] and 2 * bend[place] >= node.bend:
                node.cut = (feature, MISSING, int(width[place]) + 1)

    def _score(self, node: _Node, pull: Ints, bend: Ints, ridge: float) -> Floats:
        """How much a set would lower the potential if it went left; -1 where a side has too little."""
        pulls, bends = pull.astype(np.float64), bend.astype(np.float64)
        rest, other = node.pull - pulls, node.bend - bends
        here, there = bends + ridge, other + ridge
        both = (pulls * pulls * there + rest * rest * here) / (here * there)
        return np.where(np.minimum(bends, other) >= self.least, both, -1.0)

    def _looked_at(self, key: int) -> list[int]:
        order = list(range(len(self.codes)))
        if self.rule.looked_at == len(order):
            return order
        for place in range(self.rule.looked_at):
            other = place + arithmetic.mixed(key, len(order) + place) % (len(order) - place)
            order[place], order[other] = order[other], order[place]
        return sorted(order[: self.rule.looked_at])

    def _sets(self, pulls: Ints, bends: Ints, filled: Bools, draw: int) -> Bools:
        """Sets of categories that might go left: the first ones by what their leaves would be, or one at random."""
        codes = np.flatnonzero(filled)
        if self.rule.random_cuts:
            codes = codes[arithmetic.mixed(draw, codes) >> 31 > 0]
            sets = np.zeros((min(len(codes), 1), WIDTH), dtype=bool)
            sets[:, codes] = True
            return sets
        order = codes[np.argsort(pulls[codes] / (bends[codes] + self.set_ridge), kind="stable")]
        rank = np.full(WIDTH, WIDTH)
        rank[order] = np.arange(len(order))
        return np.asarray(rank <= np.arange(len(order) - 1)[:, None])

    def _intervals(self, feature: int, filled: Bools, draw: int) -> tuple[Ints, Ints]:
        """Low and width of intervals of codes that might go left; of random cuts one, with and without the missing."""
        every = np.flatnonzero(filled)
        known = every[every != MISSING]
        if not len(known):
            return known, known
        first, last = int(known[0]), int(known[-1])
        if self.categorical[feature]:
            if self.rule.random_cuts:
                every = np.array([first + draw % (last - first + 1)])
            return every, np.zeros_like(every)
        ends = np.arange(first, last + 1)
        if self.rule.random_cuts:
            ends = ends[[draw % max(last - first, 1)]]
        if not filled[MISSING]:
            return np.zeros_like(ends), ends
        low = np.repeat([0, MISSING], len(ends))
        return low, np.concatenate([ends, ends + 1])
