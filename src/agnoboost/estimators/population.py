"""Rows to judge by, and folds, where psi comes from unlabeled rows: labeled ones are no sample of the population.

The potential E[psi(H)] - E[y H] has one part for each kind of row: unlabeled rows give psi, labeled ones pull, and so
do unlabeled rows where they stand for labels. Each part is a mean, so rows that a run has not seen estimate it without
bias: positives and unlabeled rows judge a model, and no negative is needed.

Margins are judged between -1 and 1, where the potential is (H - y)^2/2 less a constant: the Brier score of the
probabilities. Beyond, a region with labels and without unlabeled rows would have no psi to pay for its pull, and a few
held-out labels in it would outweigh everything else.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.model_selection import StratifiedKFold

from ..basics.content_luck import content_keys
from ..basics.typing import Bools, Ints
from ..core.sources import Pool
from .data import Data

CROWDED = 3.0  # rows for each different row, on average, from which on equal rows count for themselves


def judges_of(data: Data) -> Data:
    """One row for each term of the potential: labeled rows, which only pull, then all unlabeled ones with their psi."""
    assert data.unlabeled is not None
    labels, count = _labels(data), len(data.unlabeled)
    extra = count if len(data.X) > labels else 0  # all unlabeled rows stand for labels, or none of them
    none = np.zeros(count - extra)
    return Data(
        np.concatenate([data.X[:labels], data.unlabeled.X]),
        np.concatenate([data.codes[:labels], np.full(count, data.codes[-1])]),
        np.concatenate([data.targets, np.zeros((count - extra, data.problems))]),
        np.concatenate([data.weight / data.weight.sum(), none]),
        labels=labels,
        psi=np.concatenate([np.zeros(labels), data.unlabeled.mass]),
    )


def folds_of(data: Data, folds: int, seed: int) -> Ints:
    """The fold of each row of :func:`judges_of`: each kind is spread evenly, and equal rows are left out together."""
    judges = judges_of(data)
    kinds = _kinds(judges)
    found = np.empty(len(kinds), dtype=np.int64)
    splits = StratifiedKFold(folds, shuffle=True, random_state=seed).split(kinds[:, None], kinds)
    for number, (_, rows) in enumerate(splits):
        found[rows] = number
    _, first, same = np.unique(content_keys(judges.X), return_index=True, return_inverse=True)
    if CROWDED * len(first) < len(same):  # the same few rows again and again
        return found
    return np.where(kinds == kinds.max(), found[first[same]], found)  # the first of equal rows: a labeled one, if any


def with_psi_apart(judges: Data) -> Data:
    """Rows of :func:`judges_of` as rows that pull, and a pool of those with a psi."""
    assert judges.psi is not None
    pool = Pool(judges.X[judges.psi > 0], mass=judges.psi[judges.psi > 0])
    return replace(judges.take(np.flatnonzero(judges.weight)), unlabeled=pool, psi=None)


def some_of(data: Data, labeled: Bools, unlabeled: Bools) -> Data:
    """Some labeled and unlabeled rows: each kind stands for all of its kind, and weighs as much as those together."""
    assert data.unlabeled is not None
    stand_for_labels = len(data.X) > _labels(data)
    kept = np.flatnonzero(np.concatenate([labeled, unlabeled]) if stand_for_labels else labeled)
    kinds = _kinds(data)
    before, after = np.bincount(kinds, data.weight), np.bincount(kinds[kept], data.weight[kept], kinds.max() + 1)
    factor = np.divide(before, after, out=np.ones_like(before), where=after > 0)
    pool = Pool(data.unlabeled.X[unlabeled], mass=data.unlabeled.mass[unlabeled])
    whole = replace(data, weight=data.weight * factor[kinds], unlabeled=pool, labels=int(labeled.sum()))
    return whole.take(kept)


def _kinds(data: Data) -> Ints:
    """The class of labeled rows, and a number beyond them for the others."""
    labels = _labels(data)
    return np.concatenate([data.codes[:labels], np.full(len(data.codes) - labels, data.codes.max() + 1)])


def _labels(data: Data) -> int:
    return len(data.X) if data.labels is None else data.labels
