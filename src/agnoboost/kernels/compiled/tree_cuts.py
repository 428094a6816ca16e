"""The best cut of a node of a tree that grows: by intervals of codes, or by sets of categories."""

from __future__ import annotations

import numpy as np

from .. import tree_arithmetic as arithmetic
from ..binning import MISSING, WIDTH
from ..tree_arithmetic import FEW, LOW
from . import NONE, dividing_kernel, kernel

mixed = kernel(arithmetic.mixed)


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
def occupied(cells):
    """The first and the last of some cells that hold anything; their number and -1 if none does."""
    low, high = cells.size, -1
    for code in range(cells.size):
        if cells[code] != 0:
            high = code
            low = min(low, code)
    return low, high


@kernel
def ways_left(table, sums, feature, with_missing, left):
    """Packed sums of all intervals of codes that might go left, and their number.

    Numbers: all codes up to one, then the same with the missing ones. Categories: one of them, at last the missing one.
    """
    first, count = table.start[feature], table.known[feature]
    total = np.int64(0)
    for code in range(count):
        total = sums[first + code] + (np.int64(0) if table.categorical[feature] else total)
        left[code] = total
    if not with_missing:
        return count
    missing = sums[first + MISSING]
    if table.categorical[feature]:
        left[count] = missing
        return count + 1
    for code in range(count):
        left[count + code] = left[code] + missing
    return 2 * count


@kernel
def way_at_random(cells, categorical, missing, draw, left):
    """One of these ways, without and with the missing ones: their number, and the code at which it cuts."""
    low, high = occupied(cells)
    if high < 0:
        return 0, np.int64(0)
    if categorical:
        start = low + draw % (high - low + 1)
        left[0] = cells[start]
        return 1, start
    start = low + draw % max(high - low, 1)
    total = np.int64(0)
    for code in range(start + 1):
        total += cells[code]
    left[0], left[1] = total, total + missing
    return (1 if missing == 0 else 2), start


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


@dividing_kernel
def sets_of(table, sums, feature, random_cuts, draw, ridge, space):
    """Packed sums of sets of categories that might go left; their number, and how many categories there are.

    They are the first ones in the order of what their leaves would be. At random there is one set: ``ordered`` begins
    with its members, and ends with their number.
    """
    first, size = table.start[feature], table.start[feature + 1] - table.start[feature]
    filled = 0
    for code in range(size):
        cell = sums[first + code]
        if cell == 0:
            continue
        leaf = float(cell >> 32) / (float(cell & LOW) + ridge)
        height = -float(mixed(draw, code) >> 31) if random_cuts else leaf
        place = filled
        while place > 0 and space.score[place - 1] > height:
            space.score[place] = space.score[place - 1]
            space.ordered[place] = space.ordered[place - 1]
            place -= 1
        space.score[place] = height
        space.ordered[place] = code
        filled += 1
    total, drawn = np.int64(0), 0
    for place in range(filled):
        total += sums[first + space.ordered[place]]
        space.left[place] = total
        drawn += space.score[place] < 0
    if not random_cuts:
        return max(filled - 1, 0), filled
    if drawn == 0:
        return 0, filled
    space.left[0] = space.left[drawn - 1]
    space.ordered[WIDTH] = drawn
    return 1, filled


@kernel
def write_set(bits, space, place, filled, random_cuts, total):
    """The members of a set, or of the rest if that is lighter: other categories will follow the heavier side."""
    count = space.ordered[WIDTH] if random_cuts else place + 1
    first, last = (count, filled) if 2 * (space.left[place] & LOW) > (total & LOW) else (0, count)
    for member in range(first, last):
        code = space.ordered[member]
        bits[code >> 6] |= np.uint64(1) << np.uint64(code & 63)


@kernel
def categories(table, sums, feature):
    """How many categories a node has, the missing one too."""
    count = 0
    for cell in range(table.start[feature], table.start[feature + 1]):
        count += sums[cell] != 0
    return count


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
def find_cut(table, nodes, space, rule, node):
    """The best cut of a node, if any is worth it: the lowest feature, then the lowest place, among equals."""
    sums, total = nodes.sums[nodes.slot[node]], nodes.total[node]
    ridge = max(rule.ridge * space.units[1], 1.0)
    set_ridge = ridge + rule.smooth * space.units[1]
    least = max(np.ceil(rule.least * space.units[1]), 1.0)
    pull = float(total >> 32)
    parent = pull * pull / (float(total & LOW) + ridge)
    best = parent * (1.0 + 1e-9)
    nodes.gain[node] = -1.0
    features = table.known.size
    own_key = nodes.key[node]
    some = rule.looked_at < features
    if some:
        choose_features(own_key, rule.looked_at, space.chosen)
    for feature in range(features):
        if some and space.chosen[1, feature] == 0:
            continue
        draw = mixed(own_key, feature) if rule.random_cuts else 0
        by_sets = table.categorical[feature] and categories(table, sums, feature) > FEW
        start, missing, filled = np.int64(0), np.int64(0), 0
        if by_sets:
            count, filled = sets_of(table, sums, feature, rule.random_cuts, draw, set_ridge, space)
        else:
            missing = sums[table.start[feature] + MISSING] if table.gaps[feature] else np.int64(0)
            if rule.random_cuts:
                first = table.start[feature]
                cells = sums[first : first + table.known[feature]]
                count, start = way_at_random(cells, table.categorical[feature], missing, draw, space.left)
            else:
                count = ways_left(table, sums, feature, missing != 0, space.left)
        judge(space.left, count, total, set_ridge if by_sets else ridge, least, space.score)
        place = NONE
        for other in range(count):
            if space.score[other] > best:
                best, place = space.score[other], other
        if place >= 0:
            nodes.gain[node] = best - parent
            nodes.cut[node, 0], nodes.cut[node, 1], nodes.cut[node, 2] = feature, 0, 0
            nodes.sets[node] = 0
            if by_sets:
                write_set(nodes.sets[node], space, place, filled, rule.random_cuts, total)
            else:
                low, width = interval(table, feature, place, start, count, missing, total, space.left)
                nodes.cut[node, 1], nodes.cut[node, 2] = low, width
