"""Which kind of file it is, by its bytes rather than by its name, and how each kind is read."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from ...basics.extras import require
from .decoding import EXPECTED, decode
from .findings import Findings
from .grid import Grid
from .json_lines import is_json, read_json
from .lines import read_lines
from .unpacking import unpacked_bytes
from .workbooks import read_workbook

PARQUET, FEATHER = b"PAR1", (b"ARROW1", b"FEA1")
OTHERS = {
    b"%PDF": "a PDF. Export the table from where it was made",
    b"\xd0\xcf\x11\xe0": "a workbook of Excel 2003 or before. Save it as .xlsx or CSV",
    b"SQLite format 3": "a data base. Export the table as CSV",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
}


def read_grid(path: Path, sep: str | None, encoding: str | None, sheet: str | None, findings: Findings) -> Grid:
    """The table in a file, as it lies there."""
    data, is_workbook = unpacked_bytes(path, findings)
    if is_workbook:
        return read_workbook(data, sheet, findings)
    if data.startswith(PARQUET):
        return _typed(lambda: pd.read_parquet(io.BytesIO(data)), "Parquet", findings)
    if data.startswith(FEATHER):
        return _typed(lambda: _feather(data), "Feather", findings)
    for mark, what in OTHERS.items():
        if data.startswith(mark):
            raise findings.fail(f"cannot be read as a table: it is {what}. {EXPECTED}")
    text = decode(data, encoding, findings)
    return read_json(text, findings) if is_json(path, text) else read_lines(text, sep, findings)


def _feather(data: bytes) -> pd.DataFrame:
    """Checked before it is used: pyarrow believes where texts are said to begin, and damage could end the process."""
    from pyarrow import feather

    feather.read_table(io.BytesIO(data)).validate(full=True)
    return pd.read_feather(io.BytesIO(data))


def _typed(read: Callable[[], pd.DataFrame], kind: str, findings: Findings) -> Grid:
    """A file whose columns have types."""
    require("pyarrow", "cli", f"Reading {kind} files needs pyarrow")
    try:
        table = read().reset_index(drop=True)
    except Exception as error:  # the readers' own kinds are many
        raise findings.damaged(f"{kind} by its first bytes", error) from None
    return Grid([str(name) for name in table.columns], [table.iloc[:, i] for i in range(table.shape[1])], typed=True)
