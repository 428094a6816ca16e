"""What happened in each round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..basics.array_schema import Array, ArrayGroup
from .tape import Tape


@dataclass(frozen=True, slots=True)
class Round:
    """One round, as callbacks see it and as the history keeps it.

    Attributes
    ----------
    number : int
        1 for the first round.
    edge : float
        Correlation of the weak hypothesis with the batch it was fitted to.
    branch : str
        "A" if the hypothesis was added, "B" if the margins shrank towards zero.
    potential : float
        Estimate of Phi(H) *before* the round's step, from the rows drawn for the round.
    labeled_drawn, unlabeled_drawn : int
        Rows that the sources have handed out so far, repetitions counted.
    """

    number: int
    edge: float
    branch: str
    potential: float
    labeled_drawn: int
    unlabeled_drawn: int


class History:
    """The rounds in order; each field of :class:`Round` is available as an array.

    Parameters
    ----------
    rounds : iterable of Round
        What happened, round by round.

    Examples
    --------
    >>> history = History([Round(1, 0.25, "A", 0.0, 10, 100)])
    >>> history["edge"], history.columns()
    (array([0.25]), ('number', 'edge', 'branch', 'potential', 'labeled_drawn', 'unlabeled_drawn'))
    """

    schema: ClassVar[ArrayGroup] = ArrayGroup(  # of files
        {
            "number": Array("whole", ("rounds",), "1, 2, ...", 1),
            "edge": Array(
                "number", ("rounds",), "the correlation of the hypothesis with its batch", infinite=True, gaps=True
            ),
            "branch": Array("flag", ("rounds",), "whether the hypothesis was added"),
            "potential": Array(
                "number", ("rounds",), "the estimate of the potential before the step", infinite=True, gaps=True
            ),
            "labeled_drawn": Array("whole", ("rounds",), "labeled rows handed out so far", 0),
            "unlabeled_drawn": Array("whole", ("rounds",), "unlabeled rows handed out so far", 0),
        }
    )

    def __init__(self, rounds: Iterable[Round] = ()) -> None:
        # Columns, not records: a long history is then a few lists of numbers, which Python's collector need not visit.
        # From a file they come as arrays, which are a sixth of the size, and stay so until somebody looks.
        self._kept: dict[str, Any] = {name: [] for name in self.columns()}
        self.extend(rounds)

    @property
    def _columns(self) -> dict[str, list[Any]]:
        if isinstance(self._kept["number"], np.ndarray):
            named = {**self._kept, "branch": np.where(self._kept["branch"], "A", "B")}
            self._kept = {name: column.tolist() for name, column in named.items()}
        return self._kept

    @classmethod
    def of(cls, **columns: Any) -> History:
        """The history with these columns: lists, or all of them arrays as :meth:`to_arrays` gives them."""
        history = cls()
        history._kept = {name: columns[name] for name in cls.columns()}
        return history

    def append(self, record: Round) -> None:
        """Add the record of one more round."""
        for name, column in self._columns.items():
            column.append(getattr(record, name))

    def extend(self, records: Iterable[Round]) -> None:
        """Add the records of further rounds."""
        if isinstance(records, History):
            for name, column in self._columns.items():
                column.extend(records._columns[name])
            return
        for record in records:
            self.append(record)

    def first(self, count: int | None) -> History:
        """The first ``count`` rounds; all of them for None."""
        return History.of(**{name: column[:count] for name, column in self._columns.items()})

    def __len__(self) -> int:
        return len(self._columns["number"])

    def __iter__(self) -> Iterator[Round]:
        return (Round(*values) for values in zip(*self._columns.values(), strict=True))

    def __getitem__(self, column: str) -> npt.NDArray[np.generic]:
        if column not in self.columns():
            raise KeyError(f"history has the columns {', '.join(self.columns())}. Got {column!r}.")
        return np.array(self._columns[column])

    @staticmethod
    def columns() -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(field.name for field in fields(Round))

    def to_dict(self) -> dict[str, npt.NDArray[np.generic]]:
        """One array a column, ready for pandas.DataFrame."""
        return {column: self[column] for column in self.columns()}

    def to_arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """:meth:`to_dict` in numbers only, for files: ``branch`` is True for "A"."""
        columns = self.to_dict()
        return {**columns, "branch": np.array(columns["branch"] == "A")}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> History:
        """What :meth:`to_arrays` gave."""
        return cls.of(**arrays)


@dataclass(frozen=True, slots=True)
class Progress:
    """What a callback is given after each round.

    Attributes
    ----------
    round : Round
        The record of the round.
    tape : Tape
        The ensemble so far.
    rounds : int
        How many rounds were asked for.
    """

    round: Round
    tape: Tape
    rounds: int  # how many were asked for
