"""New rows each round."""

from __future__ import annotations

from dataclasses import dataclass

from ...basics.checks import check_between
from ...basics.conventions import on_grid
from ...basics.typing import Arrays, Rng
from ..batch import Batch
from ..potentials import Potential
from ..sources import Sample, Source
from ..tape import Margins, Tape
from .base import Change, Draw, OneSource, mean, whole_rows


@dataclass(frozen=True)
class Fresh(OneSource):
    """New rows each round, relabeled by the gradient: target = -phi'(H(x), y)/bound.

    The bound makes the target a mean label: it is 1 for unlabeled rows, 2 for labeled rows of a separable potential.

    Parameters
    ----------
    source : Source
        Where rows come from.
    potential : Potential
        Whose gradient relabels them.
    rows : int or None, default=None
        How many a round; None for all rows of a finite source.
    """

    same_rows = True
    keeps_parts = False

    source: Source
    potential: Potential
    rows: int | None = None

    @property
    def scale(self) -> float:
        return 1.0 / self.bound

    def init(self, rng: Rng) -> Margins:
        return Margins()

    def draw(self, tape: Tape, state: Margins, rng: Rng) -> tuple[Draw, Margins]:
        sample = self.source.draw(self.rows, rng)
        margin = state.at(tape, sample.X)
        value = mean(self.potential.value(margin, sample.y), sample.mass)
        return Draw(Batch(sample.X, self.target(margin, sample.y), sample.mass), value), state

    def pack(self, state: Margins) -> Arrays:
        return {}  # margins are worked out again

    def restore(self, fresh: Margins, arrays: Arrays) -> Margins:
        return fresh

    def lasting_rows(self) -> Sample | str:
        return whole_rows(self.source, self.rows)

    def why_no_changes(self) -> str | None:
        return None

    def draw_changes(
        self, tape: Tape, state: Margins, rng: Rng, weight: float = 1.0
    ) -> tuple[list[Change], float, Margins]:
        sample = self.source.draw(self.rows, rng)
        margin = state.at(tape, sample.X)
        signed = on_grid(weight * sample.mass * self.target(margin, sample.y))
        value = mean(self.potential.value(margin, sample.y), sample.mass)
        return [Change(sample.X, signed)], value, state


@dataclass(frozen=True)
class FreshBelowPar(Fresh):
    """New rows each round, whose margins are held against a par that grows in every round.

    The potential after t rounds is E[phi(H - y * par * t, y)]: a row keeps its weight until the votes for its label
    have come to more than par a round. Only for labeled rows.

    Parameters
    ----------
    source : Source
        Where labeled rows come from.
    potential : Potential
        Whose gradient relabels them.
    rows : int or None, default=None
        How many a round; None for all rows of a finite source.
    par : float, default=0.0
        By how much the par grows in a round.
    """

    par: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_between(self.par, 0.0, 1.0, "par", open_low=False)
        if not self.source.labeled:
            raise ValueError("Par is about labels: FreshBelowPar needs labeled rows. Got unlabeled ones. Use Fresh.")

    def draw(self, tape: Tape, state: Margins, rng: Rng) -> tuple[Draw, Margins]:
        sample = self.source.draw(self.rows, rng)
        margin = state.at(tape, sample.X) - self.par * len(tape) * sample.y
        value = mean(self.potential.value(margin, sample.y), sample.mass)
        return Draw(Batch(sample.X, self.target(margin, sample.y), sample.mass), value), state
