"""What is found in a file: notes on what is not plain, and problems, which are all told at once."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

SHOWN = 5  # examples in one sentence


class TableFileError(ValueError):
    """A file that is no table, lacks a column, or cannot be written."""


class Findings:
    """Notes and problems of one file.

    A problem is the rest of a sentence that begins with the file's name, such as "has no rows.". Problems that are
    settled by leaving out a column name it, so that one line can be offered that leaves out all of them. ``decimal`` is
    the decimal mark, where numbers were read that depend on one. Where columns are ``needed`` there is no such line.
    """

    def __init__(self, path: Path, needed: bool = False):
        self.path = path
        self.needed = needed
        self.decimal: str | None = None
        self._notes: list[str] = []
        self._more: Counter[str] = Counter()
        self._problems: list[str] = []
        self._columns: list[str] = []
        self._hints: list[str] = []

    def note(self, text: str, kind: str | None = None) -> None:
        """Something that was read in a way worth telling; of one kind only the first few are told."""
        if kind is not None:
            self._more[kind] += 1
            if self._more[kind] > SHOWN:
                return
        self._notes.append(text)

    @property
    def notes(self) -> list[str]:
        """One line for each."""
        rest = [f"and {count - SHOWN} more {kind}" for kind, count in self._more.items() if count > SHOWN]
        return [*self._notes, *rest]

    def problem(self, text: str, column: str | None = None) -> None:
        """Something the user must mend."""
        self._problems.append(text)
        if column is not None and column not in self._columns:
            self._columns.append(column)

    def hint(self, text: str) -> None:
        """A sentence that every error of this file ends with."""
        self._hints.append(text)

    def fail(self, text: str) -> TableFileError:
        """The error for a problem after which nothing else can be known."""
        self.problem(text)
        return self._error()

    def damaged(self, kind: str, error: Exception) -> TableFileError:
        """The error for a file that its reader gave up on."""
        return self.fail(f"cannot be read as a table: it is {kind}, but damaged or of a strange version ({error}).")

    def raise_problems(self) -> None:
        """Raise if there are any, all in one error."""
        if self._problems:
            raise self._error()

    def _error(self) -> TableFileError:
        if len(self._problems) == 1:
            text = f"{self.path} {self._problems[0]}"
        else:
            parts = "".join(f"\n- it {problem}" for problem in self._problems)
            text = f"{self.path} has {len(self._problems)} problems:{parts}"
        if self._columns and not self.needed:
            text += f"\nTo go on without: {_drop(self._columns)}"
        return TableFileError("\n".join([text, *self._hints]))


def _drop(columns: list[str]) -> str:
    """Options that leave out these columns, ready for a shell; a name with a comma needs one of its own."""
    together = ",".join(name for name in columns if "," not in name)
    names = [*([together] if together else []), *(name for name in columns if "," in name)]
    return " ".join(f"--drop {shlex.quote(name)}" for name in names)


def counted(number: int, what: str) -> str:
    """
    >>> counted(1, "row")
    '1 row'
    """
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def listed(values: Iterable[object], shown: int = SHOWN) -> str:
    """The first few values, and how many there are beyond them.

    >>> listed([1, 2, 3], shown=2)
    '1, 2 and 1 more'
    """
    texts = [str(value) for value in values]
    rest = len(texts) - shown
    return ", ".join(texts[:shown]) + (f" and {rest} more" if rest > 0 else "")
