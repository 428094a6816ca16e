"""Boosted regression trees on binned columns: twin of :mod:`agnoboost.kernels.plain_gradient_trees`.

A round rounds the gradients to whole numbers (``start_round``), grows a tree leaf by leaf and moves the margins
(``end_round``). A tree is grown by two kernels in turn: ``add_rows`` makes the histogram of a node; ``go_on`` gets
that of its sibling by subtraction, looks for the best cut of both, divides the best leaf of the tree and says which
node needs a histogram next: the smaller child.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from .. import tree_arithmetic as arithmetic
from ..binning import MISSING
from ..tree_arithmetic import LOW
from ..tree_tables import TreeTables
from . import ZERO, dividing_kernel, kernel
from .copying import put, subtract
from .forest import add_tree, write_steps
from .histograms import is_set
from .level_cuts import find_level_cut, prepare
from .prefetch import prefetch
from .tree_cuts import find_cut, mixed

Table = namedtuple("Table", "columns codes start known gaps categorical")
"""Codes by feature and by row; where a feature's cells start, its known codes, whether any are missing; categories."""

Rows = namedtuple("Rows", "mass label margin gradient curvature packed inside order scratch outside seen best")
"""By row: what it weighs and pulls, margin, derivatives and these packed. Rows inside, and these leaf after leaf; rows
outside with their mass and label (``seen``) and their margins after the best round."""

Nodes = namedtuple("Nodes", "begin end total depth key slot gain cut sets sums")
"""By node of the tree that grows: rows, packed total, depth, random key, line of ``sums``, what its best cut gains, and
the cut: feature, low, width, or the set of categories that go left."""

Space = namedtuple("Space", "units steps group left score ordered chosen goes_left level state")
"""Scales of the round's gradients and curvatures; room to work; ``level``: see :class:`.level_cuts.Level`; ``state``:
nodes, leaves, rounds, rounds kept, levels."""

NODES, LEAVES, ROUNDS, KEPT, LEVEL = range(5)  # places of ``state``

decay = dividing_kernel(arithmetic.decay)
logistic_slope = dividing_kernel(arithmetic.logistic_slope)
logistic_curvature = dividing_kernel(arithmetic.logistic_curvature)
logistic_height = dividing_kernel(arithmetic.logistic_height)
huber_slope = dividing_kernel(arithmetic.huber_slope)
huber_height = dividing_kernel(arithmetic.huber_height)
scale_of = dividing_kernel(arithmetic.scale_of)


@dividing_kernel
def derive(rows, huber, first, last):
    """Minus the gradient, and the curvature, of rows first..last."""
    mass, label, margin = rows.mass, rows.label, rows.margin
    gradient, curvature = rows.gradient, rows.curvature
    if huber:
        for row in range(first, last):
            gradient[row] = label[row] - mass[row] * huber_slope(margin[row])
            curvature[row] = mass[row]
    else:
        for row in range(first, last):
            t = decay(margin[row])
            gradient[row] = label[row] - mass[row] * logistic_slope(margin[row], t)
            curvature[row] = mass[row] * logistic_curvature(t)


@dividing_kernel
def start_round(rows, nodes, space, key):
    """Round the derivatives and make the root, with a random key for the tree."""
    pulls, bends = 0.0, 0.0
    for row in range(rows.gradient.size):
        pulls += abs(rows.gradient[row])
        bends += rows.curvature[row]
    pull_scale, bend_scale = scale_of(pulls, rows.gradient.size), scale_of(bends, rows.gradient.size)
    gradient, curvature, packed = rows.gradient, rows.curvature, rows.packed
    total = np.int64(0)
    for row in range(gradient.size):
        pull = np.int64(np.rint(gradient[row] * pull_scale))
        packed[row, 0] = (pull << 32) + np.int64(np.rint(curvature[row] * bend_scale))
        total += packed[row, 0]
    space.units[0], space.units[1] = pull_scale, bend_scale
    space.state[NODES] = space.state[LEAVES] = 1
    space.state[LEVEL] = 0
    put(rows.inside, rows.order, ZERO)  # rows of a leaf are in the order in which they lie in the memory
    nodes.begin[0], nodes.end[0] = 0, rows.order.size
    nodes.total[0], nodes.depth[0], nodes.key[0], nodes.slot[0] = total, 0, key, 0
    nodes.sums[0] = 0


AHEAD = 16  # rows between the request for a row and its use


@kernel
def add_rows(codes, start, packed, order, sums, first, last):
    """Add the packed derivatives (a column) of order[first:last] to all cells of each row."""
    features = codes.shape[1]
    for place in range(first, last):
        if place + AHEAD < last:
            later = np.int64(order[place + AHEAD])
            prefetch(codes, later, 0)
            prefetch(codes, later, features - 1)
            prefetch(packed, later, 0)
        row = order[place]
        value = packed[row, 0]
        for feature in range(features):
            sums[np.uint64(start[feature]) + np.uint64(codes[row, feature])] += value


@kernel
def divide(column, goes_left, order, scratch, begin, end):
    """Rows that go left first, both sides in their order; returns where the right side begins."""
    left, right = begin, 0
    for place in range(begin, end):
        row = order[place]
        goes = goes_left[column[row]]
        order[left] = row
        scratch[right] = row
        left += goes
        right += 1 - goes
    put(scratch[:right], order, left)
    return left


@kernel
def holds_any(bits):
    """Whether a set has members; none stands for an interval."""
    return (bits[0] | bits[1] | bits[2] | bits[3]) != 0


@kernel
def split(table, rows, nodes, space, tree, node):
    """Divide a leaf in two; returns the smaller child."""
    feature, low, width = nodes.cut[node]
    by_set, bits, goes_left = holds_any(nodes.sets[node]), nodes.sets[node], space.goes_left
    first, cells = table.start[feature], table.start[feature + 1] - table.start[feature]  # no row has other codes
    for code in range(cells):
        goes_left[code] = is_set(bits, code) if by_set else ((code - low) & MISSING) <= width
    begin, end = nodes.begin[node], nodes.end[node]
    middle = divide(table.columns[feature], goes_left, rows.order, rows.scratch, begin, end)
    left = space.state[NODES]
    total = np.int64(0)
    sums = nodes.sums[nodes.slot[node]]
    for code in range(cells):
        if goes_left[code]:
            total += sums[first + code]
    nodes.begin[left], nodes.end[left], nodes.total[left] = begin, middle, total
    nodes.begin[left + 1], nodes.end[left + 1], nodes.total[left + 1] = middle, end, nodes.total[node] - total
    small = left if middle - begin <= end - middle else left + 1
    for child in (left, left + 1):
        nodes.depth[child] = nodes.depth[node] + 1
        nodes.key[child] = mixed(nodes.key[node], left - child - 1)
        nodes.gain[child] = -1.0
        nodes.slot[child] = space.state[LEAVES] if child == small else nodes.slot[node]
    nodes.gain[node] = -1.0
    tree.feature[node], tree.low[node], tree.width[node], tree.child[node] = feature, low, width, left
    put(nodes.sets[node], tree.sets[node], ZERO)
    space.state[NODES] += 2
    space.state[LEAVES] += 1
    return small


@kernel
def next_leaf(nodes, count, by_level):
    """The leaf with the most to gain, or the first one that gains anything; the root if none does."""
    best = 0
    for node in range(count):
        if nodes.gain[node] > max(nodes.gain[best], 0.0):
            best = node
            if by_level:
                break
    return best


@kernel
def sibling_of(node):
    """Left children have odd numbers."""
    return node + 1 if node % 2 == 1 else node - 1


@kernel
def smaller_child(nodes, left):
    """Of two children, the one with fewer rows, with room for its histogram."""
    begin, middle, end = nodes.begin[left], nodes.end[left], nodes.end[left + 1]
    small = left if middle - begin <= end - middle else left + 1
    nodes.sums[nodes.slot[small]] = 0
    return small


@kernel
def go_on_by_levels(table, rows, nodes, space, rule, tree, fresh):
    """The same for symmetric trees: when all leaves of a level have histograms, they are divided by one cut."""
    state = space.state
    if fresh == 0:
        prepare(table, space, space.level, nodes.sums[0], rule)
    else:
        subtract(nodes.sums[nodes.slot[fresh]], nodes.sums[nodes.slot[sibling_of(fresh)]])
    later = max(fresh, sibling_of(fresh)) + 1 if fresh > 0 else 1
    if later < state[NODES]:
        return smaller_child(nodes, later)
    count = 0
    for node in range(state[NODES]):
        if tree.child[node] == 0:
            space.level.leaves[count] = node
            count += 1
    leaves = space.level.leaves[:count]
    if state[LEVEL] == rule.depth or not find_level_cut(table, nodes, space, rule, space.level, leaves):
        return 0
    state[LEVEL] += 1
    for node in leaves:
        if nodes.gain[node] > 0.0:
            split(table, rows, nodes, space, tree, node)
    return smaller_child(nodes, later) if state[LEVEL] < rule.depth else 0


@kernel
def go_on(table, rows, nodes, space, rule, tree, fresh):
    """After the histogram of a fresh node: divide leaves until one needs a histogram, and return it; 0 at the end."""
    if rule.symmetric:
        return go_on_by_levels(table, rows, nodes, space, rule, tree, fresh)
    if fresh > 0:
        sibling = sibling_of(fresh)
        subtract(nodes.sums[nodes.slot[fresh]], nodes.sums[nodes.slot[sibling]])
        find_cut(table, nodes, space, rule, sibling)
    find_cut(table, nodes, space, rule, fresh)
    while space.state[LEAVES] < rule.leaves:
        best = next_leaf(nodes, space.state[NODES], rule.by_level)
        if nodes.gain[best] <= 0.0:
            break
        small = split(table, rows, nodes, space, tree, best)
        deep = rule.depth > 0 and nodes.depth[small] >= rule.depth
        if not deep and space.state[LEAVES] < rule.leaves:
            nodes.sums[nodes.slot[small]] = 0
            return small
    return 0


@dividing_kernel
def potential_outside(rows, huber):
    """Phi of the margins of the rows outside."""
    total = 0.0
    for place in range(rows.outside.size):
        z = rows.margin[rows.outside[place]]
        height = huber_height(z) if huber else logistic_height(z, decay(z))
        total += rows.seen[0, place] * height - rows.seen[1, place] * z
    return total


@dividing_kernel
def finish_round(table, rows, nodes, space, rule, tree):
    """Give leaves their values and move all margins."""
    ridge = max(rule.ridge * space.units[1], 1.0)
    step = rule.step * (space.units[1] / space.units[0])
    size = space.state[NODES]
    for node in range(size):
        if tree.child[node] == 0:
            total = nodes.total[node]
            value = step * (float(total >> 32) / (float(total & LOW) + ridge))
            tree.value[node] = value
            for place in range(nodes.begin[node], nodes.end[node]):
                rows.margin[rows.order[place]] += value
    for node in range(size):
        space.group[node] = node + 1 if holds_any(tree.sets[node]) else 0
    write_steps(tree.feature, tree.low, tree.width, tree.child[:size], space.group, space.steps)
    margin, outside = rows.margin, rows.outside
    add_tree(space.steps, tree.value, space.group, tree.sets, table.codes, outside, 0, outside.size, margin)


@kernel
def tree_of(grown, number):
    """One round's line of all tables of trees."""
    return TreeTables(
        grown.feature[number],
        grown.low[number],
        grown.width[number],
        grown.child[number],
        grown.value[number],
        grown.sets[number],
        grown.size,
        grown.potential,
    )


@kernel
def keep_best(rows, grown, space, rule):
    """Note the round's potential, counted from 0 trees on; returns whether to go on."""
    done = space.state[ROUNDS]
    if rows.outside.size == 0:
        space.state[KEPT] = done
        return True
    grown.potential[done] = potential_outside(rows, rule.huber)
    if done == 0 or rule.patience == 0 or grown.potential[done] < grown.potential[space.state[KEPT]]:
        space.state[KEPT] = done
        for place in range(rows.outside.size):
            rows.best[place] = rows.margin[rows.outside[place]]
    return rule.patience == 0 or done - space.state[KEPT] < rule.patience


@kernel
def end_round(table, rows, nodes, space, rule, grown):
    """All that comes after a tree's last split; returns whether to go on."""
    number = space.state[ROUNDS]
    finish_round(table, rows, nodes, space, rule, tree_of(grown, number))
    grown.size[number] = space.state[NODES]
    space.state[ROUNDS] += 1
    return keep_best(rows, grown, space, rule)


@kernel
def grow_on(table, rows, nodes, space, rule, tree, fresh, many):
    """After the histogram of a fresh node: grow until a node of ``many`` rows needs one, which is returned, or 0."""
    while True:
        fresh = go_on(table, rows, nodes, space, rule, tree, fresh)
        begin, end = nodes.begin[fresh], nodes.end[fresh]
        if fresh == 0 or end - begin >= many:
            return fresh
        add_rows(table.codes, table.start, rows.packed, rows.order, nodes.sums[nodes.slot[fresh]], begin, end)


@kernel
def rounds(table, rows, nodes, space, rule, grown, key, last, trace):
    """Rounds up to number ``last``; returns whether to go on.

    ``trace`` gets the margins after each round, if it has lines.
    """
    count, inside, first = rows.margin.size, rows.inside.size, space.state[ROUNDS]
    while space.state[ROUNDS] < last:
        number = space.state[ROUNDS]
        derive(rows, rule.huber, 0, count)
        start_round(rows, nodes, space, mixed(key, number))
        add_rows(table.codes, table.start, rows.packed, rows.order, nodes.sums[0], ZERO, inside)
        grow_on(table, rows, nodes, space, rule, tree_of(grown, number), ZERO, inside + 1)
        on = end_round(table, rows, nodes, space, rule, grown)
        if trace.shape[0] > 0:
            put(rows.margin, trace[number - first], ZERO)
        if not on:
            return False
    return True
