"""One cut for all leaves of a tree, in plain numpy: twin of :mod:`.compiled.level_cuts`."""

from __future__ import annotations

import numpy as np

from ..basics.typing import Floats, Ints
from .plain_tree_cuts import Cuts, CutSearch, Held, HistogramCells, NewNodes
from .tree_tables import GrowthRule


def level_cuts(
    cells: HistogramCells, rule: GrowthRule, trees: NewNodes, leaves: NewNodes, tree: Ints, held: Held
) -> Cuts:
    """The best cut of each tree; a gain of -1 says that none is worth it.

    ``leaves`` come tree by tree, ``tree`` says of each to which it belongs, and ``held`` has rows by leaf.
    """
    whole = CutSearch(cells, rule, trees, held._replace(node=tree.take(held.node)))
    alone = leaves.pull * leaves.pull / (leaves.bend + leaves.ridge)
    score = CutSearch(cells, rule, leaves, held, (whole, tree)).scores()
    score = np.where(score >= 0.0, score, alone[:, None, None, None])
    as_they_are = in_turn(alone, tree, len(trees.pull))
    joint = in_turn(score.reshape(len(score), -1), tree, len(trees.pull))
    best = joint.argmax(axis=1)
    top = joint[np.arange(len(best)), best]
    gain = np.where(top > as_they_are * (1.0 + 1e-9), top - as_they_are, -1.0)
    return whole.cut_at(best)._replace(gain=gain)


def in_turn(values: Floats, tree: Ints, trees: int) -> Floats:
    """Sums over the leaves of each tree, one leaf after the other: floats are added in the compiled twin's order."""
    total = np.zeros((trees, *values.shape[1:]))
    rank = np.arange(len(tree)) - np.searchsorted(tree, tree)
    for place in range(int(rank.max(initial=-1)) + 1):
        now = rank == place
        total[tree[now]] += values[now]
    return total
