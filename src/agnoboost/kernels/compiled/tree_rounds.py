"""Rounds of boosting with trees, many in one call: twin of the plain loop with
:class:`agnoboost.core.learners.HistogramTreeLearner`.

Trees are grown by the kernels of :mod:`.gradient_trees`, from masses in units of the smallest and mean labels in whole
multiples of 1/FINEST: a row of weight 2 is then exactly two rows, as long as the grower's whole numbers have the bits.
Margins are whole numbers of units, as on a tape, kept in float64, which holds them exactly.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...basics.conventions import GRID, LEVELS
from .. import tree_arithmetic as on_grid
from ..tree_arithmetic import LOW
from ..tree_tables import GrowthRule
from . import ZERO, dividing_kernel, kernel
from .copying import subtract
from .forest import add_tree, write_steps
from .gradient_trees import (
    LEAVES,
    NODES,
    Rows,
    add_rows,
    holds_any,
    huber_height,
    huber_slope,
    split,
    start_round,
    tree_of,
)
from .tree_cuts import find_cut, mixed

Problem = namedtuple("Problem", "mass pull bend psi label keys poisson")
"""By row: mass in a batch; its mean label is pull - bend * psi'(H). Its share of psi and of the label in the potential;
the key of its luck. Cumulative probabilities of a multiplicity, none for whole batches."""

Pace = namedtuple("Pace", "unit add shrink threshold reach min_gain grains")
"""A margin's unit; how many of them a leaf moves it for each grain, and a case-B step; the edge that a step needs. What
multiplies the mean label of a leaf, what a split must gain, and how many grains are 1."""


whole_grains, whole_counts = kernel(on_grid.whole_grains), kernel(on_grid.whole_counts)


@kernel
def multiplicity(key, occasion, poisson):
    """How often a row is drawn: twin of :func:`agnoboost.basics.content_luck.multiplicities`."""
    bits = key ^ occasion
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    bits = bits ^ (bits >> np.uint64(31))
    uniform = np.float64(bits >> np.uint64(11)) * 2.0**-53
    count = 0
    while count < poisson.size and poisson[count] < uniform:
        count += 1
    return count


@dividing_kernel
def make_batch(problem, rows, unit, occasion):
    """The batch for the margins: ``label`` gets the signed mass of every row, and what trees are grown by is counted.

    Returns the potential of the margins, and the mass of all rows in units of the smallest.
    """
    count, total, smallest, potential = rows.margin.size, 0.0, np.inf, 0.0
    drawn = problem.poisson.size > 0
    for row in range(count):
        z = unit * rows.margin[row]
        potential += problem.psi[row] * huber_height(z) - problem.label[row] * z
        rows.gradient[row] = problem.pull[row] - problem.bend[row] * huber_slope(z)
        times = multiplicity(problem.keys[row], occasion, problem.poisson) if drawn else 1
        mass = problem.mass[row] * times
        rows.curvature[row] = mass
        total += mass
        smallest = min(smallest, mass) if mass > 0.0 else smallest
    if total == 0.0:  # no row was drawn: all of them are taken
        drawn = False
        for row in range(count):
            mass = problem.mass[row]
            rows.curvature[row] = mass
            total += mass
            smallest = min(smallest, mass) if mass > 0.0 else smallest
    if drawn:  # shares of what was drawn, divided as the plain loop divides
        smallest /= total
    for row in range(count):
        mass = rows.curvature[row] / total if drawn else rows.curvature[row]
        rows.label[row] = np.rint(mass * rows.gradient[row] * GRID) / GRID
        rows.curvature[row] = mass / smallest
        rows.gradient[row] = rows.curvature[row] * whole_grains(rows.gradient[row])
    return potential, whole_counts(1.0 / smallest)


@kernel
def divide_rows(rows):
    """Rows of positive mass first, the others after them; how many there are of the first kind."""
    held, idle = 0, 0
    for row in range(rows.curvature.size):
        if rows.curvature[row] > 0.0:
            rows.inside[held] = row
            held += 1
        else:
            rows.outside[idle] = row
            idle += 1
    return held


@kernel
def grow_tree(table, rows, nodes, space, rule, tree, floor):
    """Divide the leaf with the most to gain, or the first one, until no division gains more than ``floor``."""
    add_rows(table.codes, table.start, rows.packed, rows.order, nodes.sums[0], ZERO, rows.order.size)
    find_cut(table, nodes, space, rule, ZERO)
    while space.state[LEAVES] < rule.leaves:
        best = 0
        for node in range(space.state[NODES]):
            if nodes.gain[node] > max(nodes.gain[best], floor):
                best = node
                if rule.by_level:
                    break
        if nodes.gain[best] <= floor:
            return
        small = split(table, rows, nodes, space, tree, best)
        if (rule.depth > 0 and nodes.depth[small] >= rule.depth) or space.state[LEAVES] >= rule.leaves:
            continue
        other = small + 1 if small % 2 == 1 else small - 1
        sums = nodes.sums[nodes.slot[small]]
        sums[:] = 0
        add_rows(table.codes, table.start, rows.packed, rows.order, sums, nodes.begin[small], nodes.end[small])
        subtract(sums, nodes.sums[nodes.slot[other]])
        find_cut(table, nodes, space, rule, small)
        find_cut(table, nodes, space, rule, other)


@dividing_kernel
def edge_of(rows, nodes, space, rule, tree, pace):
    """Give leaves their values, in grains; the correlation of the tree with the batch."""
    ridge = max(rule.ridge * space.units[1], 1.0)
    to_mean = pace.reach * (space.units[1] / space.units[0])
    edge = 0.0
    for node in range(space.state[NODES]):
        if tree.child[node] != 0:
            continue
        total = nodes.total[node]
        mean = to_mean * (float(total >> 32) / (float(total & LOW) + ridge))
        tree.value[node] = np.rint(min(max(mean, -1.0), 1.0) * pace.grains)
        pull = 0.0
        for place in range(nodes.begin[node], nodes.end[node]):
            pull += rows.label[rows.order[place]]
        edge += pull * (tree.value[node] / pace.grains)
    return edge


@kernel
def add_leaves(table, rows, nodes, space, tree, times):
    """Move all margins by a tree."""
    size = space.state[NODES]
    for node in range(size):
        space.group[node] = node + 1 if holds_any(tree.sets[node]) else 0
        if tree.child[node] == 0:
            for place in range(nodes.begin[node], nodes.end[node]):
                rows.margin[rows.order[place]] += times * tree.value[node]
    write_steps(tree.feature, tree.low, tree.width, tree.child[:size], space.group, space.steps)
    idle = rows.outside
    add_tree(
        space.steps, times * tree.value[:size], space.group, tree.sets, table.codes, idle, 0, idle.size, rows.margin
    )


@kernel
def shrink(rows, by):
    """H <- H - by * sign(H), with sign(0) = +1."""
    for row in range(rows.margin.size):
        rows.margin[row] -= by if rows.margin[row] >= 0.0 else -by


@kernel
def in_use(rows, held):
    """The rows of a batch: the first ``held`` have mass, the others have none."""
    return Rows(
        rows.mass,
        rows.label,
        rows.margin,
        rows.gradient,
        rows.curvature,
        rows.packed,
        rows.inside[:held],
        rows.order[:held],
        rows.scratch,
        rows.outside[: rows.margin.size - held],
        rows.seen,
        rows.best,
    )


@kernel
def counted(rule, whole):
    """A rule in shares of a batch's mass, for masses that sum up to ``whole``."""
    return GrowthRule(
        rule.huber,
        rule.leaves,
        rule.depth,
        rule.by_level,
        rule.step,
        rule.ridge * whole,
        rule.least * whole,
        rule.smooth * whole,
        rule.looked_at,
        rule.random_cuts,
        rule.patience,
        rule.symmetric,
    )


@dividing_kernel
def fit_tree(table, rows, nodes, space, rule, pace, tree, key, whole):
    """The tree for the batch in ``rows``, with leaves in grains; its edge, and how many rows have mass."""
    held = divide_rows(rows)
    own, own_rule = in_use(rows, held), counted(rule, whole)
    # As for the first round of the first run of the grower.
    start_round(own, nodes, space, mixed(mixed(key, 0), 0))
    floor = whole * pace.min_gain / pace.reach * (space.units[0] * space.units[0] / space.units[1])
    grow_tree(table, own, nodes, space, own_rule, tree, floor)
    return edge_of(own, nodes, space, own_rule, tree, pace), held


@kernel
def run_rounds(table, problem, rows, nodes, space, rule, pace, grown, luck, records):
    """One round for every line of ``luck`` (occasion and key); ``records`` gets edge, case A or not, and potential."""
    for number in range(luck.shape[0]):
        tree = tree_of(grown, number)
        potential, whole = make_batch(problem, rows, pace.unit, luck[number, 0])
        edge, held = fit_tree(table, rows, nodes, space, rule, pace, tree, np.int64(luck[number, 1]), whole)
        grown.size[number] = space.state[NODES]
        added = np.rint(edge * LEVELS) > np.rint(pace.threshold * LEVELS)
        if added:
            add_leaves(table, in_use(rows, held), nodes, space, tree, pace.add)
        else:
            shrink(rows, pace.shrink)
        records[number, 0], records[number, 1], records[number, 2] = edge, added, potential
