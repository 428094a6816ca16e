"""The best cut of all leaves of a tree at once: trees that are *symmetric* have one cut a level.

What may be asked (where to cut, in which order categories come, where missing values go) is settled by all rows of the
tree; what it gains is the sum over its leaves. A leaf that would have too little on a side stays as it is, for now.

Ways to divide are numbered by cells, so that all features of a leaf are judged in one go: the cell of a number stands
for all codes up to its own, that of a category for this one, or, where sets are formed, for the first ones in an order.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ..binning import MISSING
from ..tree_arithmetic import FEW, LOW
from . import NO, NONE, ZERO, dividing_kernel, kernel
from .copying import put
from .tree_cuts import categories, judge, sets_of, write_set

Level = namedtuple("Level", "whole sets order left score joint with_missing leaves")
"""By cell: all rows of the tree, the order of categories (``sets``: how many of each feature; 0 without sets), packed
sums of what might go left in a leaf and its score, scores of all leaves, and the same with missing values on the left.
``leaves`` has room for their numbers."""


@dividing_kernel
def prepare(table, space, level, root, rule):
    """For a new tree: what may be asked."""
    ridge = max(rule.ridge * space.units[1], 1.0)
    put(root, level.whole, ZERO)
    for feature in range(table.known.size):
        level.sets[feature] = 0
        if table.categorical[feature] and categories(table, root, feature) > FEW:
            _, filled = sets_of(table, root, feature, NO, ZERO, ridge + rule.smooth * space.units[1], space)
            level.sets[feature] = filled
            first = table.start[feature]
            put(space.ordered[:filled], level.order, first)


@kernel
def missing_of(table, sums, feature):
    """The packed sum of a feature's missing values."""
    return sums[table.start[feature] + MISSING] if table.gaps[feature] else np.int64(0)


@kernel
def ways_of(filled, categorical, cells, known):
    """How many cells of a feature stand for a way to divide."""
    if filled > 0:
        return filled
    return cells if categorical else known


@kernel
def add_up(table, sums, level):
    """What goes left in a leaf, for all ways to divide; elsewhere all of it does, which is no way."""
    start, sets, order, left = table.start, level.sets, level.order, level.left
    for feature in range(sets.size):
        first, last, filled = start[feature], start[feature + 1], sets[feature]
        total = np.int64(0)
        if filled > 0:
            for cell in range(first, first + filled):
                total += sums[first + order[cell]]
                left[cell] = total
            for cell in range(first + filled, last):
                left[cell] = total
        elif table.categorical[feature]:
            put(sums[first:last], left, first)
        else:
            for cell in range(first, last):
                total += sums[cell]
                left[cell] = total


@dividing_kernel
def add_scores(score, alone, first, last, joint):
    """A leaf that cannot be divided that way is worth what it is alone."""
    for cell in range(first, last):
        joint[cell] += score[cell] if score[cell] >= 0.0 else alone


@dividing_kernel
def worth(total, ridge):
    """How much a leaf lowers the potential."""
    pull = float(total >> 32)
    return pull * pull / (float(total & LOW) + ridge)


@dividing_kernel
def judge_leaf(table, sums, total, limits, level):
    """Add the scores of one leaf; returns what it is worth alone."""
    ridge, set_ridge, least = limits
    add_up(table, sums, level)
    alone = worth(total, ridge)
    cells = level.left.size
    judge(level.left, cells, total, ridge, least, level.score)
    for feature in range(table.known.size):
        first, last = table.start[feature], table.start[feature + 1]
        if level.sets[feature] > 0:
            judge(level.left[first:last], last - first, total, set_ridge, least, level.score[first:last])
    add_scores(level.score, alone, ZERO, cells, level.joint)
    for feature in range(table.known.size):
        if table.gaps[feature] and not table.categorical[feature] and missing_of(table, level.whole, feature) != 0:
            first, known = table.start[feature], table.known[feature]
            missing = sums[first + MISSING]
            for cell in range(first, first + known):
                level.left[cell] += missing
            judge(level.left[first:], known, total, ridge, least, level.score[first:])
            add_scores(level.score, alone, first, first + known, level.with_missing)
    return alone


@kernel
def first_above(scores, best):
    """The highest score and its first place, if it is higher than ``best``; otherwise that one and -1."""
    found = NONE
    for place in range(scores.size):
        if scores[place] > best:
            best, found = scores[place], place
    return best, found


@dividing_kernel
def find_level_cut(table, nodes, space, rule, level, leaves):
    """Give the leaves the cut that gains most over all of them; among equals the lowest feature, then place.

    Those that it can divide have a gain of 1 then, and all others -1. Returns whether any cut is worth it.
    """
    ridge = max(rule.ridge * space.units[1], 1.0)
    least = max(np.ceil(rule.least * space.units[1]), 1.0)
    limits = (ridge, ridge + rule.smooth * space.units[1], least)
    level.joint[:] = 0.0
    level.with_missing[:] = 0.0
    as_they_are = 0.0
    for node in leaves:
        as_they_are += judge_leaf(table, nodes.sums[nodes.slot[node]], nodes.total[node], limits, level)
    best, chosen, place, goes_along = as_they_are * (1.0 + 1e-9), NONE, ZERO, NO
    for feature in range(table.known.size):
        first, last = table.start[feature], table.start[feature + 1]
        ways = ways_of(level.sets[feature], table.categorical[feature], last - first, table.known[feature])
        best, found = first_above(level.joint[first : first + ways], best)
        if found >= 0:
            chosen, place, goes_along = feature, found, False
        if table.gaps[feature]:
            best, found = first_above(level.with_missing[first : first + ways], best)
            if found >= 0:
                chosen, place, goes_along = feature, found, True
    if chosen >= 0:
        hand_out(table, nodes, space, level, leaves, least, chosen, place, goes_along)
    return chosen >= 0


@kernel
def left_at(table, sums, feature, place, along, level):
    """The packed sum of what goes left by one way to divide."""
    first = table.start[feature]
    if table.categorical[feature] and level.sets[feature] == 0:
        return sums[first + place]
    total = missing_of(table, sums, feature) if along else np.int64(0)
    for other in range(place + 1):
        total += sums[first + (level.order[first + other] if level.sets[feature] > 0 else other)]
    return total


@kernel
def hand_out(table, nodes, space, level, leaves, least, feature, place, along):
    """Write a cut into all leaves."""
    for node in leaves:
        left = left_at(table, nodes.sums[nodes.slot[node]], feature, place, along, level)
        bend, rest = float(left & LOW), float((nodes.total[node] - left) & LOW)
        nodes.gain[node] = 1.0 if min(bend, rest) >= least else -1.0
    whole, filled = nodes.total[0], level.sets[feature]
    left = left_at(table, level.whole, feature, place, along, level)
    low, width, sets = 0, 0, nodes.sets[leaves[0]]
    sets[:] = np.uint64(0)
    if filled > 0:
        first = table.start[feature]
        put(level.order[first : first + filled], space.ordered, ZERO)
        space.left[place] = left
        write_set(sets, space, place, filled, NO, whole)
    elif table.categorical[feature]:
        low = place
    else:
        # Where none is missing, missing values will follow the heavier side.
        if missing_of(table, level.whole, feature) == 0:
            along = 2 * (left & LOW) >= (whole & LOW)
        low, width = (MISSING, place + 1) if along else (0, place)
    for node in leaves:
        nodes.cut[node, 0], nodes.cut[node, 1], nodes.cut[node, 2] = feature, low, width
        put(sets, nodes.sets[node], ZERO)
