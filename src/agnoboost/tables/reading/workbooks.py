"""Excel workbooks: one sheet, whose first row that is not empty is the header."""

from __future__ import annotations

import io
import warnings

import numpy as np
import pandas as pd

from ...basics.extras import require
from ...basics.suggestions import did_you_mean
from .findings import Findings, TableFileError, listed
from .grid import Grid


def read_workbook(data: bytes, sheet: str | None, findings: Findings) -> Grid:
    """The sheet of this name or number, or the first."""
    require("openpyxl", "excel", "Reading Excel files needs openpyxl")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on styles and extensions, which do not touch cells
            book = pd.ExcelFile(io.BytesIO(data), engine="openpyxl")
            chosen = _chosen_sheet([str(name) for name in book.sheet_names], sheet, findings)
            table = book.parse(chosen, header=None, dtype=object, keep_default_na=False, na_values=[""])
    except TableFileError:
        raise
    except Exception as error:  # archives, XML and cells have kinds of their own
        raise findings.damaged("an Excel workbook", error) from None
    table = table.dropna(how="all")
    if not len(table):
        raise findings.fail(f"is empty: the sheet {chosen!r} has no cells with content. Choose another with --sheet.")
    rows = table.iloc[1:]
    columns = [rows.iloc[:, i].reset_index(drop=True).infer_objects() for i in range(table.shape[1])]
    names = ["" if pd.isna(name) else str(name) for name in table.iloc[0]]
    return Grid(names, columns, typed=True, lines=np.asarray(rows.index) + 1)


def _chosen_sheet(names: list[str], sheet: str | None, findings: Findings) -> str:
    if sheet is None:
        chosen = names[0]
        if len(names) > 1:
            findings.note(f"the first sheet, {chosen}, was read; there are {listed(names)} (--sheet NAME)")
    elif sheet in names:
        chosen = sheet
    elif sheet.isdecimal() and 1 <= int(sheet) <= len(names):
        chosen = names[int(sheet) - 1]
    else:
        raise findings.fail(
            f"has no sheet {sheet!r}. Its sheets are: {listed(names)} (--sheet NAME).{did_you_mean(sheet, names)}"
        )
    others = [name for name in names if name != chosen]
    if others:
        findings.hint(f"This is its sheet {chosen!r}. It has others: {listed(map(repr, others))} (--sheet NAME).")
    return chosen
