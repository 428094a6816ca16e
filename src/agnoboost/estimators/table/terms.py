"""What every member minimises.

    Phi(H) = sum_i psi_i * psi(H(x_i)) - sum_i pull_i * H(x_i)

A labeled row of weight w has psi_i = w and pull_i = w*y: the potential is linear in the label, so that anything that is
right on average may stand for it.

The sum goes over *units*. As a rule a unit is all rows that are equal, with the sum of their terms: leaving it out
leaves its copies out, too (the rows of one customer, or a small class that was written several times), and two rows are
the same as one of weight 2. But rows may also come again, because columns have few values: then every row is a unit of
its own, with its own weight. Five or more equal rows are taken for such if two of them have another label than most of
these (one may be a slip that somebody has corrected in one copy), or if columns have so few values that hardly any
other rows could be. Each kind of rows decides for itself. What happens to a unit by chance depends on its content, not
on its place in the table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...basics.content_luck import Keys, content_keys, scrambled
from ...basics.typing import Bools, Floats, Ints, Matrix
from ..data import Data
from ..population import judges_of, some_of

MOST_UNITS = 4000  # of rows that come again; more of them share units
AGAIN = 5  # equal rows from which on they may count for themselves
DISSENT = 2  # rows of a kind with another label than most of it, which copies do not have
FEW_VALUES = 20  # of a column: rows that differ in one of more values could be others


@dataclass(frozen=True)
class Terms:
    """Units, in an order that depends on their content only.

    ``pull`` has one column for each one-against-rest problem; ``group`` says which of the different rows each unit
    belongs to, ``place`` says so for the rows that have labels.
    """

    X: Matrix
    psi: Floats
    pull: Floats
    keys: Keys
    group: Ints
    place: Ints

    @classmethod
    def of(cls, data: Data) -> Terms:
        """In units of labeled rows: the weights sum to the number of labels."""
        if data.psi_from_unlabeled:
            return cls._psi_from_unlabeled(data)
        weight = data.weight * (data.label_count / data.weight.sum())
        first, place, again = _kinds(data.X, data.targets)
        together = max(1.0, len(data.X) / MOST_UNITS)
        count = np.where(again, np.ceil(np.bincount(place) / together), 1).astype(np.int64)
        unit = (np.cumsum(count) - count)[place] + _number_within(place, weight) % count[place]
        columns = [np.bincount(unit, w) for w in (weight, *(weight * data.targets.T))]
        terms = np.column_stack(columns).astype(np.float64)
        group = np.repeat(np.arange(len(first)), count)
        return cls._sorted(data.X[first][group], terms[:, 0], terms[:, 1:], group, place)

    @classmethod
    def _psi_from_unlabeled(cls, data: Data) -> Terms:
        """Labeled rows pull only; unlabeled rows have the psi part, and pull as well where they stand for labels."""
        rows = judges_of(data)
        assert rows.psi is not None
        group = np.arange(len(rows.X))
        pull = data.label_count * rows.weight[:, None] * rows.targets
        return cls._sorted(rows.X, data.label_count * rows.psi, pull, group, group[: rows.labels])

    @classmethod
    def _sorted(cls, X: Matrix, psi: Floats, pull: Floats, group: Ints, place: Ints) -> Terms:
        """Number the units of rows with equal content, and sort."""
        own = content_keys(X)
        order = np.lexsort((group, *pull.T, own))
        keys = own[order]
        starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
        number = np.arange(len(keys)) - np.repeat(starts, np.diff(np.append(starts, len(keys))))
        keys = np.where(number == 0, keys, scrambled(keys + number.astype(np.uint64)))
        return cls(X[order], psi[order], pull[order], keys, group[order], place)

    def by_row(self, margins: Floats) -> Floats:
        """Margins of units as means over the units of each row that has a label; NaN if none of them has a margin."""
        known = ~np.isnan(margins)
        count = np.bincount(self.group, known)
        total = np.bincount(self.group, np.where(known, margins, 0.0))
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)[self.place]


def _kinds(X: Matrix, targets: Floats) -> tuple[Ints, Ints, Bools]:
    """The first row of each kind, the kind of each row, and whether its rows come again.

    A kind are all rows of equal content; if they come again, those of equal content and label.
    """
    keys = content_keys(X)
    first, place = _different(keys)
    rows = np.bincount(place)
    again = rows >= AGAIN
    if again.any() and not _few_others(X[first], len(X)):
        again[again] = _dissent(place, targets)[again] >= DISSENT
    if not again.any():
        return first, place, again
    _, place_of_label = _different(keys, targets)
    kind = np.where(again[place], len(first) + place_of_label, place)
    numbers, first, place = np.unique(kind, return_index=True, return_inverse=True)
    return first, place, numbers >= len(again)


def _dissent(place: Ints, targets: Floats) -> Ints:
    """How many rows of each kind have another label than most of them."""
    first_of_label, place_of_label = _different(place, targets)
    most = np.zeros(int(place.max()) + 1, dtype=np.int64)
    np.maximum.at(most, place[first_of_label], np.bincount(place_of_label))
    return np.bincount(place) - most


def _few_others(X: Matrix, rows: int) -> bool:
    """Whether columns have so few values that rows must come again."""
    values = [float(len(np.unique(column))) for column in X.T]
    with np.errstate(over="ignore"):
        return max(values) <= FEW_VALUES and float(np.prod(values)) <= rows


def _number_within(place: Ints, weight: Floats) -> Ints:
    """Numbers the rows of each kind from 0, by weight."""
    order = np.lexsort((weight, place))
    rows = np.bincount(place)
    number = np.empty(len(place), dtype=np.int64)
    number[order] = np.arange(len(place)) - np.repeat(np.cumsum(rows) - rows, rows)
    return number


def _different(keys: Keys | Ints, targets: Floats | None = None) -> tuple[Ints, Ints]:
    """The first of each kind of row, by content and label; and which kind each row is."""
    order = np.lexsort((keys,) if targets is None else (*targets.T, keys))
    here, before = order[1:], order[:-1]
    differs = keys[here] != keys[before]
    if targets is not None:
        differs |= (targets[here] != targets[before]).any(axis=1)
    new = np.append(True, differs)
    place = np.empty(len(keys), dtype=np.int64)
    place[order] = np.cumsum(new) - 1
    return order[new], place


def thinned(data: Data, most: int) -> Data:
    """No more than ``most`` of the unlabeled rows, where these count in the potential; they stand for all of them."""
    pool = data.unlabeled
    if not data.psi_from_unlabeled or pool is None or len(pool) <= most:
        return data
    kept = np.zeros(len(pool), dtype=bool)
    kept[np.argsort(scrambled(content_keys(pool.X)), kind="stable")[:most]] = True
    labels = len(data.X) if data.labels is None else data.labels
    return some_of(data, np.ones(labels, dtype=bool), kept)
