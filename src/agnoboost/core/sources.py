"""Sources of rows. They count what they hand out: the counts are what the theorems bound."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.checks import (
    as_labels,
    as_mass,
    as_matrix,
    as_soft_labels,
    check_count,
    check_same_features,
    refuse_missing,
)
from ..basics.kept import kept
from ..basics.typing import Arrays, Floats, Ints, Matrix, Rng


@dataclass(frozen=True)
class Sample:
    """Rows that were handed out.

    Rows drawn several times may stand here once with a larger mass: it is the same sample. Rows that stay elsewhere
    have nothing here but their source, ``far``.

    Attributes
    ----------
    X : array of shape (rows, features)
        The rows.
    y : array of shape (rows,)
        Their labels, 0 where unlabeled.
    mass : array of shape (rows,)
        How much each counts; the sum is 1.
    far : FarRows or None
        The source of rows that stay elsewhere.
    """

    X: Matrix
    y: Floats
    mass: Floats
    far: Any = None

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self.X) if self.far is None else len(self.far)


class Source(ABC):
    """Where rows come from: a class of your own sets what differs from here and implements ``draw``, which counts.

    Attributes
    ----------
    labeled : bool
        Whether rows have labels.
    n_features : int or None
        Number of columns; None while it is not known.
    drawn : int
        Rows handed out so far.
    endless : bool
        Whether there is no such thing as all of its rows.
    soft : bool
        Whether labels may be other numbers than -1 and +1.
    label_bound : float
        The largest absolute label.
    X : array or None
        All rows that can be drawn, where they are known beforehand.
    """

    labeled: bool = False
    n_features: int | None = None
    drawn: int = 0
    endless: bool = False
    soft: bool = False
    label_bound: float = 1.0
    X: Matrix | None = None

    def __init_subclass__(cls) -> None:
        if "draw" in vars(cls) and "whole" not in vars(cls):  # another draw: what was said of the old one is void
            cls.whole = Source.whole  # type: ignore[method-assign]

    @property
    def remaining(self) -> int | None:
        """How many rows are left; None where there is no end."""
        return None

    @abstractmethod
    def draw(self, n: int | None, rng: Rng) -> Sample:
        """Hand out ``n`` rows, or (``n=None``) the whole of what a finite source has."""

    def whole(self) -> Sample | None:
        """What ``draw(None)`` hands out each time, where it is always the same; it does not count as drawn."""
        return None

    def pack(self) -> Arrays:
        """What must be kept, beside ``drawn``, to go on later."""
        return {}

    def restore(self, drawn: int, arrays: Arrays) -> None:
        """Go on after ``drawn`` rows, from what :meth:`pack` gave."""
        self.drawn = drawn


_NO_END = (
    "A stream has no end, so the number of rows to draw must be a whole number. Got None. "
    "Pass it, for example rows_unlabeled=1000."
)


class SourceExhausted(ValueError):
    """A one-pass source was asked for more rows than it has left."""


class Pool(Source):
    """A finite set of rows, drawn independently and with replacement; or all at once.

    Parameters
    ----------
    X : array of shape (rows, features)
        The rows.
    y : array of shape (rows,), optional
        Labels in {-1, +1}, or with ``soft`` any numbers that stand for them without bias (see
        :mod:`agnoboost.labels`). Without it the rows are unlabeled.
    mass : array of shape (rows,), optional
        Probability of each row, up to scale; uniform by default. With it a pool is any finite distribution,
        and ``draw(None)`` hands out the distribution itself.
    soft : bool, default=False
        Whether labels may be other numbers than -1 and +1.

    Notes
    -----
    The rows are not copied: leave the array as it is while the pool is in use.
    """

    def __init__(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike | None = None,
        mass: npt.ArrayLike | None = None,
        *,
        soft: bool = False,
    ):
        self.X: Matrix = as_matrix(X)
        read = as_soft_labels if soft else as_labels
        self.y = np.zeros(len(self.X)) if y is None else read(y, len(self.X))
        self.soft = not np.isin(self.y, (-1.0, 1.0)).all() if y is not None else False
        self.label_bound = float(max(1.0, np.abs(self.y).max()))
        self.mass = as_mass(mass, len(self.X))
        self.labeled = y is not None
        self.n_features = self.X.shape[1]

    def __len__(self) -> int:
        return len(self.X)

    def whole(self) -> Sample:
        return Sample(self.X, self.y, self.mass)

    def draw(self, n: int | None, rng: Rng) -> Sample:
        if n is None:
            self.drawn += len(self)
            return self.whole()
        self.drawn += n
        if n >= len(self):
            # The multiplicities of n independent draws are multinomial: same law, no more than len(self) rows, and
            # the same array each time, so that margins can be carried along instead of being replayed.
            return Sample(self.X, self.y, rng.multinomial(n, self.mass) / n)
        rows = rng.choice(len(self), size=n, p=self.mass)
        return Sample(self.X[rows], self.y[rows], np.full(n, 1.0 / n))


class InPlace(Pool):
    """A pool whose draws are random weights of all its rows: the law of independent draws, with the rows in place.

    It is for samplers that draw a good share of the table in every round: the same array each time means that margins
    can be carried along instead of being replayed. It counts what it hands out apart from the pool that it was made of.

    Parameters
    ----------
    pool : Pool
        Whose rows.
    """

    def __init__(self, pool: Pool):
        self.__dict__.update(pool.__dict__, drawn=0)

    def whole(self) -> Sample:  # stated again: what a class says of its draws is void for another draw
        return super().whole()

    def draw(self, n: int | None, rng: Rng) -> Sample:
        if n is None:
            return super().draw(None, rng)
        self.drawn += n
        return Sample(self.X, self.y, rng.multinomial(n, self.mass) / n)


class OnePass(Source):
    """Rows that are handed out once each, in an order drawn at the first use.

    This is what PAB and GS24 need: rows that no earlier round has seen.

    Parameters
    ----------
    X : array of shape (rows, features)
        The rows.
    y : array of shape (rows,), optional
        Labels in {-1, +1}; without them the rows are unlabeled.
    """

    def __init__(self, X: npt.ArrayLike, y: npt.ArrayLike | None = None):
        self.X: Matrix = as_matrix(X)
        self.y = np.zeros(len(self.X)) if y is None else as_labels(y, len(self.X))
        self.labeled = y is not None
        self.n_features = self.X.shape[1]
        self.order: Ints | None = None

    @property
    def remaining(self) -> int | None:
        return len(self.X) - self.drawn

    def draw(self, n: int | None, rng: Rng) -> Sample:
        rows = self.take(n, rng)
        return Sample(self.X[rows], self.y[rows], np.full(len(rows), 1.0 / len(rows)))

    def take(self, n: int | None, rng: Rng) -> Ints:
        """The numbers of the next ``n`` rows."""
        left = len(self.X) - self.drawn
        n = left if n is None else n
        if n > left or n == 0:
            raise SourceExhausted(
                f"A one-pass source was asked for {n} rows and has {left} of {len(self.X)} left. "
                "Use fewer rounds or fewer rows a round, or make a new source."
            )
        if self.order is None:
            self.order = rng.permutation(len(self.X))
        rows = self.order[self.drawn : self.drawn + n]
        self.drawn += n
        return rows

    def pack(self) -> Arrays:
        return {} if self.order is None else {"order": self.order}

    def restore(self, drawn: int, arrays: Arrays) -> None:
        order = kept(arrays, "order", np.int64, (len(self.X),)) if "order" in arrays else None
        if drawn > len(self.X) or (drawn and order is None):
            raise ValueError(f"{drawn} rows of {len(self.X)} cannot have been handed out")
        if order is not None and not np.array_equal(np.sort(order), np.arange(len(order))):
            raise ValueError("order must name every row once")
        self.drawn, self.order = drawn, order


RowFunction = Callable[[int, Rng], "npt.ArrayLike | tuple[npt.ArrayLike, npt.ArrayLike]"]


class Stream(Source):
    """Rows without end from a function.

    Parameters
    ----------
    draw : callable
        ``draw(n, rng)`` returns X, or (X, y) if ``labeled``.
    labeled : bool, default=False
        Whether it returns labels.
    n_features : int, optional
        The number of columns, if it is known beforehand.

    Examples
    --------
    >>> cube = Stream(lambda n, rng: rng.choice([-1, 1], size=(n, 3)), n_features=3)
    >>> cube.draw(2, np.random.default_rng(0)).X.shape, cube.drawn
    ((2, 3), 2)
    """

    def __init__(self, draw: RowFunction, *, labeled: bool = False, n_features: int | None = None):
        self._function = draw
        self.labeled = labeled
        self.n_features = n_features
        self.endless = True

    def draw(self, n: int | None, rng: Rng) -> Sample:
        if n is None:
            raise ValueError(_NO_END)
        made = self._function(n, rng)
        X, y = made if self.labeled and isinstance(made, tuple) else (made, None)
        X = as_matrix(np.array(X), "X from the stream")  # a copy: the function may use its array again
        refuse_missing(X, "A stream's rows come too late for the weak learner to refuse them.")
        if len(X) != n or (self.labeled and y is None):
            raise ValueError(
                f"The stream's function must return {n} rows{' and their labels' if self.labeled else ''}. "
                f"Got {len(X)} rows{'' if y is not None or not self.labeled else ' and no labels'}."
            )
        if self.n_features is None:
            self.n_features = X.shape[1]
        check_same_features(X.shape[1], self.n_features, "X from the stream")
        self.drawn += n
        labels = np.zeros(n) if y is None else as_labels(y, n)
        return Sample(X, labels, np.full(n, 1.0 / n))


def split_labels(X: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Pool, Pool]:
    """Split a partially labeled table into a labeled and an unlabeled pool.

    Parameters
    ----------
    X : array of shape (rows, features)
        The rows.
    y : array of shape (rows,)
        -1, +1, or 0 for unlabeled.

    Returns
    -------
    (Pool, Pool)
        Rows with labels, and rows without.

    Examples
    --------
    >>> labeled, unlabeled = split_labels([[1.0], [2.0], [3.0]], [1, 0, -1])
    >>> len(labeled), len(unlabeled)
    (2, 1)
    """
    matrix, marks = as_matrix(X), np.asarray(y)
    if marks.shape != (len(matrix),) or marks.dtype.kind not in "iuf" or not np.isin(marks, (-1, 0, 1)).all():
        raise ValueError(
            f"y must hold -1, +1, or 0 for unlabeled, for each of the {len(matrix)} rows. Got shape {marks.shape} "
            f"and dtype {marks.dtype}. Map the classes first, for example with np.select."
        )
    known = marks != 0
    for part, word in ((known, "labeled"), (~known, "unlabeled")):
        if not part.any():
            raise ValueError(
                f"y must mark at least one row as {word}. Got none among {len(marks)} rows. "
                "Without both kinds, use agnoboost.Pool(X, y) or agnoboost.Pool(X) directly."
            )
    return Pool(matrix[known], marks[known]), Pool(matrix[~known])


# What recipes take: rows with labels, and rows without.
Labeled = Source | tuple[npt.ArrayLike, npt.ArrayLike]
Unlabeled = Source | npt.ArrayLike


def as_source(data: Labeled | Unlabeled, *, labeled: bool) -> Source:
    """Turn (X, y) or X into a :class:`Pool`; leave a source as it is, after checking its kind.

    Parameters
    ----------
    data : Source, (X, y) or X
        The rows.
    labeled : bool
        Whether they must have labels.

    Returns
    -------
    Source
        The rows as a source.
    """
    source: Source
    if isinstance(data, Source):
        source = data
    elif hasattr(data, "draw"):
        raise ValueError(
            f"A source must derive from agnoboost.core.Source. Got {type(data).__name__}, which has a method draw but "
            "does not. Derive it; only draw must be written."
        )
    elif labeled:
        if not (isinstance(data, tuple) and len(data) == 2):
            raise ValueError(
                f"Labeled data must be a pair (X, y) or a labeled source. Got {type(data).__name__}. "
                "Pass for example (X, y) or Pool(X, y)."
            )
        source = Pool(*data)
    else:
        source = Pool(data)  # type: ignore[arg-type]
    if source.labeled != labeled:
        expected, came = ("labeled", "unlabeled") if labeled else ("unlabeled", "labeled")
        raise ValueError(
            f"A source of {expected} rows was expected. Got {came} rows. "
            + ("Give the source its labels." if labeled else "Leave out the labels, for example Pool(X).")
        )
    return source


def rounds_covered(source: Source, rows: int | None) -> int | None:
    """For how many rounds a source lasts at ``rows`` a round; None for no limit. Checks ``rows``."""
    if rows is not None:
        check_count(rows, "rows")
    elif source.endless:
        raise ValueError(_NO_END)
    if source.remaining is None:
        return None
    return source.remaining // rows if rows is not None else min(1, source.remaining)
