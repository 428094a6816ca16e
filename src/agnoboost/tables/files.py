"""Tables in files: reading what people have, with errors in their words, and writing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import pandas as pd

from ..basics.atomic import replacing
from ..basics.places import STANDARD, place_of
from ..basics.suggestions import did_you_mean
from .label_marks import LabelMarks
from .reading.blanks import bare
from .reading.checks import check_columns
from .reading.empty_rows import drop_empty_rows
from .reading.features import read_features
from .reading.findings import Findings, TableFileError
from .reading.formats import read_grid
from .reading.headers import asked_names, clean_names, missing_column
from .reading.label_cells import label_cells, tell_of_idle_marks

PACKED = frozenset({".bz2", ".xz", ".zip", ".zst"})
NOT_WRITTEN = PACKED | {".feather", ".arrow", ".html", ".json", ".jsonl", ".ndjson", ".ods", ".xls", ".xlsm", ".xlsx"}


def read_table(
    path: str | Path,
    target: str | None = None,
    *,
    sep: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    drop: Collection[str] = (),
    columns: Collection[str] | None = None,
    keep: Collection[str] = (),
    text: Collection[str] = (),
    numbers: Collection[str] = (),
    missing_label: LabelMarks = None,
    labels: Collection[str] = (),
    marks_gone_if: str | None = None,
    usual_decimal: str | None = None,
    unused: Mapping[str, str] | None = None,
    tell: Callable[[str], None] | None = None,
) -> pd.DataFrame:
    """A table from a file: CSV and its relatives, JSON lines, Excel, Parquet or Feather, packed or not.

    What is not given is found by looking (docs/tables.md has the rules).

    Parameters
    ----------
    path : str or Path
        The file; ``-`` is the standard input.
    target : str, optional
        The column with the labels, in which only an empty cell is a gap: "None" or "NA" may well be the name of a
        class. Labels such as 007 and 7 stay different.
    sep, encoding, decimal : str, optional
        What separates cells, how text is encoded, and whether a point or a comma is the decimal mark.
    sheet : str, optional
        Name or number (from 1) of the sheet of an Excel workbook; the first one by default.
    drop : collection of str
        Columns to leave out, unseen; ``"a,b"`` stands for two.
    columns : collection of str, optional
        The columns that are needed; others are left out, unseen.
    keep : collection of str
        Further columns to read, as text; ``"a,b"`` stands for two.
    text : collection of str
        Columns that stay text even if all their cells are numbers, such as categories 7 and 12.
    numbers : collection of str
        Columns that are numbers even if all their cells are digits with leading zeros, such as 007 and 012, which are
        otherwise taken for codes and stay text.
    missing_label : str or sequence of str, optional
        The mark, or marks, of rows without label, besides empty cells.
    labels : collection of str
        Further columns with labels, such as those of a machine, which are read as the target is; ``"a,b"`` stands for
        two.
    marks_gone_if : str, optional
        A column of files that were written without the marks of ``missing_label``: no note says that these are idle.
    usual_decimal : str, optional
        The decimal mark of a file of the same kind, where nothing in this one settles it.
    unused : mapping of str to str, optional
        Columns that somebody might think are read, and what to note of each that is there and is not.
    tell : callable, optional
        Is called with each note: a line on something that is not plain, and how it was read.

    Returns
    -------
    pandas.DataFrame
        The table, with bare and unique names. ``attrs["decimal"]`` is its decimal mark, or None where none was needed.

    Raises
    ------
    TableFileError
        With all problems of the file, and what to do about each.
    """
    path = Path(path)
    findings = Findings(Path("standard input") if path == STANDARD else path, columns is not None)
    if decimal not in (None, ".", ","):
        raise findings.fail(f"cannot be read with the decimal mark {decimal!r}. Expected a point or a comma.")
    grid = read_grid(path, sep, encoding, sheet, findings)
    drop_empty_rows(grid, columns is not None, findings)  # each row of a table for a model gets its answer
    clean_names(grid, findings)
    target = None if target is None else bare(target)
    asked = [name for name in asked_names(keep, grid.names, findings) if name in grid.names]
    kept = [name for name in asked if name not in (columns or ())]
    if target is not None and target not in grid.names:
        missing_column(target, grid.names, findings)
    label_columns = [*([] if target is None else [target]), *asked_names(labels, grid.names, findings)]
    wanted = _wanted(grid.names, label_columns, drop, None if columns is None else [*columns, *kept], findings)
    if not len(grid.columns) or not len(grid.columns[0]):
        findings.raise_problems()
        raise findings.fail("has no rows.")
    features = [name for name in wanted if name not in label_columns]
    found = read_features(grid, features, [*text, *kept], numbers, decimal, usual_decimal, findings)
    for name in (name for name in label_columns if name in grid.names):
        found[name] = label_cells(name, grid.columns[grid.names.index(name)], missing_label, findings)
    for name, words in (unused or {}).items():
        if name in grid.names and name not in wanted:
            findings.note(words)
    if marks_gone_if not in grid.names:
        raw = dict(zip(grid.names, grid.columns, strict=True))
        tell_of_idle_marks([raw[name] for name in label_columns if name in raw], missing_label, findings)
    table = pd.DataFrame({name: found[name] for name in wanted})
    check_columns(table[features], grid, columns is None and target is not None, findings)
    findings.raise_problems()
    table.attrs["decimal"] = findings.decimal
    if tell is not None:
        for note in findings.notes:
            tell(f"{findings.path}: {note}.")
    return table


def _wanted(
    names: list[str], labels: list[str], drop: Collection[str], columns: Collection[str] | None, findings: Findings
) -> list[str]:
    """Names of the columns to read, in the order of the file."""
    dropped = set(asked_names(drop, names, findings))
    needed = names if columns is None else columns
    absent = [name for name in needed if name not in names]
    if absent:
        close = "".join(did_you_mean(name, names) for name in absent[:1])
        findings.problem(f"lacks the column(s) {', '.join(map(repr, absent))}, which the model needs.{close}")
    return [name for name in dict.fromkeys(names) if name in labels or (name in needed and name not in dropped)]


def write_table(table: pd.DataFrame, path: Path) -> None:
    """The file appears whole or not at all; ``-`` is standard output, as CSV."""
    try:
        with replacing(path) as file:
            if path.suffix == ".parquet":
                table.to_parquet(file, index=False)
            else:
                separator = "\t" if ".tsv" in path.suffixes else ","
                packed = "gzip" if path.suffix == ".gz" else None
                table.to_csv(file, index=False, sep=separator, compression=packed)
    except BrokenPipeError:  # whoever reads our output has seen enough
        raise
    except OSError as error:
        raise TableFileError(f"Cannot write {path}: {error}.") from None


def check_kind(path: Path) -> None:
    """Complain before any work about a name that promises what :func:`write_table` does not write."""
    inner = path.with_suffix("") if path.suffix == ".gz" else path
    if inner.suffix.lower() in NOT_WRITTEN or (inner != path and inner.suffix == ".parquet"):
        raise TableFileError(
            f"Cannot write {path}: tables are written as .csv, .tsv or .parquet, and .csv.gz or .tsv.gz. Got "
            f"{''.join(path.suffixes[-2:] if inner != path else path.suffixes[-1:])}. Choose one of these names."
        )


def take_column(table: pd.DataFrame, column: str, path: Path) -> tuple[pd.DataFrame, pd.Series]:
    """The other columns, and this one."""
    column = bare(column)
    findings = Findings(path)
    if column not in table.columns:
        missing_column(column, list(table.columns), findings)
    findings.raise_problems()
    return table.drop(columns=column), table[column]


def check_place(path: Path) -> None:
    """Complain before any work about a place where nothing can be written."""
    try:
        place_of(path).check()
    except OSError as error:
        raise TableFileError(str(error)) from None


def same_columns(table: pd.DataFrame, names: list[str], path: Path) -> pd.DataFrame:
    """The table with exactly these columns, in this order; further ones are left out."""
    absent = [name for name in names if name not in table.columns]
    if absent:
        raise TableFileError(
            f"{path} lacks the column(s) {', '.join(map(repr, absent))} that the model was trained with."
        )
    return table[names]
