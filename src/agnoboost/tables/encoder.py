"""Tables as the boosters see them: a float matrix in which categories are whole numbers and NaN is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from ..basics.names import parts, prefixed
from ..basics.suggestions import did_you_mean
from ..basics.typing import Arrays, Floats
from ..basics.user_warnings import tell
from .cells import Column, ColumnProblem, columns_of, is_frame, names_of
from .readers.base import ColumnReader
from .readers.choosing import category_reader, number_reader, reader_of, unpacked
from .readers.left_out import LeftOutColumn
from .readers.number import NumberColumn

_NUMBER = NumberColumn()


class LeftOutWarning(UserWarning):
    """Columns that look like identifiers are not used."""


class TableEncoder:
    """Learn what the columns of a table hold, then turn tables with the same columns into float matrices.

    Parameters
    ----------
    categorical : "auto", None or sequence of column names or numbers
        "auto" decides for each column of a data frame by its type and its cells, and takes an array as numbers. None
        wants no categories. Columns that are listed are categories; of the others text is looked at as with "auto".

    Attributes
    ----------
    readers : list of ColumnReader
        One for each column of the table.
    sources : list of int
        For each column of the matrix the number of the table's column that it was made from.
    names : list of str
        The columns of the matrix in words, such as "when: month".
    categories : dict
        By number of the matrix's column, what the numbers of categories stand for.
    decimal : str or None
        The decimal mark of the file that the table was read from, if there was need of one: set by who has read it.
    """

    def __init__(self, categorical: str | Sequence[Any] | None = "auto"):
        self._requested = categorical
        self.decimal: str | None = None
        self._keep([], [])

    def _keep(self, readers: list[ColumnReader], columns: list[str]) -> None:
        self.readers, self._columns = readers, columns
        self.sources: list[int] = []
        self.names: list[str] = []
        self.categories: dict[int, list[Any]] = {}
        for number, (reader, name) in enumerate(zip(readers, columns, strict=True)):
            start = len(self.sources)
            self.categories |= {start + part: values for part, values in reader.categories.items()}
            self.sources += [number] * len(reader.parts)
            self.names += [f"{name}: {part}" if part else name for part in reader.parts]

    @classmethod
    def of_numbers(cls, columns: Sequence[Any]) -> Self:
        """For tables whose columns are known to be numbers."""
        encoder = cls(None)
        encoder._keep([_NUMBER] * len(columns), [str(name) for name in columns])
        return encoder

    @property
    def categorical(self) -> list[int]:
        """The numbers of the matrix's columns that are categories."""
        return sorted(self.categories)

    @property
    def only_numbers(self) -> bool:
        """Whether the matrix is the table itself."""
        return all(reader is _NUMBER for reader in self.readers)

    @property
    def written(self) -> list[str]:
        """The names of columns whose cells were text in training."""
        return [name for reader, name in zip(self.readers, self._columns, strict=True) if reader.is_text]

    @property
    def left_out(self) -> list[str]:
        """The names of columns that are not used."""
        pairs = zip(self.readers, self._columns, strict=True)
        return [name for reader, name in pairs if isinstance(reader, LeftOutColumn)]

    def by_source(self, values: Floats) -> Floats:
        """Sums over the columns of the matrix (the last axis) that were made from the same column of the table."""
        if self.sources == list(range(len(self.readers))):
            return values
        total = np.zeros((*values.shape[:-1], len(self.readers)))
        for place, source in enumerate(self.sources):
            total[..., source] += values[..., place]
        return total

    # ------------------------------------------------------------------ learning

    def fit(self, *tables: Any) -> Self:
        """Find out what each column holds, by all the tables."""
        names = names_of(tables[0])
        choose = self._chooser(tables[0])
        if choose is None:
            self._keep([_NUMBER] * len(names), [str(name) for name in names])
            return self
        columns = list(zip(*(columns_of(table) for table in tables), strict=True))
        found, problems = _each(choose, columns)
        if problems:  # then let us hear of all of them, also of cells that only reading would find
            _refuse(_each(lambda number, own: _try(found.get(number), own), columns)[1] | problems)
        readers = list(found.values())
        if all(isinstance(reader, LeftOutColumn) for reader in readers):  # something must be left
            readers = [_kept(own) for own in columns]
        self._keep([_NUMBER if type(reader) is NumberColumn else reader for reader in readers], [str(n) for n in names])
        if self.left_out:
            self._tell_of_left_out()
        return self

    def _chooser(self, table: Any) -> Callable[[int, Sequence[Column]], ColumnReader] | None:
        """Which reader the column of a number gets; None where all are numbers."""
        listed = self._listed(table)
        if not is_frame(table) and not listed:
            return None

        def choose(number: int, columns: Sequence[Column]) -> ColumnReader:
            if number in listed:
                return category_reader(columns)
            if not is_frame(table):
                return _NUMBER
            if self._requested is None:
                return number_reader(columns)
            return reader_of(columns, numeric_categories=isinstance(self._requested, str))

        return choose

    def _tell_of_left_out(self) -> None:
        names = ", ".join(map(repr, self.left_out))
        tell(
            f"Left out, since they look like identifiers (another value in every row): {names}. "
            f"To use them all the same, pass categorical_features=[{names}].",
            LeftOutWarning,
        )

    def _listed(self, table: Any) -> list[int]:
        """The columns that were asked for as categories."""
        if self._requested is None:
            return []
        if isinstance(self._requested, str):
            if self._requested != "auto":
                raise ValueError(
                    "categorical_features must be 'auto', None, or a list of columns. "
                    f"Got {self._requested!r}. Pass [{self._requested!r}] for one column."
                )
            return []
        requested = list(self._requested)
        if requested and isinstance(requested[0], (bool, np.bool_)):
            if len(requested) != table.shape[1]:
                raise ValueError(
                    f"categorical_features as a mask must have one entry for each of the {table.shape[1]} columns. "
                    f"Got {len(requested)}."
                )
            return [i for i, chosen in enumerate(requested) if chosen]
        return [_number_of(table, column) for column in requested]

    # ------------------------------------------------------------------ reading

    def transform(self, table: Any) -> Floats:
        """The table as floats; categories not seen in ``fit`` become missing."""
        if self.only_numbers and not is_frame(table):
            return np.asarray(table, dtype=np.float64)
        matrix = np.empty((table.shape[0], len(self.sources)))
        ends = np.cumsum([len(reader.parts) for reader in self.readers])

        def read(number: int, column: Column) -> None:
            own = self.readers[number]
            matrix[:, ends[number] - len(own.parts) : ends[number]] = own.read(column)

        _refuse(_each(read, columns_of(table))[1])
        return matrix

    def unknown(self, table: Any) -> dict[int, list[Any]]:
        """Categories of a table that ``fit`` has not seen, by number of the table's column."""
        pairs = zip(self.readers, columns_of(table), strict=True)
        found = {number: reader.unknown(column) for number, (reader, column) in enumerate(pairs)}
        return {number: values for number, values in found.items() if values}

    # -------------------------------------------------------------------- files

    def pack(self) -> tuple[dict[str, Any], Arrays]:
        """Facts of all readers that are more than numbers, by number of the column, and their arrays."""
        facts: dict[str, Any] = {}
        arrays: Arrays = {}
        for number, reader in enumerate(self.readers):
            if reader is not _NUMBER:
                own, own_arrays = reader.pack()
                facts[str(number)] = {"kind": reader.kind, **own}
                arrays |= prefixed(f"columns/{number}/", own_arrays)
        return facts, arrays

    def unpack(self, facts: dict[str, Any], arrays: Arrays, columns: Sequence[Any]) -> Self:
        """What :meth:`pack` packed, for columns of these names."""
        readers: list[ColumnReader] = [_NUMBER] * len(columns)
        of_columns = parts(parts(arrays)["columns"])
        for number, own in facts.items():
            readers[int(number)] = unpacked(own, of_columns[number], f"columns.{number}")
        self._keep(readers, [str(name) for name in columns])
        return self


Problems = dict[int, str]  # by number of the column


def _each(act: Callable[[int, Any], Any], columns: Sequence[Any]) -> tuple[dict[int, Any], Problems]:
    """What ``act`` gives for each column, and what is wrong with the others."""
    found: dict[int, Any] = {}
    problems: Problems = {}
    for number, column in enumerate(columns):
        try:
            found[number] = act(number, column)
        except ColumnProblem as problem:
            problems[number] = str(problem)
    return found, problems


def _refuse(problems: Problems) -> None:
    """One error for all columns that cannot be used."""
    if problems:
        lines = [problems[number] for number in sorted(problems)]
        raise ValueError("\n- ".join(lines if len(lines) == 1 else [f"{len(lines)} columns cannot be used:", *lines]))


def _try(reader: ColumnReader | None, columns: Sequence[Column]) -> list[Floats]:
    return [reader.read(column) for column in columns if reader is not None]


def _kept(columns: Sequence[Column]) -> ColumnReader:
    return category_reader(columns) if columns[0].kind == "text" else _NUMBER


def _number_of(table: Any, column: Any) -> int:
    names = names_of(table)
    if isinstance(column, (int, np.integer)) and 0 <= column < table.shape[1]:
        return int(column)
    if is_frame(table) and column in names:
        return names.index(column)
    raise ValueError(
        f"categorical_features must name columns of X. Got {column!r}, which is not among its {table.shape[1]} columns."
        + did_you_mean(column, names)
    )
