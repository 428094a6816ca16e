"""What tells rows apart is found by the whole table: a part of it may be too small to show it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tables.cells import is_frame
from ..tables.encoder import TableEncoder
from ..tables.readers.left_out import LeftOutColumn
from ..tables.rows import row_count, with_column
from .by_class import quiet_fits


def without_identifiers(model: Any, X: Any, X_unlabeled: Any = None) -> tuple[Any, Any]:
    """The tables with one and the same cell all over each column that a fit to all rows would leave out.

    No model of a part of the rows can then learn from them. The columns stay, so that numbers of columns stay right.
    Labels have no say in this, so that nothing of held-out rows is given away. Models that do not choose among
    columns get the tables as they are.
    """
    if not is_frame(X) or not hasattr(model, "categorical_features"):
        return X, X_unlabeled
    tables = [X] if X_unlabeled is None else [X, X_unlabeled]
    with quiet_fits():  # who fits the model is told
        readers = TableEncoder(model.categorical_features).fit(*tables).readers
    for column, reader in enumerate(readers):
        if isinstance(reader, LeftOutColumn):
            tables = [_levelled(table, column, X) for table in tables]
    return tables[0], None if X_unlabeled is None else tables[1]


def _levelled(table: Any, column: int, X: Any) -> Any:
    source = X if type(X) is type(table) else table  # cells go between frames of one kind only
    return with_column(table, column, source, np.zeros(row_count(table), dtype=np.int64))
