"""What stands out in a table: gaps, constants, copies, rare categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.typing import Ints
from .columns import TableColumn, columns_of

RARE = 5  # rows: categories with fewer say little


@dataclass(frozen=True)
class DataChecks:
    """Columns by what was found in them, and rows that occur more than once."""

    columns: list[TableColumn]
    constant: list[str]
    rare: dict[str, int]  # how many categories have fewer rows than RARE
    copies: int
    contradictions: int  # labeled rows whose copy has another label

    @property
    def missing(self) -> list[tuple[str, float]]:
        """Columns with gaps and the share of empty cells, the emptiest first."""
        shares = [(column.name, float(column.missing.mean())) for column in self.columns if column.missing.any()]
        return sorted(shares, key=lambda one: -one[1])

    @property
    def gaps(self) -> float:
        """The share of all cells that is empty."""
        return float(np.mean([column.missing.mean() for column in self.columns]))


def checks(X: Any, y: npt.NDArray[Any], rows: Ints) -> DataChecks:
    """Look at all columns, and for copies among all rows; ``rows`` are the labeled ones."""
    columns = list(columns_of(X))
    content = _contents(columns)
    _, copy_of = np.unique(content, return_inverse=True)
    labels = np.unique([str(y[row]) for row in rows], return_inverse=True)[1]
    pairs = np.unique(np.column_stack([copy_of[rows], labels]), axis=0) if len(rows) else np.empty((0, 2), dtype=int)
    groups, kinds = np.unique(pairs[:, 0], return_counts=True)
    contradictions = int(np.isin(copy_of[rows], groups[kinds > 1]).sum())
    rare = {
        column.name: few
        for column in columns
        if column.texts is not None and (few := _rare(column)) and _repeats(column)
    }
    return DataChecks(
        columns,
        [column.name for column in columns if column.distinct <= 1 and len(y) > 1],
        rare,
        len(content) - int(copy_of.max(initial=-1)) - 1,
        contradictions,
    )


def _contents(columns: list[TableColumn]) -> npt.NDArray[Any]:
    """A number for each row, the same for the same cells: sums of random numbers that stand for cells."""
    rng, total = np.random.default_rng(0), np.zeros(len(columns[0].missing), dtype=np.uint64)
    for column in columns:
        names = rng.integers(0, 2**64 - 1, column.distinct + 1, dtype=np.uint64)
        total += names[column.codes]
    return total


def _rare(column: TableColumn) -> int:
    return int(np.sum(np.bincount(column.codes[~column.missing]) < RARE))


def _repeats(column: TableColumn) -> bool:
    """Whether these are categories: names, dates and remarks have mostly another text in each row."""
    return 2 * column.distinct <= len(column.known)
