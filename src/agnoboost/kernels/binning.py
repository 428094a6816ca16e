"""Bins: features as small whole numbers, with a bin for missing values.

Numeric features are cut at increasing cuts: x is in bin b if exactly b cuts lie below x. Categorical features hold
whole numbers 0, 1, ... already, which are their bins. NaN is in bin ``MISSING``.

Large tables are cut at the quantiles of ``SAMPLE_ROWS`` of their rows; features with few values are looked at in full,
so that all their values stay apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from ..basics.checks import as_matrix, check_between, check_same_features
from ..basics.device_arrays import as_cupy, on_device, to_host
from ..basics.typing import Bools, Floats, Ints, Matrix
from .dispatch import cores, in_parts, pays

MAX_BINS = 255
MISSING = 255  # one past the last bin
WIDTH = 256  # bins and the missing one
SAMPLE_ROWS = 100_000  # tables of more than twice as many rows are cut by a sample


@dataclass(frozen=True)
class Bins:
    """The cuts of every numeric feature, and the features that are categorical."""

    cuts: tuple[tuple[float, ...], ...]
    categorical: frozenset[int] = frozenset()

    @classmethod
    def from_data(cls, X: Matrix | Sequence[Matrix], max_bins: int = MAX_BINS, categorical: Sequence[int] = ()) -> Bins:
        """Cuts that separate all values where a feature has no more than ``max_bins``, and quantiles elsewhere.

        ``X`` may be several tables with the same columns, such as labeled and unlabeled rows, and may lie on a GPU.
        """
        check_between(max_bins, 2, MAX_BINS, "max_bins", open_low=False)
        several = isinstance(X, (list, tuple)) and all(np.ndim(table) == 2 for table in X)
        tables = [table if isinstance(table, np.ndarray) else as_matrix(table) for table in (X if several else [X])]
        marked = frozenset(int(feature) for feature in categorical)
        for table in tables:
            check_same_features(table.shape[1], tables[0].shape[1], "X")
            for feature in sorted(marked):
                _check_categories(table, feature)
        return cls(_all_cuts(tables, max_bins, marked), marked)

    @classmethod
    def from_sample(
        cls, sample: Matrix, values: Sequence[Floats], max_bins: int = MAX_BINS, categorical: Sequence[int] = ()
    ) -> Bins:
        """What :meth:`from_data` finds for a table that is not here, by the rows that :func:`sampled_rows` names.

        ``values`` are all different values of each feature (see :func:`different_values`); where they are more than
        ``max_bins``, any that are more.
        """
        marked = frozenset(int(feature) for feature in categorical)
        found: list[tuple[float, ...]] = [()] * sample.shape[1]
        for feature in set(range(len(found))) - marked:
            column = np.asarray(sample[:, feature], dtype=np.float64)
            found[feature] = tuple(_cuts(column, max_bins, lambda _, place=feature: values[place]))  # type: ignore[misc]
        return cls(tuple(found), marked)

    def check(self, X: Matrix) -> None:
        """Refuse rows that have no bins: another number of features, or values that are no categories."""
        check_same_features(X.shape[1], len(self), "X")
        for feature in sorted(self.categorical):
            _check_categories(X, feature)

    def __len__(self) -> int:
        return len(self.cuts)

    @cached_property
    def cut_mask(self) -> Bools:
        """Which positions stand for a cut (shape: features, MAX_BINS): 0 is the cut at -inf, b is cut number b - 1."""
        return np.asarray(np.arange(MAX_BINS) <= self.cut_counts[:, None])

    @cached_property
    def cut_counts(self) -> npt.NDArray[np.int64]:
        """The number of cuts of each feature."""
        return np.array([len(cuts) for cuts in self.cuts], dtype=np.int64)

    @cached_property
    def is_categorical(self) -> Bools:
        """Whether each feature is categorical."""
        return np.isin(np.arange(len(self)), list(self.categorical))

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many bins a feature can have, the missing one not counted."""
        return np.where(self.is_categorical, MAX_BINS, self.cut_mask.sum(axis=1))

    @cached_property
    def padded_cuts(self) -> Floats:
        """Cuts in a table (features, MAX_BINS), filled up with +inf."""
        table = np.full((len(self), MAX_BINS), np.inf)
        for feature, cuts in enumerate(self.cuts):
            table[feature, : len(cuts)] = cuts
        return table

    def encode(self, X: Matrix) -> npt.NDArray[np.uint8]:
        """Bin numbers, one contiguous row of the result for each feature (shape: features, rows)."""
        codes = np.empty((len(self), len(X)), dtype=np.uint8)
        self.encode_into(X, codes.T, np.full(len(self), MISSING, dtype=np.uint8))
        return codes

    def encode_into(
        self,
        X: Matrix,
        out: npt.NDArray[np.uint8],
        missing: npt.NDArray[np.uint8],
        threads: int = 1,
        compiled: bool = False,
    ) -> None:
        """Bin numbers in the shape of X, with a number for NaN of each feature's own."""
        check_same_features(X.shape[1], len(self), "X")
        if X.dtype in (np.float64, np.float32) and (compiled or pays(SEARCH * X.size)):
            from .compiled.binning import encode

            in_parts(encode, len(X), threads, X, self.padded_cuts, self.is_categorical, missing, out)
            return
        for feature, cuts in enumerate(self.cuts):
            column = X[:, feature]
            known = ~np.isnan(column) if column.dtype.kind == "f" else np.ones(len(column), dtype=bool)
            if feature in self.categorical:
                out[:, feature] = np.where(known, column, missing[feature])
            else:  # the number of cuts strictly below x
                below = np.searchsorted(np.array(cuts), column, side="left")
                out[:, feature] = np.where(known, below, missing[feature])


def midpoints(values: Floats) -> Floats:
    """A cut between each two neighbours of sorted distinct values, so that ``low <= cut < high``.

    >>> midpoints(np.array([0.0, 1.0, 4.0]))
    array([0.5, 2.5])
    """
    low, high = values[:-1], values[1:]
    cut = 0.5 * low + 0.5 * high
    return np.where((cut >= low) & (cut < high), cut, low)  # neighbours in float64 have no number between them


def histograms(codes: npt.NDArray[np.uint8], signed: Floats) -> Floats:
    """Signed mass of every bin of every feature (shape: features, WIDTH); exact, since ``signed`` is on the grid."""
    sums = np.empty((len(codes), WIDTH))
    for feature, column in enumerate(codes):
        sums[feature] = np.bincount(column, weights=signed, minlength=WIDTH)
    return sums


def _all_cuts(tables: list[Matrix], max_bins: int, categorical: frozenset[int]) -> tuple[tuple[float, ...], ...]:
    samples = [_here(*pair) for pair in zip(tables, sampled_rows([len(table) for table in tables]), strict=True)]
    compiled = pays(SEARCH * sum(table.size for table in tables))
    found: list[tuple[float, ...]] = [()] * tables[0].shape[1]

    def cut_features(start: int, end: int) -> None:
        for first in range(start, end, _TOGETHER):
            features = slice(first, min(first + _TOGETHER, end))
            sample = np.concatenate([table[own, features] for table, own in samples])
            for feature, column in enumerate(sample.T, start=first):
                if feature not in categorical:
                    whole = [table[:, feature] for table in tables]
                    values = np.asarray(column, dtype=np.float64)
                    every = partial(_values, whole, max_bins, compiled) if len(sample) < _rows(tables) else None
                    found[feature] = tuple(_cuts(values, max_bins, every))

    in_parts(cut_features, len(found), cores() if _rows(tables) > SAMPLE_ROWS else 1)
    return tuple(found)


SEARCH = 5e-8  # seconds that numpy takes to find a bin
_TOGETHER = 16  # columns of a table that are gathered at once: neighbours share cache lines


def _here(table: Matrix, rows: Ints | slice) -> tuple[Matrix, Ints | slice]:
    """A table and rows of it; of a table on a GPU those rows, on the host."""
    if not on_device(table):
        return table, rows
    return to_host(table[rows if isinstance(rows, slice) else as_cupy(rows)]), slice(None)


def _rows(tables: list[Matrix]) -> int:
    return sum(map(len, tables))


def sampled_rows(lengths: Sequence[int]) -> list[Ints | slice]:
    """Rows of each table to cut by: all of small tables, else as many of each as its share of all rows."""
    total = sum(lengths)
    if total <= 2 * SAMPLE_ROWS:
        return [slice(None)] * len(lengths)
    chosen = np.sort(np.random.default_rng(0).choice(total, SAMPLE_ROWS, replace=False))
    ends = np.cumsum(lengths)
    parts = np.split(chosen, np.searchsorted(chosen, ends[:-1]))
    return [part - (end - length) for part, end, length in zip(parts, ends, lengths, strict=True)]


def _cuts(column: Floats, max_bins: int, every: Callable[[Floats], Floats] | None) -> list[float]:
    """Cuts by a column, or by a sample of one: then ``every`` gives all its values, where the sample has only few."""
    column = np.sort(column[~np.isnan(column)])
    values = column[np.append(True, column[1:] > column[:-1])] if len(column) else column
    if len(values) <= max_bins and every is not None:
        values = every(values)
    if len(values) <= max_bins:
        return [float(cut) for cut in midpoints(values)] if len(values) else []
    levels = np.linspace(0.0, 1.0, max_bins + 1)[1:-1]
    low = np.unique(np.quantile(column, levels, method="lower"))
    return [float(cut) for cut in low if cut < column[-1]]


def different_values(X: Matrix, most: int, compiled: bool) -> list[Floats]:
    """The different values of each feature, sorted; where they are more than ``most``, any that are more."""
    return [_values([X[:, feature]], most, compiled, np.empty(0)) for feature in range(X.shape[1])]


def _values(whole: list[Matrix], most: int, compiled: bool, known: Floats) -> Floats:
    """All different values of a column; if there are more than ``most``, any that are more than ``most``."""
    whole = [to_host(np.unique(part)) if on_device(part) else part for part in whole]
    if not compiled:
        values = np.unique(np.concatenate(whole).astype(np.float64))
        return values[~np.isnan(values)][: most + 1].copy()  # not a view that would keep all of them
    from .compiled.binning import add_values

    found = np.full((1, WIDTH + 1), np.inf)
    found[0, : len(known)] = known
    count = len(known)
    for part in whole:
        count = add_values(np.asarray(part), found, count, most)
    return found[0, :count]


def _check_categories(X: Matrix, feature: int) -> None:
    if not 0 <= feature < X.shape[1]:
        raise ValueError(f"categorical features must be column numbers below {X.shape[1]}. Got {feature}.")
    column = X[:, feature]
    known = column[~np.isnan(column)] if column.dtype.kind == "f" else column
    if not ((known >= 0) & (known < MAX_BINS) & (known == np.floor(known))).all():
        low, high = float(known.min()), float(known.max())
        raise ValueError(
            f"Categorical feature {feature} must hold whole numbers from 0 to {MAX_BINS - 1}, or NaN. Got values from "
            f"{low:g} to {high:g}. Encode the categories first (rare ones together, if there are many)."
        )
