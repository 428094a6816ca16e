"""Rounds on m rows drawn at random: the paper's mode.

Only the drawn rows' margins are needed. As long as there was no case-B step they are sums of one table a feature;
small problems, and those with case-B steps, keep the margins of all rows instead.

Twin: the loop of :mod:`agnoboost.rounds.boosting` with :class:`~agnoboost.core.learners.HistogramStumpLearner`.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...basics.conventions import GRID
from . import kernel
from .best_stump import best_by_sums, level
from .histograms import cell_of

Draws = namedtuple("Draws", "cumulative uniform grid bernoulli")
"""Cumulative mass of the rows, uniform numbers of each round, 2**50/m, and whether labels are drawn too."""

Targets = namedtuple("Targets", "kind mean height weight label mass")
"""Per row: which line of ``mean``, the mean label by margin; for the potential: psi by margin, weights, label mass."""

Model = namedtuple("Model", "margins table keeps_margins")
"""Margins of all rows, or of all cells; ``keeps_margins[0]`` says which."""

Rule = namedtuple("Rule", "step shrink threshold unit min_gain")

Log = namedtuple("Log", "feature position sign edge potential tables")

_UNIT = 1.0 / GRID


@kernel
def first_above(cumulative, number):
    """The place of the first value above a number."""
    low, high = 0, cumulative.size
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] <= number:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def margin_of(codes, start, model, row):
    if model.keeps_margins[0]:
        return np.int64(model.margins[row])
    margin = np.int64(0)
    for feature in range(codes.shape[1]):
        margin += model.table[cell_of(start, codes, row, feature)]
    return margin


@kernel
def keep_margins(codes, start, model):
    """From now on keep the margins of all rows."""
    if not model.keeps_margins[0]:
        for row in range(codes.shape[0]):
            model.margins[row] = margin_of(codes, start, model, row)
        model.keeps_margins[0] = True


@kernel
def potential_of(codes, targets, model, unit):
    """Phi(H) from all rows."""
    total, middle = 0.0, targets.height.size // 2
    for row in range(codes.shape[0]):
        margin = model.margins[row]
        total += targets.weight[row] * targets.height[middle + margin] - targets.label[row] * (unit * margin)
    return total


@kernel
def draw(codes, start, draws, targets, model, unit, place, sums):
    """Add up a round's m rows; returns Phi(H), from all rows if their margins are kept, else from the m rows."""
    m = draws.uniform.shape[1] // (2 if draws.bernoulli else 1)
    middle, estimate = targets.height.size // 2, 0.0
    for cell in range(sums.size):
        sums[cell] = 0
    for drawn in range(m):
        row = first_above(draws.cumulative, draws.uniform[place, drawn])
        margin = margin_of(codes, start, model, row)
        target = targets.mean[targets.kind[row], middle + margin]
        if draws.bernoulli:
            target = 1.0 if 2.0 * draws.uniform[place, m + drawn] - 1.0 < target else -1.0
        value = np.int64(np.rint(draws.grid * target))
        for feature in range(codes.shape[1]):
            sums[cell_of(start, codes, row, feature)] += value
        own = targets.weight[row] * targets.height[middle + margin] - targets.label[row] * (unit * margin)
        estimate += own / (m * targets.mass[row])
    return potential_of(codes, targets, model, unit) if model.keeps_margins[0] else estimate


@kernel
def rounds(codes, start, categorical, draws, targets, model, rule, sums, most, log):
    """As many rounds as there are rows of uniform numbers."""
    for place in range(draws.uniform.shape[0]):
        log.potential[place] = draw(codes, start, draws, targets, model, rule.unit, place, sums)
        table = log.tables[place]
        feature, position, sign, edge = best_by_sums(sums, -_UNIT, start, categorical, rule.min_gain, table, most)
        log.feature[place], log.position[place], log.edge[place] = feature, position, edge
        if level(edge) > level(rule.threshold):
            log.sign[place] = sign
            move = sign * rule.step
            if model.keeps_margins[0]:
                for row in range(codes.shape[0]):
                    model.margins[row] += move * table[codes[row, feature]]
            else:
                for cell in range(start[feature], start[feature + 1]):
                    model.table[cell] += move * table[cell - start[feature]]
        else:
            log.sign[place] = 0
            keep_margins(codes, start, model)
            for row in range(codes.shape[0]):
                model.margins[row] += -rule.shrink if model.margins[row] >= 0 else rule.shrink
