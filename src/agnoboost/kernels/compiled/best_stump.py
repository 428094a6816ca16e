"""The best stump of all, from the sums of each bin: twin of :func:`agnoboost.kernels.cells.best_stump`."""

from __future__ import annotations

import numpy as np

from ...basics.conventions import LEVELS
from . import ZERO, kernel


@kernel
def level(score):
    return np.rint(score * LEVELS)


@kernel
def best_stump(sums, label, factor, start, categorical, label_total, min_gain, table):
    """(feature, position, sign, edge) of the stump of largest absolute edge; its values by bin go into ``table``.

    The edge of a cell is ``label - factor * sums``; ``label`` holds label edges of cuts for numeric features and label
    sums of cells elsewhere. The stump is ``sign * table``, in a form where opposite stumps have the same table.
    """
    total = np.int64(0)
    for value in sums[start[0] : start[1]]:
        total += value
    best, feature, position = -1.0, ZERO, ZERO
    bar = -1.0  # no score up to here can win: rounding to levels is dear, so only the others are rounded
    for j in range(start.size - 1):
        first, last = start[j], start[j + 1] - 1  # the last cell is that of missing values
        own, own_label = sums[first:last], label[first:last]
        missing = abs(label[last] - factor * sums[last])
        if categorical[j]:
            score = 0.0
            for cell in range(own.size):
                score += abs(own_label[cell] - factor * own[cell])
            score = level(score + missing)
            if score > best:
                best, feature, position, bar = score, j, 0, (score - 1.0) / LEVELS
            continue
        edge = total - sums[last]
        for cell in range(own.size):
            score = abs(own_label[cell] - factor * edge) + missing
            edge -= 2 * own[cell]
            if score > bar:
                score = level(score)
                if score > best:
                    best, feature, position, bar = score, j, cell, (score - 1.0) / LEVELS
    if min_gain > 0.0:
        constant = label_total - factor * total
        if best <= level(abs(constant) + min_gain):
            for code in range(table.size):
                table[code] = 1
            sign = 1 if level(constant) >= 0 else -1
            return 0, 0, sign, sign * constant
    return describe(sums, label, factor, start, categorical, total, feature, position, table)


@kernel
def describe(sums, label, factor, start, categorical, total, feature, position, table):
    """Sign, edge and table of the stump at a position."""
    first, last = start[feature], start[feature + 1] - 1
    missing = label[last] - factor * sums[last]
    opinion = np.sign(level(missing))
    for code in range(table.size):
        table[code] = 0
    if categorical[feature]:
        edge, sign = 0.0, 0
        for cell in range(first, last + 1):
            value = label[cell] - factor * sums[cell]
            side = np.sign(level(value))
            edge += side * value
            if sign == 0 and side != 0:
                sign = 1 if side > 0 else -1
            table[cell - first] = sign * side
        return feature, position, 1 if sign == 0 else sign, edge
    below = np.int64(0)
    for cell in range(first, first + position):
        below += sums[cell]
    edge = label[first + position] - factor * (total - sums[last] - 2 * below)
    sign = 1 if level(edge) >= 0 else -1
    for code in range(last - first):
        table[code] = 1 if code >= position else -1
    table[last - first] = sign * opinion
    return feature, position, sign, sign * edge + opinion * missing


@kernel
def best_by_sums(sums, factor, start, categorical, min_gain, table, most):
    """:func:`best_stump` where there are no label edges and ``factor`` is a power of 2: whole numbers do.

    Scores rise with the sums, so the largest sum has the largest score; only features that reach it are looked at
    again. ``most`` is room for the largest score of each feature.
    """
    total, largest = np.int64(0), np.int64(-1)
    for cell in range(start[0], start[1]):
        total += sums[cell]
    for j in range(start.size - 1):
        first, last = start[j], start[j + 1] - 1
        own, edge = np.int64(0), total - sums[last]
        if categorical[j]:
            for value in sums[first:last]:
                own += abs(value)
        else:
            for value in sums[first:last]:
                own = max(own, abs(edge))
                edge -= 2 * value
        most[j] = own + abs(sums[last])
        largest = max(largest, most[j])
    best = level(abs(factor) * largest)
    constant = -factor * total
    if min_gain > 0.0 and best <= level(abs(constant) + min_gain):
        for code in range(table.size):
            table[code] = 1
        sign = 1 if level(constant) >= 0 else -1
        return 0, 0, sign, sign * constant
    feature = 0
    while level(abs(factor) * most[feature]) < best:
        feature += 1
    position, edge = ZERO, total - sums[start[feature + 1] - 1]
    missing = abs(sums[start[feature + 1] - 1])
    while not categorical[feature] and level(abs(factor) * (abs(edge) + missing)) < best:
        edge -= 2 * sums[start[feature] + position]
        position += 1
    first, last = start[feature], start[feature + 1]
    own = np.zeros(last - first)  # no label edges
    alone = np.array([0, last - first])
    _, _, sign, edge_of_all = describe(
        sums[first:last], own, factor, alone, categorical[feature : feature + 1], total, ZERO, position, table
    )
    return feature, position, sign, edge_of_all


@kernel
def best_of_each(sums, label, factor, start, categorical, scores, positions):
    """The largest score of each numeric feature, and its position: a guess at the stumps that come next."""
    total = np.int64(0)
    for cell in range(start[0], start[1]):
        total += sums[cell]
    for j in range(start.size - 1):
        scores[j], positions[j] = -1.0, 0
        if categorical[j]:
            continue
        first, last = start[j], start[j + 1] - 1
        missing = abs(label[last] - factor * sums[last])
        known, below = total - sums[last], np.int64(0)
        for cell in range(first, last):
            score = abs(label[cell] - factor * (known - 2 * below)) + missing
            below += sums[cell]
            if score > scores[j]:
                scores[j], positions[j] = score, cell - first
