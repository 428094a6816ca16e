"""Fitting to a Parquet file that is larger than memory: its rows are kept on a disk, as one byte a value."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...basics.extras import require
from ...basics.stages import Moment, Stages
from ...basics.typing import Ints
from ...kernels.cells import Codes, Layout
from ...kernels.dispatch import cores
from ...labels.reading import check_come_again, known_rows, plain_values, shown
from ...rounds.far.blocks import Blocks
from ...rounds.far.disk import DiskTable
from ...rounds.far.table import FarTable
from ...tables.encoder import TableEncoder
from ...tables.label_marks import LabelMarks
from ..data import Data
from .estimator import AgnosticBoostingClassifier
from .far import check_far, fit_far

if TYPE_CHECKING:  # pandas, which few need, comes with it
    from ...tables.parquet import LabelNumbers, ParquetTable


class ParquetBlocks(Blocks):
    """The blocks of a file, read by an encoder; ``codes`` are the numbers of the classes of all rows."""

    def __init__(
        self, table: ParquetTable, encoder: TableEncoder, codes: npt.NDArray[np.int16], folder: Path, stages: Stages
    ):
        self._table, self._encoder, self._codes = table, encoder, codes
        self._folder, self._stages, self._blocks = folder, stages, table.blocks
        self.features = len(encoder.names)
        self.labeled = np.array([(own >= 0).sum() for own in map(self._codes_of, self._blocks)])
        self.unlabeled = np.array([block.rows for block in self._blocks]) - self.labeled

    def _codes_of(self, block: Any) -> npt.NDArray[np.int16]:
        return self._codes[block.first : block.first + block.rows]

    def _rows(self) -> Iterator[tuple[Any, Any]]:
        """The numbers, and the classes, of each block."""
        for done, (block, frame) in enumerate(zip(self._blocks, self._table.frames(), strict=True)):
            yield self._encoder.transform(frame), self._codes_of(block)
            self._stages.inside(Moment(f"block {done + 1} of {len(self._blocks)}", done + 1, len(self._blocks)))

    def each(self, work: Callable[..., Any], *own: Sequence[Any]) -> list[Any]:
        return [work(*rows, *arguments) for rows, *arguments in zip(self._rows(), *own, strict=True)]

    def kept(self, layout: Layout, with_unlabeled: bool) -> FarTable:
        threads = cores()
        digest = blake2b(digest_size=16)

        def encoded() -> Iterator[tuple[Codes, Ints]]:
            for X, classes in self._rows():
                taken = slice(None) if with_unlabeled else classes >= 0
                codes = layout.encode([X[taken]], threads, self.large)
                digest.update(codes.data if len(codes) else b"")
                digest.update(np.ascontiguousarray(classes[taken]).data if len(codes) else b"")
                yield codes, classes[taken]

        rows = int(self.labeled.sum()) + (int(self.unlabeled.sum()) if with_unlabeled else 0)
        table = DiskTable(layout, encoded(), rows, self._folder, threads)
        table.identity = digest.hexdigest()
        return table


def fit_parquet(
    model: AgnosticBoostingClassifier,
    path: str | Path,
    target: str,
    *,
    drop: Collection[str] = (),
    missing_label: LabelMarks = None,
    folder: str | Path | None = None,
    tell: Callable[[str], None] | None = None,
) -> AgnosticBoostingClassifier:
    """Fit to a Parquet file that is larger than memory.

    The file is read a block of rows at a time, three or four times over; bins are kept as one byte a value in a
    nameless file, and about ten bytes a row in memory. The model is the one that a fit in memory gives, to the bit,
    where columns are numbers; of other columns categories are learned from 100,000 rows.

    Parameters
    ----------
    model : AgnosticBoostingClassifier
        With ``weak_learner="stump"`` and ``batch_size=None``; label models and class weights are not supported here.
    path : path
        The file.
    target : str
        The column with the labels, empty where a row has none.
    drop : collection of str
        Columns to leave out.
    missing_label : str or sequence of str, optional
        The mark, or marks, of rows without label, besides empty cells and the model's own ``missing_label``.
    folder : path, optional
        Where the bins are kept, on a disk rather than in memory; the system's place for temporary files by default.
    tell : callable, optional
        Is called with each note on what is not plain in the file.

    Returns
    -------
    AgnosticBoostingClassifier
        The model, fitted.
    """
    fit_to_file(model, path, target, drop=drop, missing_label=missing_label, folder=folder, tell=tell)
    return model


def fit_to_file(
    model: AgnosticBoostingClassifier,
    path: str | Path,
    target: str,
    *,
    drop: Collection[str] = (),
    missing_label: LabelMarks = None,
    folder: str | Path | None = None,
    tell: Callable[[str], None] | None = None,
) -> Data:
    """:func:`fit_parquet`; returns the rows that rounds and unlabeled weight were chosen by."""
    model._check_parameters()
    check_far(model)
    require("pandas", "cli", "Reading Parquet files needs pandas and pyarrow")
    from ...tables.parquet import ParquetTable

    stages = Stages(model.verbose)
    stages.begin("reading labels")
    model._forget()
    categorical = [] if isinstance(model.categorical_features, str) else model.categorical_features or []
    table = ParquetTable(Path(path), target, drop=drop, text=list(map(str, categorical)), tell=tell)
    codes = _learn_classes(model, table.labels(missing_label), path)
    model._table(table.head, reset=True)
    spread = table.spread()
    tables = [table.head] if spread is None else [table.head, spread]
    model._encoder = TableEncoder(model.categorical_features).fit(*tables)
    place = Path(tempfile.gettempdir() if folder is None else folder)
    rows = fit_far(model, ParquetBlocks(table, model._encoder, codes, place, stages), stages)
    model._finish(model.history_.choice)
    return rows


def _learn_classes(model: Any, labels: LabelNumbers, path: Any) -> npt.NDArray[np.int16]:
    """The number of each row's class, -1 where there is none."""
    values = np.asarray(labels.values.to_numpy(dtype=object))
    known = known_rows(values, model.missing_label)
    rows = int(labels.rows[known].sum())
    classes, codes = np.unique(plain_values(values[known]), return_inverse=True)
    model.n_labeled_, model.n_unlabeled_ = rows, len(labels.numbers) - rows
    if len(classes) < 2:
        one = f"one class, {shown(classes[0])}, in {rows:,} rows" if len(classes) else "none"
        raise ValueError(
            f"{path} must have labeled rows of at least 2 classes. Got {one}, and {model.n_unlabeled_:,} rows without "
            "label. Label rows of another class."
        )
    check_come_again(np.bincount(codes, labels.rows[known]))
    model.classes_ = classes
    of_value = np.full(len(values) + 1, -1, dtype=np.int16)  # the last one is for empty cells
    of_value[np.flatnonzero(known)] = codes
    return of_value[labels.numbers]
