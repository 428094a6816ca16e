"""Names of columns: bare, none empty, none twice; and those that a user asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ...basics.suggestions import did_you_mean
from .blanks import bare
from .findings import Findings, listed
from .grid import Grid


def clean_names(grid: Grid, findings: Findings) -> None:
    """Strip names, give one to nameless columns, leave out those that are empty altogether; report what is twice."""
    names = [bare(name) for name in grid.names]
    stripped = [repr(old) for old, new in zip(grid.names, names, strict=True) if old != new]
    if stripped:
        findings.note(f"blanks and invisible characters around names of columns were left out: {listed(stripped)}")
    empty = [i for i, name in enumerate(names) if not name and _is_empty(grid, i)]
    for i in sorted(set(_nameless(names)) - set(empty)):
        names[i] = f"column_{i + 1}"
        findings.note(f"column {i + 1} has no name; it is called {names[i]}", "columns without name")
    kept = [i for i in range(len(names)) if i not in empty]
    grid.names, grid.columns = [names[i] for i in kept], [grid.columns[i] for i in kept]
    twice = [repr(name) for name, count in Counter(grid.names).items() if count > 1]
    if twice:
        same = "one name" if len(twice) == 1 else "the same names"
        findings.problem(
            f"has several columns of {same}: {listed(twice)}. Rename all but one, or delete them: they cannot be told "
            "apart."
        )


def _nameless(names: list[str]) -> list[int]:
    return [i for i, name in enumerate(names) if not name]


def _is_empty(grid: Grid, number: int) -> bool:
    column = grid.columns[number].dropna()
    return not any(str(value).strip() for value in column)


def asked_names(asked: Iterable[str], names: Sequence[str], findings: Findings) -> list[str]:
    """The columns that are asked for, one by one or as a,b,c; one that does not exist is a problem."""
    found: list[str] = []
    for text in asked:
        parts = [text] if bare(text) in names else text.split(",")
        found.extend(bare(part) for part in parts)
    for name in found:
        if name not in names:
            missing_column(name, names, findings)
    return found


def missing_column(name: str, names: Sequence[str], findings: Findings) -> None:
    """Say that there is no such column, and which there are."""
    known = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    findings.problem(f"has no column {name!r}. Its columns are: {known}.{did_you_mean(name, names)}")
