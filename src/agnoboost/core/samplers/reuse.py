"""Few new rows each round, and the old ones again."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...basics.checks import check_between, check_positive
from ...basics.conventions import on_grid
from ...basics.kept import check_sums_to_one, kept, kept_number
from ...basics.names import parts, prefixed
from ...basics.typing import Arrays, Floats, Matrix, Rng
from ..batch import Batch
from ..potentials import Potential
from ..sources import Sample, Source
from ..tape import Margins, Tape
from .base import Change, Draw, OneSource, kept_rows, mean, rows_of_their_own, whole_rows


@dataclass
class Generation:
    """Rows of the pool that entered together.

    ``signed`` is mass * target; ``share`` is their mass in D'_t, not counting what they hold for dropped rows.
    """

    X: Matrix
    mass: Floats
    signed: Floats
    share: float


@dataclass
class ReuseState:
    """The decaying pool D'_t. ``dropped`` is the mass that forgotten rows would have now."""

    margins: Margins = field(default_factory=Margins)
    pool: list[Generation] = field(default_factory=list)
    dropped: float = 0.0


@dataclass(frozen=True)
class Reuse(OneSource):
    """Few new rows each round, and the old ones again with decaying mass (Algorithm 2, after GS24).

    D'_t = (1 - decay) * D'_{t-1} + decay * (new rows), where new rows are relabeled by the *change* of the gradient,

        target = -(phi'(H_t, y) - (1 - decay) * phi'(H_{t-1}, y)) / (smoothness * max_step + decay * bound),

    which telescopes to E[target | x] = -scale * phi'(H_t, y) with scale = decay/(smoothness*max_step + decay*bound).
    The paper's random eta' is integrated out: phi'(H_t) - phi'(H_{t-1}) is the mean of its second-order term. With
    decay = sigma = max_step = eta/gamma and the pseudo-Huber potential the scale is 1/2, as in Lemma ``concmain2``.

    Parameters
    ----------
    source : Source
        Where rows come from.
    potential : Potential
        Whose gradient relabels them.
    max_step : float
        The most that a margin can move in a round: ``rule.max_step``.
    decay : float in (0, 1]
        The share of the new rows, sigma.
    rows : int or None
        New rows a round; None takes all rows of a finite source, whose copies are then merged.
    tolerance : float in [0, 1)
        The oldest rows are dropped as long as their mass in the pool, together, stays within this tolerance: no
        correlation moves by more than that. The dropped mass goes to the newest rows as fair coins (target 0).
    """

    source: Source
    potential: Potential
    max_step: float
    decay: float
    rows: int | None = None
    tolerance: float = 1e-3

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self.max_step, "max_step")
        check_between(self.decay, 0.0, 1.0, "decay")
        check_between(self.tolerance, 0.0, 1.0, "tolerance", open_low=False, open_high=True)

    @property
    def scale(self) -> float:
        return self.decay / self._reach

    @property
    def _reach(self) -> float:
        return self.potential.smoothness * self.max_step + self.decay * self.bound

    def init(self, rng: Rng) -> ReuseState:
        return ReuseState()

    def draw(self, tape: Tape, state: ReuseState, rng: Rng) -> tuple[Draw, ReuseState]:
        sample = self.source.draw(self.rows, rng)
        before, margin = state.margins.last_two(tape, sample.X)
        gradient = self.potential.grad(margin, sample.y)
        if state.pool:
            change = gradient - (1.0 - self.decay) * self.potential.grad(before, sample.y)
            pool, dropped = self._decayed(state, sample, -change / self._reach)
        else:  # the first round: nothing to reuse yet
            pool = [Generation(sample.X, sample.mass, -self.scale * gradient * sample.mass, 1.0)]
            dropped = 0.0
        value = mean(self.potential.value(margin, sample.y), sample.mass)
        return Draw(_pooled(pool), value), ReuseState(state.margins, pool, dropped)

    def _decayed(self, state: ReuseState, sample: Sample, target: Floats) -> tuple[list[Generation], float]:
        keep = 1.0 - self.decay
        pool = [Generation(old.X, keep * old.mass, keep * old.signed, keep * old.share) for old in state.pool]
        dropped = keep * state.dropped
        while pool and dropped + pool[0].share <= self.tolerance:
            dropped += pool.pop(0).share
        mass = (1.0 - sum(float(old.mass.sum()) for old in pool)) * sample.mass
        new = Generation(sample.X, mass, self.decay * sample.mass * target, self.decay)
        if pool and pool[-1].X is sample.X:  # the same rows again: one entry a row is enough
            last = pool.pop()
            new = Generation(sample.X, last.mass + mass, last.signed + new.signed, last.share + self.decay)
        return [*pool, new], dropped

    # ------------------------------------------------------------- what it says of itself

    def pack(self, state: ReuseState) -> Arrays:
        arrays: Arrays = {"dropped": np.array(state.dropped), "generations": np.array(len(state.pool))}
        for place, part in enumerate(state.pool):
            own = {"mass": part.mass, "signed": part.signed, "share": np.array(part.share)}
            arrays |= prefixed(f"{place}/", own | rows_of_their_own(part.X, self.source))
        return arrays

    def restore(self, fresh: ReuseState, arrays: Arrays) -> ReuseState:
        count = int(kept(arrays, "generations", np.int64, (), least=0, most=len(arrays)))
        each = parts(arrays)
        pool = [self._generation(each[f"{place}"]) for place in range(count)]
        if pool:
            check_sums_to_one(np.concatenate([part.mass for part in pool]), "the mass of the pool")
        return ReuseState(fresh.margins, pool, kept_number(arrays, "dropped", 0.0, 1.0))

    def _generation(self, arrays: Arrays) -> Generation:
        X = kept_rows(arrays, self.source)
        mass = kept(arrays, "mass", np.float64, (len(X),), least=0.0)
        signed = kept(arrays, "signed", np.float64, (len(X),), -1.0, 1.0)
        if (np.abs(signed) > mass * (1.0 + 1e-6)).any():
            raise ValueError("signed must not be larger than mass, of which it is the part with a label")
        return Generation(X, mass, signed, kept_number(arrays, "share", 0.0, 1.0))

    def lasting_rows(self) -> Sample | str:
        """The copies of a row in the pool add up to -scale * psi'(H), as if the row had been drawn but now."""
        found = whole_rows(self.source, self.rows)
        if not isinstance(found, str) and (self.source.labeled or 0.0 < 1.0 - self.decay <= self.tolerance):
            return "rows are forgotten"
        return found

    def why_no_changes(self) -> str | None:
        if self.tolerance > 0.0:
            return "it forgets old rows (tolerance > 0), and here nothing is forgotten; pass tolerance=0"
        return None

    def draw_changes(
        self, tape: Tape, state: ReuseState, rng: Rng, weight: float = 1.0
    ) -> tuple[list[Change], float, ReuseState]:
        sample, keep = self.source.draw(self.rows, rng), 1.0 - self.decay
        before, margin = state.margins.last_two(tape, sample.X)
        change = self.potential.grad(margin, sample.y)
        if len(tape):  # else it is the first round: nothing to reuse yet
            change = change - keep * self.potential.grad(before, sample.y)
        signed = on_grid(-self.scale * change * sample.mass)
        value = mean(self.potential.value(margin, sample.y), sample.mass)
        return [Change(sample.X, signed, keep, weight)], value, state


def _pooled(pool: list[Generation]) -> Batch:
    X = pool[0].X if len(pool) == 1 else np.concatenate([part.X for part in pool])
    mass = np.concatenate([part.mass for part in pool])
    signed = np.concatenate([part.signed for part in pool])
    target = np.divide(signed, mass, out=np.zeros_like(mass), where=mass > 0)
    return Batch(X, target, mass / mass.sum())
