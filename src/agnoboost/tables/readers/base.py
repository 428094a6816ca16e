"""What every reader of a column can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

from ...basics.array_schema import ArrayGroup
from ...basics.fact_schema import Record
from ...basics.typing import Arrays, Floats
from ..cells import Column


class ColumnReader(ABC):
    """Turns a column of a table into columns of numbers, in the way that was learned from the rows of training.

    ``parts`` has a word for each column of numbers, as in "month"; the empty word stands for the column itself.
    ``categories`` are, by number of the part, the names of those parts that are numbers of categories.
    """

    kind: ClassVar[str]  # in model files
    fact_schema: ClassVar[Record] = Record({})  # of what :meth:`pack` gives
    array_schema: ClassVar[ArrayGroup] = ArrayGroup({})

    @property
    def parts(self) -> list[str]:
        return [""]

    @property
    def categories(self) -> dict[int, list[Any]]:
        return {}

    @property
    def is_text(self) -> bool:
        """Whether cells were text in training: in a file they must not be taken for numbers."""
        return False

    @abstractmethod
    def read(self, column: Column) -> Floats:
        """Numbers, with NaN where nothing is known (shape: rows, parts)."""

    def unknown(self, column: Column) -> list[Any]:
        """Values that training has not seen and that therefore count as missing."""
        return []

    @abstractmethod
    def pack(self) -> tuple[dict[str, Any], Arrays]:
        """What was learned, as plain facts and arrays."""

    @classmethod
    @abstractmethod
    def unpack(cls, facts: dict[str, Any], arrays: Arrays) -> Self:
        """The reader that :meth:`pack` packed."""
