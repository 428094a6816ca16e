"""Boosted regression trees on binned columns: twin of :mod:`agnoboost.kernels.plain_gradient_trees`.

A round rounds the gradients to whole numbers (``start_round``), grows a tree leaf by leaf and moves the margins
(``finish_round``). A tree is grown by two kernels in turn: ``add_rows`` makes the histogram of a node; ``go_on`` gets
that of its sibling by subtraction, looks for the best cut of both, divides the best leaf of the tree and says which
node needs a histogram next: the smaller child.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from .. import tree_arithmetic as arithmetic
from ..binning import MISSING, WIDTH
from ..plain_gradient_trees import TreeTables
from ..tree_arithmetic import LOW
from . import dividing_kernel, kernel
from .forest import add_tree, write_steps
from .prefetch import prefetch

Table = namedtuple("Table", "columns codes start known gaps categorical")
"""Codes by feature and by row; where a feature's cells start, its known codes, whether any are missing; categories."""

Rows = namedtuple("Rows", "mass label margin gradient curvature packed inside order scratch outside seen best")
"""By row: what it weighs and pulls, margin, derivatives and these packed. Rows inside, and these leaf after leaf; rows
outside with their mass and label (``seen``) and their margins after the best round."""

Nodes = namedtuple("Nodes", "begin end total depth slot gain cut sums")
"""By node of the tree that grows: rows, packed total, depth, line of ``sums``, what its best cut gains, and the cut."""

Space = namedtuple("Space", "units steps left score chosen goes_left state")
"""Scales of the round's gradients and curvatures; room to work; ``state``: nodes, leaves, rounds, rounds kept."""

NODES, LEAVES, ROUNDS, KEPT = range(4)  # places of ``state``

decay = dividing_kernel(arithmetic.decay)
logistic_slope = dividing_kernel(arithmetic.logistic_slope)
logistic_curvature = dividing_kernel(arithmetic.logistic_curvature)
logistic_height = dividing_kernel(arithmetic.logistic_height)
huber_slope = dividing_kernel(arithmetic.huber_slope)
huber_height = dividing_kernel(arithmetic.huber_height)
scale_of = dividing_kernel(arithmetic.scale_of)
mixed = kernel(arithmetic.mixed)


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
def start_round(rows, nodes, space):
    """Round the derivatives and make the root."""
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
    rows.order[:] = rows.inside  # rows of a leaf are in the order in which they lie in the memory
    nodes.begin[0], nodes.end[0] = 0, rows.order.size
    nodes.total[0], nodes.depth[0], nodes.slot[0] = total, 0, 0
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


@dividing_kernel
def judge(left, count, total, ridge, least, score):
    """The score of every set of rows that might go left, by its packed sum; -1 where a side has too little."""
    all_pull, all_bend = float(total >> 32), float(total & LOW)
    for place in range(count):
        pull, bend = float(np.int32(left[place] >> 32)), float(np.int32(left[place] & LOW))
        rest, other = all_pull - pull, all_bend - bend
        bend_here, bend_there = bend + ridge, other + ridge
        both = (pull * pull * bend_there + rest * rest * bend_here) / (bend_here * bend_there)
        score[place] = both if min(bend, other) >= least else -1.0


@kernel
def occupied(sums, first, count):
    """The first and the last of some cells that hold anything; count and -1 if none does."""
    low, high = count, -1
    for code in range(count):
        if sums[first + code] != 0:
            high = code
            low = min(low, code)
    return low, high


@kernel
def candidates(table, sums, feature, random_cuts, draw, left):
    """Packed sums of all sets of codes that might go left; their number, and the code of the first.

    Numbers: all codes up to one, then the same with the missing ones. Categories: one of them, at last the missing one.
    """
    first, count = table.start[feature], table.known[feature]
    missing = sums[first + MISSING] if table.gaps[feature] else np.int64(0)
    start, end = np.int64(0), count
    if random_cuts:
        low, high = occupied(sums, first, count)
        if high < 0:
            return 0, start, missing
        span = high - low + 1 if table.categorical[feature] else max(high - low, 1)
        start = low + draw % span
        end = start + 1
    if table.categorical[feature]:
        for code in range(start, end):
            left[code - start] = sums[first + code]
        if missing != 0 and not random_cuts:
            left[end] = missing
            return end + 1, start, missing
        return end - start, start, missing
    total = np.int64(0)
    for code in range(start):
        total += sums[first + code]
    for code in range(start, end):
        total += sums[first + code]
        left[code - start] = total
    if missing == 0:
        return end - start, start, missing
    for place in range(end - start):
        left[end - start + place] = left[place] + missing
    return 2 * (end - start), start, missing


@kernel
def interval(table, feature, place, start, count, missing, total, left):
    """The codes that go left: low, and how many beyond it, around the circle of all codes."""
    if table.categorical[feature]:
        return (MISSING if place == table.known[feature] else start + place), 0
    if missing != 0:
        half = count // 2
        return (0, start + place) if place < half else (MISSING, start + place - half + 1)
    # Where none is missing, missing values will follow the heavier side.
    if 2 * (left[place] & LOW) >= (total & LOW):
        return MISSING, start + place + 1
    return 0, start + place


@kernel
def choose_features(key, looked_at, chosen):
    """Mark as many features as a node looks at, by a shuffle that stops when it has them."""
    features = chosen.shape[1]
    for feature in range(features):
        chosen[0, feature] = feature
        chosen[1, feature] = 0
    for place in range(looked_at):
        other = place + mixed(key, features + place) % (features - place)
        chosen[0, place], chosen[0, other] = chosen[0, other], chosen[0, place]
        chosen[1, chosen[0, place]] = 1


@dividing_kernel
def find_cut(table, nodes, space, rule, key, node):
    """The best cut of a node, if any is worth it: the lowest feature, then the lowest place, among equals."""
    sums, total = nodes.sums[nodes.slot[node]], nodes.total[node]
    ridge = max(rule.ridge * space.units[1], 1.0)
    least = max(np.ceil(rule.least * space.units[1]), 1.0)
    pull = float(total >> 32)
    parent = pull * pull / (float(total & LOW) + ridge)
    best = parent * (1.0 + 1e-9)
    nodes.gain[node] = -1.0
    features = table.known.size
    own_key = mixed(key, node)
    some = rule.looked_at < features
    if some:
        choose_features(own_key, rule.looked_at, space.chosen)
    for feature in range(features):
        if some and space.chosen[1, feature] == 0:
            continue
        draw = mixed(own_key, feature) if rule.random_cuts else 0
        count, start, missing = candidates(table, sums, feature, rule.random_cuts, draw, space.left)
        judge(space.left, count, total, ridge, least, space.score)
        place = -1
        for other in range(count):
            if space.score[other] > best:
                best, place = space.score[other], other
        if place >= 0:
            low, width = interval(table, feature, place, start, count, missing, total, space.left)
            nodes.gain[node] = best - parent
            nodes.cut[node, 0], nodes.cut[node, 1], nodes.cut[node, 2] = feature, low, width


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
    order[left:end] = scratch[:right]
    return left


@kernel
def split(table, rows, nodes, space, tree, node):
    """Divide a leaf in two; returns the smaller child."""
    feature, low, width = nodes.cut[node]
    for code in range(WIDTH):
        space.goes_left[code] = ((code - low) & MISSING) <= width
    begin, end = nodes.begin[node], nodes.end[node]
    middle = divide(table.columns[feature], space.goes_left, rows.order, rows.scratch, begin, end)
    left = space.state[NODES]
    total = np.int64(0)
    sums, first = nodes.sums[nodes.slot[node]], table.start[feature]
    for code in range(table.start[feature + 1] - first):
        if space.goes_left[code]:
            total += sums[first + code]
    nodes.begin[left], nodes.end[left], nodes.total[left] = begin, middle, total
    nodes.begin[left + 1], nodes.end[left + 1], nodes.total[left + 1] = middle, end, nodes.total[node] - total
    small = left if middle - begin <= end - middle else left + 1
    for child in (left, left + 1):
        nodes.depth[child] = nodes.depth[node] + 1
        nodes.gain[child] = -1.0
        nodes.slot[child] = space.state[LEAVES] if child == small else nodes.slot[node]
    nodes.gain[node] = -1.0
    tree.feature[node], tree.low[node], tree.width[node], tree.child[node] = feature, low, width, left
    space.state[NODES] += 2
    space.state[LEAVES] += 1
    return small


@kernel
def go_on(table, rows, nodes, space, rule, tree, key, fresh):
    """After the histogram of a fresh node: divide leaves until one needs a histogram, and return it; 0 at the end."""
    if fresh > 0:
        sibling = fresh + 1 if fresh % 2 == 1 else fresh - 1
        nodes.sums[nodes.slot[sibling]] -= nodes.sums[nodes.slot[fresh]]
        find_cut(table, nodes, space, rule, key, sibling)
    find_cut(table, nodes, space, rule, key, fresh)
    while space.state[LEAVES] < rule.leaves:
        best = 0
        for node in range(space.state[NODES]):
            if nodes.gain[node] > nodes.gain[best]:
                best = node
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
    write_steps(tree.feature[:size], tree.low[:size], tree.width[:size], tree.child[:size], space.steps)
    add_tree(space.steps, tree.value, table.codes, rows.outside, 0, rows.outside.size, rows.margin)


@kernel
def tree_of(grown, number):
    """One round's line of all tables of trees."""
    return TreeTables(
        grown.feature[number],
        grown.low[number],
        grown.width[number],
        grown.child[number],
        grown.value[number],
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
def rounds(table, rows, nodes, space, rule, grown, key, last):
    """Rounds up to number ``last``; returns whether to go on."""
    while space.state[ROUNDS] < last:
        number = space.state[ROUNDS]
        derive(rows, rule.huber, 0, rows.margin.size)
        start_round(rows, nodes, space)
        fresh, own_key = 0, mixed(key, number)
        while True:
            sums = nodes.sums[nodes.slot[fresh]]
            add_rows(table.codes, table.start, rows.packed, rows.order, sums, nodes.begin[fresh], nodes.end[fresh])
            fresh = go_on(table, rows, nodes, space, rule, tree_of(grown, number), own_key, fresh)
            if fresh == 0:
                break
        if not end_round(table, rows, nodes, space, rule, grown):
            return False
    return True
