"""A table that stays elsewhere, in blocks, and what is learned of it where the blocks are.

Whatever is drawn from the table is drawn by the numbers that rows have among all labeled and among all unlabeled ones,
in the order of the blocks. So nothing depends on who holds which block, and what comes of it is what a table in memory
gives.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...basics.typing import Floats, Ints, Matrix
from ...kernels.binning import MAX_BINS, SEARCH, Bins, different_values, sampled_rows
from ...kernels.cells import Layout
from ...kernels.dispatch import pays
from .table import FarTable


class Places(NamedTuple):
    """Rows by their numbers among the labeled, and among the unlabeled rows."""

    labeled: Ints
    unlabeled: Ints


@dataclass(frozen=True)
class SomeRows:
    """Rows that have come here: labeled ones with the numbers of their classes, and unlabeled ones."""

    X: Floats
    codes: Ints
    unlabeled: Floats


class Blocks(ABC):
    """``labeled`` and ``unlabeled`` say how many rows of each kind every block has, both int64 (blocks,)."""

    labeled: Ints
    unlabeled: Ints
    features: int

    @property
    def large(self) -> bool:
        """Whether there are so many rows that compiled code pays, wherever they are."""
        return pays(SEARCH * self.features * int(self.labeled.sum() + self.unlabeled.sum()))

    @abstractmethod
    def each(self, work: Callable[..., Any], *own: Sequence[Any]) -> list[Any]:
        """``work(X, codes, *own)`` for every block, with its own of each list, where the block is.

        ``X`` are numbers (rows, features), ``codes`` the number of each row's class, or -1 where there is none.
        """

    @abstractmethod
    def kept(self, layout: Layout, with_unlabeled: bool) -> FarTable:
        """All rows in bins, or the labeled ones alone."""


def look_at(
    blocks: Blocks, wanted: Places, max_bins: int = MAX_BINS, categorical: Sequence[int] = ()
) -> tuple[Bins, SomeRows]:
    """Bins by a sample of all rows, as :meth:`Bins.from_data` places them, and the rows that are wanted."""
    sizes = [int(blocks.labeled.sum()), int(blocks.unlabeled.sum())]
    drawn = zip(sizes, sampled_rows(sizes), strict=True)
    sample = Places(*(np.arange(size) if isinstance(own, slice) else own for size, own in drawn))
    work = partial(_seen, max_bins=max_bins, compiled=blocks.large)
    seen = blocks.each(work, _by_block(blocks, sample), _by_block(blocks, wanted))
    samples, rows, values = zip(*seen, strict=True)
    found = [_union([own[feature] for own in values], max_bins) for feature in range(len(values[0]))]
    sampled = _together(samples)
    return (
        Bins.from_sample(np.concatenate([sampled.X, sampled.unlabeled]), found, max_bins, categorical),
        _together(rows),
    )


def _seen(
    X: Matrix, codes: Ints, sample: Places, wanted: Places, max_bins: int, compiled: bool
) -> tuple[SomeRows, SomeRows, list[Floats]]:
    """The rows of two kinds that a block has, and the values of its features."""
    if X.dtype.kind == "f" and np.isinf(X).any():
        raise ValueError("X must be finite. Got infinity. Replace it by a large number, or by NaN where it is missing.")
    return _taken(X, codes, sample), _taken(X, codes, wanted), different_values(X, max_bins, compiled)


def _taken(X: Matrix, codes: Ints, places: Places) -> SomeRows:
    labeled, unlabeled = np.flatnonzero(codes >= 0)[places.labeled], np.flatnonzero(codes < 0)[places.unlabeled]
    return SomeRows(np.asarray(X[labeled], np.float64), codes[labeled], np.asarray(X[unlabeled], np.float64))


def _by_block(blocks: Blocks, places: Places) -> list[Places]:
    """Which rows of each block."""
    labeled, unlabeled = (
        _split(own, counts) for own, counts in zip(places, (blocks.labeled, blocks.unlabeled), strict=True)
    )
    return [Places(*own) for own in zip(labeled, unlabeled, strict=True)]


def _split(places: Ints, counts: Ints) -> list[Ints]:
    ends = np.cumsum(counts)
    parts = np.split(np.sort(places), np.searchsorted(np.sort(places), ends[:-1]))
    return [part - (end - count) for part, end, count in zip(parts, ends, counts, strict=True)]


def _together(parts: Sequence[SomeRows]) -> SomeRows:
    return SomeRows(
        np.concatenate([part.X for part in parts]),
        np.concatenate([part.codes for part in parts]),
        np.concatenate([part.unlabeled for part in parts]),
    )


def _union(values: Sequence[Floats], most: int) -> Floats:
    """All different values, or any that are more than ``most``."""
    return np.unique(np.concatenate(values))[: most + 1]
