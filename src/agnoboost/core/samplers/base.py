"""What a sampler is, and what it may say of its batches.

Every sampler keeps one promise: the correlation of any h with its expected batch is

    E[target(x) * h(x)] = -scale * Phi'(H, h),

where Phi is the population potential that the sampler descends and ``scale`` is stated by the sampler. A batch is a
noisy functional gradient, in the form of a classification problem.

Samplers are values; what changes from round to round is in an explicit state: ``state = init(rng)``, then
``draw, state = sampler.draw(tape, state, rng)``.

All that anybody else knows of a sampler it says itself: its sources, how its state is packed into a file, and, for
engines that can do better than to look at every batch, two other forms of its batches (:meth:`Sampler.linear`,
:meth:`Sampler.draw_changes`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy, deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ...basics.typing import Arrays, Floats, Matrix, Rng
from ..batch import Batch
from ..potentials import Potential, Separable
from ..sources import Sample, Source, rounds_covered
from ..tape import Tape


@dataclass(frozen=True, slots=True)
class Draw:
    """A round's batch, and an estimate of Phi(H) from the rows drawn for it.

    Attributes
    ----------
    batch : Batch
        What the weak learner sees.
    potential : float
        The estimate.
    """

    batch: Batch
    potential: float


@dataclass(frozen=True, slots=True)
class Change:
    """A part of a batch, as a change of what it was in the round before.

    The correlation of any h with the part is ``factor * part(h)``, where part(h) is ``keep`` times what it was, plus
    the sum of ``signed * h(x)`` over the rows of ``X``.

    Attributes
    ----------
    X : array of shape (rows, features)
        Rows that are new.
    signed : array of shape (rows,)
        Their mass times their mean label.
    keep : float
        What is left of the part as it was.
    factor : float
        What the whole part is multiplied by.
    """

    X: Matrix
    signed: Floats
    keep: float = 0.0
    factor: float = 1.0


@dataclass(frozen=True)
class LinearPart:
    """Rows that are in every batch with the same mass.

    Attributes
    ----------
    rows : Sample
        The rows.
    in_psi : float
        How much they count in psi, all together.
    in_batch : float
        Their mass in a batch, all together.
    target : callable
        ``target(H, y)`` is their mean label.
    """

    rows: Sample
    in_psi: float
    in_batch: float
    target: Callable[[Floats, Floats], Floats]


@dataclass(frozen=True)
class LinearForm:
    """Batches that are linear in psi'(H) on rows that never change.

    That is, corr(h) = scale * sum_i (label_i - weight_i * psi'(H(x_i))) * h(x_i), with label = mass * y and weight =
    in_psi * mass of each part's rows.

    Attributes
    ----------
    scale : float
        That of the sampler.
    potential : Separable
        Whose psi it is.
    parts : tuple of LinearPart
        The rows.
    same_rows : bool
        Whether a batch consists of just these rows, each once, so that rows may be drawn from it.
    """

    scale: float
    potential: Separable
    parts: tuple[LinearPart, ...]
    same_rows: bool = True


class Sampler(ABC):
    """Makes batches. ``scale``, ``sources``, ``init`` and ``draw`` must be written; the rest has sensible defaults."""

    def __init_subclass__(cls) -> None:
        # What a class says of its own ``draw`` (or of the states of its ``init``) is void for a subclass with another.
        said = {"draw": ("linear", "lasting_rows", "why_no_changes"), "init": ("pack", "restore")}
        for method in said.keys() & vars(cls).keys():
            for name in said[method]:
                owner = next(base for base in cls.__mro__ if name in vars(base))
                if owner is not cls and method in vars(owner):
                    setattr(cls, name, getattr(Sampler, name))

    @property
    @abstractmethod
    def scale(self) -> float:
        """The factor in E[target * h] = -scale * Phi'(H, h)."""

    @property
    @abstractmethod
    def sources(self) -> tuple[Source, ...]:
        """All sources that this sampler draws from; the last one is drawn from in every round, the others once."""

    @property
    def max_rounds(self) -> int | None:
        """For how many rounds the sources last; None for no limit."""
        return None

    @abstractmethod
    def init(self, rng: Rng) -> Any:
        """The state before the first round."""

    @abstractmethod
    def draw(self, tape: Tape, state: Any, rng: Rng) -> tuple[Draw, Any]:
        """The batch for the margins of ``tape``, and the next state."""

    def with_own_sources(self) -> Self:
        """The same sampler over copies of its sources (not of their rows), so that runs do not share their counts."""
        return deepcopy(self, {id(source): copy(source) for source in self.sources})

    @property
    def drawn(self) -> tuple[int, int]:
        """Labeled and unlabeled rows that the sources have handed out."""
        labeled = sum(source.drawn for source in self.sources if source.labeled)
        return labeled, sum(source.drawn for source in self.sources) - labeled

    # ----------------------------------------------------------------- its state in files

    def pack(self, state: Any) -> Arrays:
        """A state as arrays, for a checkpoint."""
        raise ValueError(
            f"A checkpoint needs samplers that say how their state is packed (pack and restore). "
            f"{type(self).__name__} does not. Leave checkpoint out."
        )

    def restore(self, fresh: Any, arrays: Arrays) -> Any:
        """The state that :meth:`pack` packed; ``fresh`` is a state before the first round."""
        raise NotImplementedError

    # ------------------------------------------------------------- other forms of its batches

    def linear(self) -> LinearForm | str:
        """The linear form of all batches; or why there is none."""
        return f"{type(self).__name__} is not known to have batches that are linear in rows that never change"

    def lasting_rows(self) -> Sample | str:
        """Rows whose gradients alone make up every batch; or why there are none."""
        return f"{type(self).__name__} is not known to have batches of rows that never change"

    keeps_parts: ClassVar[bool] = True  # whether ``draw_changes`` builds on parts of earlier batches

    def why_no_changes(self) -> str | None:
        """Why :meth:`draw_changes` cannot stand for ``draw``; None where it can."""
        return f"{type(self).__name__} is not known to say how its batches change"

    def draw_changes(self, tape: Tape, state: Any, rng: Rng, weight: float = 1.0) -> tuple[list[Change], float, Any]:
        """``weight`` times the batch that ``draw`` gives, as parts; the estimate of Phi(H); and the next state.

        Round after round the parts come in the same order.
        """
        raise NotImplementedError


class OneSource(Sampler):
    """What samplers of a single source share."""

    source: Source
    potential: Potential
    rows: int | None

    same_rows: ClassVar[bool] = False  # whether batches over lasting rows consist of just these, each once

    def __post_init__(self) -> None:
        self.bound  # noqa: B018 - refuses unlabeled rows where the potential needs labels
        rounds_covered(self.source, self.rows)

    @property
    def bound(self) -> float:
        """The largest gradient on rows of this source."""
        if self.source.soft and not self.potential.separable:
            raise ValueError(
                f"{type(self.potential).__name__} needs labels -1 and +1. Got soft ones. Use a separable potential "
                "(Huber or PseudoHuber), which is linear in the label, or round them."
            )
        return self.potential.bound(self.source.labeled) + self.source.label_bound - 1.0

    @property
    def sources(self) -> tuple[Source, ...]:
        return (self.source,)

    @property
    def max_rounds(self) -> int | None:
        return rounds_covered(self.source, self.rows)

    def target(self, margin: Floats, y: Floats) -> Floats:
        """The mean label of rows that are in a batch for their gradient: -scale * phi'(H, y)."""
        return np.asarray(-self.scale * self.potential.grad(margin, y))

    def linear(self) -> LinearForm | str:
        found = self.lasting_rows()
        if isinstance(found, str):
            return found
        if not self.source.labeled:
            return "there are no labels"
        if not isinstance(self.potential, Separable):
            return f"{type(self.potential).__name__} is not separable"
        return LinearForm(self.scale, self.potential, (LinearPart(found, 1.0, 1.0, self.target),), self.same_rows)


class ForeignSampler(Sampler):
    """A sampler that was written without our base class, with the defaults of it."""

    def __init__(self, sampler: Any):
        self._sampler = sampler

    @property
    def scale(self) -> float:
        return float(self._sampler.scale)

    @property
    def sources(self) -> tuple[Source, ...]:
        return tuple(self._sampler.sources)

    @property
    def max_rounds(self) -> int | None:
        found: int | None = getattr(self._sampler, "max_rounds", None)
        return found

    def init(self, rng: Rng) -> Any:
        return self._sampler.init(rng)

    def draw(self, tape: Tape, state: Any, rng: Rng) -> tuple[Draw, Any]:
        found: tuple[Draw, Any] = self._sampler.draw(tape, state, rng)
        return found


def as_sampler(sampler: Any) -> Sampler:
    """A sampler as it is, or anything that has ``scale``, ``sources``, ``init`` and ``draw``."""
    if isinstance(sampler, Sampler):
        return sampler
    if missing := [name for name in ("scale", "sources", "init", "draw") if not hasattr(sampler, name)]:
        raise TypeError(
            f"A sampler must have scale, sources, init and draw. Got {type(sampler).__name__} without "
            f"{', '.join(missing)}. Derive it from agnoboost.core.Sampler."
        )
    return ForeignSampler(sampler)


def whole_rows(source: Source, rows: int | None) -> Sample | str:
    """All rows of a source, where every round takes just these; or why not."""
    found = source.whole() if rows is None else None
    return "new rows are drawn in each round" if found is None else found


def mean(values: Floats, mass: Floats) -> float:
    """The mean under a mass that sums to 1."""
    return float(np.sum(values * mass))


def rows_of_their_own(X: Matrix, source: Source) -> Arrays:
    """Rows for a file, unless the source has them anyway."""
    return {} if source.whole() is not None and X is source.X else {"X": np.asarray(X)}


def kept_rows(arrays: Arrays, source: Source) -> Matrix:
    """What :func:`rows_of_their_own` kept."""
    if "X" not in arrays:
        if source.X is None:
            raise ValueError("X is missing")
        return np.asarray(source.X)
    X = arrays["X"]
    if X.dtype.kind not in "iuf" or X.ndim != 2 or source.n_features not in (None, X.shape[1]):
        raise ValueError(f"X must be rows of numbers in {source.n_features} columns, not {X.dtype} of shape {X.shape}")
    if X.dtype.kind == "f" and np.isinf(X).any():
        raise ValueError("X must be finite")
    if source.X is not None and X.dtype != np.asarray(source.X).dtype:
        raise ValueError(f"X must be of the type of the source's rows, {np.asarray(source.X).dtype}, not {X.dtype}")
    return X
