"""The ensemble as an ordered tape of steps.

The case-B step H <- H - eta*sign(H) depends on the whole H so far, so an ensemble is not a weighted sum: the order
of steps matters. Margins are whole numbers of ``unit``, so that sums are exact in any order, sign(0) is decided
exactly, and staged, incremental and collapsed evaluation agree to the bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.checks import as_matrix, check_count, check_positive, check_same_features
from ..basics.conventions import sign
from ..basics.typing import Floats, Ints, Matrix
from .learners.base import Hypothesis, units_of


@dataclass(frozen=True, slots=True)
class Add:
    """H <- H + coef * unit * h (case A).

    Parameters
    ----------
    hypothesis : Hypothesis
        h.
    coef : int
        How many units of the tape.
    """

    hypothesis: Hypothesis
    coef: int

    def apply(self, units: Ints, X: Matrix) -> Ints:
        return units + units_of(self.hypothesis, self.coef, X)


@dataclass(frozen=True, slots=True)
class AddWithin(Add):
    """H <- clip(H + coef * unit * h, -limit * unit, limit * unit): an addition, and the projection after it.

    Parameters
    ----------
    hypothesis : Hypothesis
        h.
    coef : int
        How many units of the tape.
    limit : int
        How far margins may go, in units.
    """

    limit: int

    def apply(self, units: Ints, X: Matrix) -> Ints:
        moved: Ints = np.clip(units + units_of(self.hypothesis, self.coef, X), -self.limit, self.limit)
        return moved


@dataclass(frozen=True, slots=True)
class Shrink:
    """H <- H - coef * unit * sign(H), with sign(0) = +1 (case B).

    Parameters
    ----------
    coef : int
        How many units of the tape.
    """

    coef: int

    def apply(self, units: Ints, X: Matrix) -> Ints:
        return units - self.coef * sign(units)


Step = Add | AddWithin | Shrink


def is_sum(steps: Iterable[Step]) -> bool:
    """Whether an ensemble is a plain sum of its hypotheses: neither case-B steps nor projections."""
    return all(type(step) is Add for step in steps)


class Tape:
    """H_1 = 0 followed by steps. Tapes are values: ``append`` and ``prefix`` return new ones, sharing storage.

    Parameters
    ----------
    unit : float
        What margins are counted in: steps are whole multiples of it.
    n_features : int, optional
        The number of columns, if it is known.
    """

    def __init__(self, unit: float, n_features: int | None = None):
        self.unit = check_positive(unit, "unit")
        self.n_features = n_features  # None where it is not known
        self._steps: list[Step] = []  # shared between versions; this one owns the first _length entries
        self._length = 0
        self._segments = _Segments()

    @classmethod
    def of(cls, unit: float, steps: Iterable[Step]) -> Tape:
        """The tape with these steps."""
        tape = cls(unit)
        tape._steps = list(steps)
        tape._length = len(tape._steps)
        return tape

    def __len__(self) -> int:
        return self._length

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tape) and self.unit == other.unit and self.steps == other.steps

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shrinks = sum(isinstance(step, Shrink) for step in self.steps)
        return f"Tape(unit={self.unit:g}, steps={len(self)}, of which case B={shrinks})"

    @property
    def steps(self) -> list[Step]:
        """The steps in order (a copy)."""
        return self._steps[: self._length]

    def append(self, step: Step) -> Tape:
        """The tape with one more step; this one stays as it is."""
        return self.extend((step,))

    def extend(self, steps: Iterable[Step]) -> Tape:
        """The tape with further steps; this one stays as it is."""
        longer = self.prefix(self._length)
        if len(self._steps) != self._length:  # another version has grown past this one: part ways
            longer._steps, longer._segments = self.steps, _Segments()
        longer._steps.extend(steps)
        longer._length = len(longer._steps)
        return longer

    def prefix(self, length: int) -> Tape:
        """The tape after its first ``length`` steps; 0 gives H_1 = 0."""
        if check_count(length, "length", least=0) > self._length:
            raise ValueError(f"length must be at most {self._length}, the number of steps. Got {length}.")
        shorter = Tape(self.unit, self.n_features)
        shorter._steps, shorter._length, shorter._segments = self._steps, length, self._segments
        return shorter

    def units(self, size: float) -> int:
        """A step of this size in whole units."""
        return round(size / self.unit)

    def stretched(self, factor: float) -> Tape:
        """The tape of factor * H."""
        if factor == 1.0:
            return self
        longer = Tape(factor * self.unit, self.n_features)
        longer._steps, longer._length = self.steps, self._length
        return longer

    def continues(self, earlier: Tape) -> bool:
        """Whether this tape is ``earlier`` with further steps, known by their sharing of storage."""
        return self._steps is earlier._steps and earlier._length <= self._length

    def advance(self, units: Ints, X: Matrix, start: int) -> Ints:
        """Carry margins (in units) of X from after ``start`` steps to the end of the tape."""
        for step in self._steps[start : self._length]:
            units = step.apply(units, X)
        return units

    def __getstate__(self) -> dict[str, Any]:
        # Without what other versions have added to the shared storage, and without what can be worked out again.
        return {"unit": self.unit, "n_features": self.n_features, "steps": self.steps}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["unit"], state["n_features"])  # type: ignore[misc]
        self._steps, self._length = state["steps"], len(state["steps"])

    def _rows(self, X: npt.ArrayLike) -> Matrix:
        rows = as_matrix(X)
        if self.n_features is not None:
            check_same_features(rows.shape[1], self.n_features, "X")
        return rows

    def margin_units(self, X: npt.ArrayLike) -> Ints:
        """H(x) in whole units.

        Equal hypotheses between two case-B steps are merged, and sums of stumps become look-up tables, so that
        for stumps the cost hardly grows with the rounds.
        """
        return self.replay(self._rows(X))

    def replay(self, X: Matrix) -> Ints:
        """:meth:`margin_units` for rows that have been checked already."""
        units = np.zeros(len(X), dtype=np.int64)
        for segment in self._segments.of(self._steps, self._length):
            units = segment.apply(units, X)
        return units

    def margin(self, X: npt.ArrayLike) -> Floats:
        """H(x)."""
        return self.scaled(self.margin_units(X))

    def scaled(self, units: Ints) -> Floats:
        """Units as real margins."""
        return np.multiply(self.unit, units, dtype=np.float64)

    def predict(self, X: npt.ArrayLike) -> Ints:
        """sign(H(x)), in {-1, +1}."""
        return sign(self.margin_units(X))

    def staged(self, X: npt.ArrayLike) -> Iterator[Floats]:
        """H_1(x) = 0, H_2(x), ...: one array more than there are steps."""
        rows = self._rows(X)
        units = np.zeros(len(rows), dtype=np.int64)
        yield self.scaled(units)
        for step in self.steps:
            units = step.apply(units, rows)
            yield self.scaled(units)


class Margins:
    """Margins of one array, carried forward with a growing tape instead of being replayed.

    Another array or another tape than last time is replayed from the start. The results are the same to the bit.
    """

    def __init__(self) -> None:
        self._X: Matrix | None = None
        self._units: Ints | None = None
        self._tape: Tape | None = None

    def at(self, tape: Tape, X: Matrix) -> Floats:
        """H(x) after all steps of ``tape``."""
        if self._X is X and self._units is not None and self._tape is not None and tape.continues(self._tape):
            units = tape.advance(self._units, X, len(self._tape))
        else:
            units = tape.replay(X)
        self._X, self._units, self._tape = X, units, tape
        return tape.scaled(units)

    def last_two(self, tape: Tape, X: Matrix) -> tuple[Floats, Floats]:
        """H(x) before and after the last step."""
        before = self.at(tape.prefix(max(len(tape) - 1, 0)), X)
        return before, self.at(tape, X)


class _Segment:
    """Either a run of additions, with equal binary hypotheses merged, or one step of another kind."""

    def __init__(self, other: Step | None = None) -> None:
        self._other = other
        self._sums: dict[type[Hypothesis], dict[Hypothesis, int]] = {}
        self._rounded: dict[type[Hypothesis], list[Add]] = {}  # not binary: rounded step by step, they cannot merge

    @property
    def additive(self) -> bool:
        return self._other is None

    def copy(self) -> _Segment:
        other = _Segment(self._other)
        other._sums = {kind: dict(sums) for kind, sums in self._sums.items()}
        other._rounded = {kind: list(steps) for kind, steps in self._rounded.items()}
        return other

    def extend(self, step: Add) -> None:
        hypothesis = step.hypothesis
        if hypothesis.binary:
            sums = self._sums.setdefault(type(hypothesis), {})
            sums[hypothesis] = sums.get(hypothesis, 0) + step.coef
        else:
            self._rounded.setdefault(type(hypothesis), []).append(step)

    def apply(self, units: Ints, X: Matrix) -> Ints:
        if self._other is not None:
            return self._other.apply(units, X)
        for kind, sums in self._sums.items():
            units = units + kind.weighted_sum(list(sums), list(sums.values()), X)
        for kind, steps in self._rounded.items():
            units = units + kind.weighted_sum([step.hypothesis for step in steps], [step.coef for step in steps], X)
        return units


class _Segments:
    """The collapsed form of a list of steps, extended as the list grows.

    What has been handed out is never changed, and a longer form replaces a shorter one in a single assignment: any
    number of threads may predict at once.
    """

    def __init__(self) -> None:
        self._known: tuple[int, tuple[_Segment, ...]] = (0, ())

    def of(self, steps: list[Step], length: int) -> tuple[_Segment, ...]:
        position, known = self._known
        if length < position:  # asked for an earlier version: do not disturb the one that grows
            return _Segments().of(steps, length)
        if length == position:
            return known
        segments = list(known)
        if segments and segments[-1].additive:
            segments[-1] = segments[-1].copy()
        for step in steps[position:length]:
            if isinstance(step, (Shrink, AddWithin)):
                segments.append(_Segment(step))
                continue
            if not segments or not segments[-1].additive:
                segments.append(_Segment())
            segments[-1].extend(step)
        self._known = (length, tuple(segments))
        return self._known[1]
