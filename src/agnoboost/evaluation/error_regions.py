"""Where somebody errs, in the words of the columns: one condition each, and none by chance.

Every column is cut at some of its values, before anybody looks at the errors. For every condition Fisher's exact test
says how likely so many errors inside would be if they lay anywhere. Conditions are many, and some of them look bad by
chance: p-values are multiplied by their number. Those with too few rows to be told from chance whatever happens inside
do not count there (Tarone, 1990). So with errors that lie anywhere, some condition is reported in 5% of tables at most.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import hypergeom

from ..basics.typing import Bools, Floats, Matrix
from ..tables.encoder import TableEncoder
from ..tables.readers.dates import DAYS, DateColumn
from ..tables.readers.text import FIRST, TextColumn

LEVEL = 0.05
CUTS = 8  # parts of equal size that a column of numbers is cut into
FEWEST = 5  # rows of a condition
MOST_REGIONS = 5
MOST_ROWS = 5_000  # that suffice to find them


@dataclass(frozen=True)
class ErrorRegion:
    """A condition, how many rows fulfil it and how many of these are wrong, and the same of all other rows.

    ``p_value`` is that of Fisher's test (one-sided), corrected for all conditions that were tried.
    """

    condition: str
    rows: int
    wrong: int
    rows_elsewhere: int
    wrong_elsewhere: int
    p_value: float

    @property
    def share(self) -> float:
        return self.wrong / self.rows

    @property
    def share_elsewhere(self) -> float:
        return self.wrong_elsewhere / self.rows_elsewhere

    def __str__(self) -> str:
        return (
            f"where {self.condition}: wrong in {self.wrong} of {self.rows} rows ({self.share:.0%}), elsewhere in "
            f"{self.wrong_elsewhere} of {self.rows_elsewhere} ({self.share_elsewhere:.0%})"
        )


@dataclass(frozen=True)
class _Condition:
    column: int
    kind: str  # "at most", "above", "is" or "missing"
    value: float = np.nan

    def holds(self, values: Floats) -> Bools:
        if self.kind == "missing":
            return np.asarray(np.isnan(values))
        if self.kind == "is":
            return np.asarray(values == self.value)
        return np.asarray(values <= self.value if self.kind == "at most" else values > self.value)


def error_regions(X: Matrix, wrong: Bools, encoder: TableEncoder, named: bool = True) -> list[ErrorRegion]:
    """Conditions under which rows are wrong clearly more often than elsewhere, the surest first.

    Parameters
    ----------
    X : rows as ``encoder`` reads them
    wrong : which of them are wrong
    encoder : knows the names and the categories of the columns
    named : whether columns have names, or numbers only
    """
    if len(X) > MOST_ROWS:
        some = np.linspace(0, len(X) - 1, MOST_ROWS).astype(int)
        X, wrong = X[some], wrong[some]
    if not wrong.any() or wrong.all():
        return []
    found, sizes, hits = _counted(X, wrong, encoder)
    if not found:
        return []
    p = surprise(hits, sizes, wrong)
    tests = counted_tests(surprise(np.minimum(sizes, wrong.sum()), sizes, wrong))
    regions: list[ErrorRegion] = []
    covered = np.zeros(len(X), dtype=bool)
    for place in np.argsort(p, kind="stable"):
        if tests * p[place] > LEVEL or len(regions) == MOST_REGIONS:
            break
        one = found[place]
        inside = one.holds(X[:, one.column])
        if _is_news(inside, wrong, covered):
            words = ("" if named else "column ") + _words(one, X[:, one.column], encoder)
            regions.append(_region(words, inside, wrong, float(tests * p[place])))
            covered |= inside
    return regions


def surprise(hits: Floats, sizes: Floats, wrong: Bools) -> Floats:
    """Fisher's p-value: so many errors, or more, among so many rows that are drawn at random."""
    return np.asarray(hypergeom.sf(hits - 1, len(wrong), int(wrong.sum()), sizes))


def counted_tests(least: Floats) -> int:
    """Tarone's number of tests, from the least p-value that each can have at all.

    >>> counted_tests(np.array([1e-9, 1e-9, 0.5, 0.5]))
    2
    """
    ordered, tests = np.sort(least), 1
    while np.searchsorted(ordered, LEVEL / tests, side="right") > tests:
        tests += 1
    return tests


def _counted(X: Matrix, wrong: Bools, encoder: TableEncoder) -> tuple[list[_Condition], Floats, Floats]:
    """All conditions that no other one equals, with their rows and the errors among them.

    Of texts only gaps: no words say what the numbers that were made of them mean.
    """
    categorical = set(encoder.categorical)
    found, sizes, hits = [], [], []
    seen: set[bytes] = set()
    for column, values in enumerate(X.T):
        said_by_gaps = isinstance(encoder.readers[encoder.sources[column]], TextColumn)
        gap = [_Condition(column, "missing")]
        for one in gap if said_by_gaps else _conditions(column, values, column in categorical):
            inside = one.holds(values)
            size = int(inside.sum())
            if FEWEST <= size <= len(X) - FEWEST and (key := np.packbits(inside).tobytes()) not in seen:
                seen.add(key)
                found.append(one)
                sizes.append(size)
                hits.append(int(wrong[inside].sum()))
    return found, np.array(sizes, dtype=float), np.array(hits, dtype=float)


def _conditions(column: int, values: Floats, is_categorical: bool) -> Iterator[_Condition]:
    known = values[~np.isnan(values)]
    different = np.unique(known)
    if is_categorical or len(different) == 2:
        yield from (_Condition(column, "is", value) for value in different.tolist())
    elif len(different) > 1:
        ends = np.quantile(known, np.arange(1, CUTS) / CUTS, method="lower")
        for place in np.unique(np.searchsorted(different, ends)).tolist():
            if place + 1 < len(different):
                cut = round_between(float(different[place]), float(different[place + 1]))
                yield from (_Condition(column, kind, cut) for kind in ("at most", "above"))
    yield _Condition(column, "missing")


def round_between(low: float, high: float) -> float:
    """The roundest number from ``low`` to less than ``high``; a whole one between whole ones.

    >>> round_between(0.123, 0.187), round_between(41.0, 42.0), round_between(-1.0, 1.0)
    (0.15, 41.0, 0.0)
    """
    middle, whole = low / 2.0 + high / 2.0, low.is_integer() and high.is_integer()
    for digits in range(1, 17):
        found = float(f"{middle:.{digits - 1}e}")
        if low <= found < high and (found.is_integer() or not whole):
            return found
    return low


def _is_news(inside: Bools, wrong: Bools, covered: Bools) -> bool:
    """Whether most of its errors lie outside of earlier regions, and are more frequent than others there."""
    if np.count_nonzero(wrong & inside & covered) > np.count_nonzero(wrong & inside) / 2:
        return False
    inside, wrong = inside[~covered], wrong[~covered]
    hits, size = np.array([wrong[inside].sum()], dtype=float), np.array([inside.sum()], dtype=float)
    return bool(surprise(hits, size, wrong)[0] <= LEVEL)


def _region(words: str, inside: Bools, wrong: Bools, p_value: float) -> ErrorRegion:
    rows, hits = int(inside.sum()), int(wrong[inside].sum())
    return ErrorRegion(words, rows, hits, len(inside) - rows, int(wrong.sum()) - hits, p_value)


def _words(one: _Condition, values: Floats, encoder: TableEncoder) -> str:
    """As people say it; days since the first date become dates again."""
    name, value = encoder.names[one.column], f"{one.value:.10g}"
    reader = encoder.readers[encoder.sources[one.column]]
    if isinstance(reader, DateColumn) and name.endswith(f": {DAYS}"):
        name = name.removesuffix(f": {DAYS}")
        if one.kind != "missing":
            moment = np.datetime64(reader.first, "us") + np.timedelta64(round(one.value * 86_400_000_000), "us")
            value = str(moment.astype("datetime64[s]")).replace("T", " ").removesuffix(" 00:00:00")
    if one.kind == "missing":
        return f"{name.removesuffix(f': {FIRST}') if isinstance(reader, TextColumn) else name} is missing"
    if one.kind == "is":
        names = encoder.categories.get(one.column)
        return f"{name} is {value if names is None else names[int(one.value)]}"
    inside = np.unique(values[one.holds(values)])
    return f"{name} is {value}" if len(inside) == 1 and inside[0] == one.value else f"{name} is {one.kind} {value}"
