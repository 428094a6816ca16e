"""Parquet files a block of rows at a time, for tables that are larger than memory.

What columns hold is learned from the first rows; where some are no plain numbers, also from rows all over the file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..basics.extras import require
from ..basics.typing import Ints
from .label_marks import LabelMarks, is_marked, label_marks
from .large_numbers import counting, rounded
from .reading.blanks import bare
from .reading.checks import check_columns
from .reading.features import read_features
from .reading.findings import Findings, TableFileError
from .reading.formats import PARQUET
from .reading.grid import Grid
from .reading.headers import asked_names, clean_names, missing_column
from .reading.label_cells import label_cells, tell_of_idle_marks

BLOCK_VALUES = 4_000_000  # about how many cells are read at once
HEAD, SPREAD = 20_000, 80_000  # rows to learn from: the first ones, and others all over the file
MOST_LABELS = 2**15 - 1


def is_parquet(path: Path) -> bool:
    """Whether a file says so in its first bytes."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(PARQUET)) == PARQUET


def shape_of(path: Path) -> tuple[int, int]:
    """Rows and columns of a file."""
    file = _opened(path, Findings(path))
    return int(file.metadata.num_rows), len(file.schema_arrow.names)


def _opened(path: Path, findings: Findings) -> Any:
    arrow = require("pyarrow.parquet", "cli", "Reading Parquet files needs pyarrow")
    if not path.exists():
        raise TableFileError(f"There is no file {path}. Check the name and the folder.")
    try:
        return arrow.ParquetFile(path)
    except Exception as error:  # pyarrow's own kinds are many
        raise findings.damaged("Parquet by its name or its first bytes", error) from None


@dataclass(frozen=True)
class Block:
    """Rows that are read together: whole row groups, or a part of one; ``first`` is the number of the first row."""

    groups: tuple[int, ...]
    first: int
    rows: int


@dataclass(frozen=True)
class LabelNumbers:
    """A column of labels: ``values`` that occur, as they are meant, with NaN or None for gaps; the rows of each; and
    the number of its value for every row, -1 where the cell is empty."""

    values: pd.Series
    rows: Ints
    numbers: npt.NDArray[np.int16]


class ParquetTable:
    """A Parquet file with a column of labels, ``target``; ``names`` are its other columns, but those to ``drop``.

    Columns named in ``text`` are read as text. ``tell`` is called with each note on what is not plain.
    """

    def __init__(
        self,
        path: Path,
        target: str,
        *,
        drop: Collection[str] = (),
        text: Collection[str] = (),
        tell: Callable[[str], None] | None = None,
    ):
        self.path, self.target = path, bare(target)
        self._findings = Findings(path)
        self._file = _opened(path, self._findings)
        self.rows = int(self._file.metadata.num_rows)
        if not self.rows:
            raise self._findings.fail("has no rows.")
        self._size = max(1, BLOCK_VALUES // len(self._file.schema_arrow.names))
        head = _frame(next(self._batches(HEAD, None)))
        grid = Grid([str(name) for name in head.columns], [head.iloc[:, i] for i in range(head.shape[1])], typed=True)
        clean_names(grid, self._findings)
        if self.target not in grid.names:
            missing_column(self.target, grid.names, self._findings)
        left_out = {self.target, *asked_names(drop, grid.names, self._findings)}
        self._findings.raise_problems()
        self.names = [name for name in grid.names if name not in left_out]
        self._written = dict(zip(grid.names, (str(column.name) for column in grid.columns), strict=True))
        self._text = [name for name in text if name in self.names]
        self.head = self._table(grid, self._findings, judged=True)
        self._tell = tell or (lambda note: None)
        self._tell_notes(self._findings)

    def _tell_notes(self, findings: Findings) -> None:
        for note in findings.notes:
            self._tell(f"{self.path}: {note}.")

    # ------------------------------------------------------------------- blocks

    @property
    def blocks(self) -> list[Block]:
        """All rows, in order."""
        found: list[Block] = []
        first, waiting = 0, Block((), 0, 0)
        for group in range(self._file.num_row_groups):
            rows = int(self._file.metadata.row_group(group).num_rows)
            if waiting.rows and waiting.rows + rows > self._size:
                found.append(waiting)
                waiting = Block((), first, 0)
            if rows > self._size:
                starts = range(first, first + rows, self._size)
                found += [Block((group,), start, min(self._size, first + rows - start)) for start in starts]
                waiting = Block((), first + rows, 0)
            else:
                waiting = Block((*waiting.groups, group), waiting.first, waiting.rows + rows)
            first += rows
        return [*found, waiting] if waiting.rows else found

    def frames(self) -> Iterator[pd.DataFrame]:
        """The features of each block, read as those of ``head`` were."""
        for block, frame in self._read([self._written[name] for name in self.names]):
            grid = Grid(self.names, [frame.iloc[:, i] for i in range(frame.shape[1])], typed=True, first=block.first)
            yield self._table(grid, Findings(self.path), judged=False)

    def spread(self) -> pd.DataFrame | None:
        """Rows all over the file, beyond ``head``, to learn from; None where all columns are numbers anyway."""
        if all(self.head[name].dtype.kind in "biuf" for name in self.names) or self.rows <= len(self.head):
            return None
        rows = np.unique(np.linspace(len(self.head), self.rows - 1, SPREAD).astype(np.int64))
        parts, first = [], 0
        for frame in self.frames():
            own = rows[(rows >= first) & (rows < first + len(frame))] - first
            parts.append(frame.iloc[own])
            first += len(frame)
        return pd.concat(parts, ignore_index=True)

    def labels(self, missing_label: LabelMarks) -> LabelNumbers:
        """The column of labels, of which a text may be the mark of gaps, besides empty cells."""
        seen: dict[Any, int] = {}
        numbers = np.full(self.rows, -1, dtype=np.int16)
        for block, column in self._columns(self._written[self.target]):
            coded = column.combine_chunks().dictionary_encode()
            values = [seen.setdefault(value, len(seen)) for value in coded.dictionary.to_pylist()]
            if len(seen) > MOST_LABELS:
                raise self._findings.fail(
                    f"has more than {MOST_LABELS:,} different labels in column {self.target!r}: these are no classes. "
                    "Name the column with the labels."
                )
            places = coded.indices.to_numpy(zero_copy_only=False)
            known = ~np.isnan(places) if places.dtype.kind == "f" else np.ones(len(places), dtype=bool)
            numbers[block.first : block.first + block.rows][known] = np.array(values)[places[known].astype(np.int64)]
        return self._label_numbers(seen, numbers, missing_label)

    def _label_numbers(self, seen: dict[Any, int], numbers: Any, missing_label: LabelMarks) -> LabelNumbers:
        rows = np.bincount(numbers[numbers >= 0], minlength=len(seen))
        raw = pd.Series(list(seen), dtype=object if any(isinstance(value, str) for value in seen) else None)
        findings = Findings(self.path)
        tell_of_idle_marks([raw], missing_label, findings)
        values = label_cells(self.target, raw, missing_label, findings, pd.Series(rows))
        if label_marks(missing_label):
            values = values.astype(object).where(~is_marked(values, missing_label), None)
        self._tell_notes(findings)
        return LabelNumbers(values, rows, numbers)

    # ------------------------------------------------------------------ reading

    def _table(self, grid: Grid, findings: Findings, judged: bool) -> pd.DataFrame:
        """Features as they are meant."""
        found = read_features(grid, self.names, self._text, (), None, None, findings)
        table = pd.DataFrame({name: found[name] for name in self.names})
        check_columns(table, grid, judged, findings)
        findings.raise_problems()
        return rounded(table, [*self._text, *(counting(table) if judged else [])])

    def _read(self, names: list[str]) -> Iterator[tuple[Block, pd.DataFrame]]:
        for block, batch in self._arrow(names):
            yield block, _frame(batch)[names]

    def _columns(self, name: str) -> Iterator[tuple[Block, Any]]:
        for block, batch in self._arrow([name]):
            yield block, batch.column(0)

    def _arrow(self, names: list[str]) -> Iterator[tuple[Block, Any]]:
        """The blocks as tables of pyarrow."""
        blocks = self.blocks
        for place, block in enumerate(blocks):
            if len(block.groups) == 1 and block.rows < self._file.metadata.row_group(block.groups[0]).num_rows:
                if place == 0 or blocks[place - 1].groups != block.groups:
                    batches = self._batches(self._size, names, block.groups)
                batch = next(batches)
            else:
                batch = self._told(partial(self._file.read_row_groups, block.groups, columns=names))
            yield block, batch

    def _batches(self, size: int, names: list[str] | None, groups: tuple[int, ...] | None = None) -> Iterator[Any]:
        import pyarrow

        found = self._file.iter_batches(size, columns=names, row_groups=None if groups is None else list(groups))
        while True:
            batch = self._told(partial(next, found, None))
            if batch is None:
                return
            yield pyarrow.Table.from_batches([batch])

    def _told(self, read: Callable[[], Any]) -> Any:
        try:
            return read()
        except Exception as error:  # pyarrow's own kinds are many
            raise self._findings.damaged("Parquet by its first bytes", error) from None


def _frame(table: Any) -> pd.DataFrame:
    """Without an index of pandas, which may be among the columns of the file."""
    return table.to_pandas().reset_index(drop=True)
