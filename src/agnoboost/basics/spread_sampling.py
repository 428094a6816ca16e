"""Samples of a fixed size with chosen inclusion probabilities, spread over the table.

Whoever knows with which probability each row came into a sample can estimate totals without bias, however uneven the
probabilities are (Horvitz and Thompson).
"""

from __future__ import annotations

import numpy as np

from .typing import Floats, Ints

CELL = 0.5  # expected number of drawn rows below which a cell is not divided further
ROUNDING = 1e-9


def inclusion_probabilities(size: Floats, count: int) -> Floats:
    """Proportional to ``size``, none above 1, and summing to ``count``.

    >>> inclusion_probabilities(np.array([1.0, 1.0, 2.0, 12.0]), 2).tolist()
    [0.25, 0.25, 0.5, 1.0]
    """
    sure = np.zeros(len(size), dtype=bool)
    found = np.ones(len(size))
    while not sure.all():
        found[~sure] = size[~sure] * ((count - sure.sum()) / size[~sure].sum())
        beyond = ~sure & (found >= 1.0)
        if not beyond.any():
            break
        found[beyond] = 1.0
        sure |= beyond
    return found


def neighbours_together(points: Floats, mass: Floats) -> Ints:
    """An order of the points in which near ones follow each other: the widest column is halved, again and again.

    Halves have about the same ``mass``; cells of less than ``CELL`` are left as they are.
    """
    done: list[Ints] = []
    waiting = [np.arange(len(points))]
    while waiting:
        cell = waiting.pop()
        spread = points[cell].std(axis=0) if len(cell) > 1 and mass[cell].sum() > CELL else np.zeros(1)
        if spread.max() <= 0.0:
            done.append(cell)
            continue
        column = points[cell, int(spread.argmax())]
        order = np.argsort(column, kind="stable")
        so_far = np.cumsum(mass[cell[order]])
        cut = int(np.clip(np.searchsorted(so_far, so_far[-1] / 2.0), 1, len(cell) - 1))
        waiting += [cell[order[cut:]], cell[order[:cut]]]
    return np.concatenate(done)


def pivotal_sample(probabilities: Floats, order: Ints, rng: np.random.Generator) -> Ints:
    """Rows, each drawn with exactly its probability; as many as the probabilities sum to (Deville and Tille, 1998).

    Rows duel with the one that was left over, in the given order: the winner takes what it can of the other's
    probability. So rows that follow each other are rarely drawn together.
    """
    left, share = int(order[0]), float(probabilities[order[0]])
    drawn = []
    for row, luck in zip(order[1:].tolist(), rng.random(len(order) - 1).tolist(), strict=True):
        own = float(probabilities[row])
        both = share + own
        if both < 1.0:  # one of them leaves with nothing
            left = row if luck * both < own else left
            share = both
            continue
        wins = luck * (2.0 - both) < 1.0 - own if both < 2.0 else True
        drawn.append(left if wins else row)
        left, share = (row, both - 1.0) if wins else (left, both - 1.0)
    if share > 1.0 - ROUNDING * len(order):
        drawn.append(left)
    return np.sort(np.array(drawn, dtype=np.int64))
