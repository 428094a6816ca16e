"""Samplers: how a round's batch is made from the margins so far.

Every sampler keeps one promise: the correlation of any h with its expected batch is

    E[target(x) * h(x)] = -scale * Phi'(H, h),

where Phi is the population potential that the sampler descends and ``scale`` is stated by the sampler. A batch is a
noisy functional gradient, in the form of a classification problem.

Samplers are values; what changes from round to round is in an explicit state: ``state = init(rng)``, then
``draw, state = sampler.draw(tape, state, rng)``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from ..basics.checks import check_between, check_positive, check_same_features
from ..basics.memo import LastArray
from ..basics.typing import Floats, Matrix, Rng
from .batch import Batch, mix
from .potentials import Potential
from .sources import Sample, Source, has_soft_labels, largest_label, rounds_covered
from .tape import Margins, Tape


@dataclass(frozen=True, slots=True)
class Draw:
    """A round's batch, and an estimate of Phi(H) from the rows drawn for it."""

    batch: Batch
    potential: float


class Sampler(Protocol):
    """Makes batches."""

    @property
    def scale(self) -> float:
        """The factor in E[target * h] = -scale * Phi'(H, h)."""

    @property
    def sources(self) -> tuple[Source, ...]:
        """All sources that this sampler draws from."""

    @property
    def max_rounds(self) -> int | None:
        """For how many rounds the sources last; None for no limit."""

    def init(self, rng: Rng) -> Any:
        """The state before the first round."""

    def draw(self, tape: Tape, state: Any, rng: Rng) -> tuple[Draw, Any]:
        """The batch for the margins of ``tape``, and the next state."""


def _mean(values: Floats, mass: Floats) -> float:
    return float(np.sum(values * mass))


class _OneSource:
    """What samplers of a single source share."""

    source: Source
    potential: Potential
    rows: int | None

    def __post_init__(self) -> None:
        self.bound  # noqa: B018 - refuses unlabeled rows where the potential needs labels
        rounds_covered(self.source, self.rows)

    @property
    def bound(self) -> float:
        """The largest gradient on rows of this source."""
        if has_soft_labels(self.source) and not self.potential.separable:
            raise ValueError(
                f"{type(self.potential).__name__} needs labels -1 and +1. Got soft ones. Use a separable potential "
                "(Huber or PseudoHuber), which is linear in the label, or round them."
            )
        return self.potential.bound(self.source.labeled) + largest_label(self.source) - 1.0

    @property
    def sources(self) -> tuple[Source, ...]:
        return (self.source,)

    @property
    def max_rounds(self) -> int | None:
        return rounds_covered(self.source, self.rows)


@dataclass(frozen=True)
class Fresh(_OneSource):
    """New rows each round, relabeled by the gradient: target = -phi'(H(x), y)/bound.

    ``rows`` a round from the source, or all rows of a finite one. The bound makes the target a mean label: it is
    1 for unlabeled rows, 2 for labeled rows of a separable potential.
    """

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
        target = -self.scale * self.potential.grad(margin, sample.y)
        value = _mean(self.potential.value(margin, sample.y), sample.mass)
        return Draw(Batch(sample.X, target, sample.mass), value), state


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
class Reuse(_OneSource):
    """Few new rows each round, and the old ones again with decaying mass (Algorithm 2, after GS24).

    D'_t = (1 - decay) * D'_{t-1} + decay * (new rows), where new rows are relabeled by the *change* of the gradient,

        target = -(phi'(H_t, y) - (1 - decay) * phi'(H_{t-1}, y)) / (smoothness * max_step + decay * bound),

    which telescopes to E[target | x] = -scale * phi'(H_t, y) with scale = decay/(smoothness*max_step + decay*bound).
    The paper's random eta' is integrated out: phi'(H_t) - phi'(H_{t-1}) is the mean of its second-order term. With
    decay = sigma = max_step = eta/gamma and the pseudo-Huber potential the scale is 1/2, as in Lemma ``concmain2``.

    Parameters
    ----------
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
        value = _mean(self.potential.value(margin, sample.y), sample.mass)
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


def _pooled(pool: list[Generation]) -> Batch:
    X = pool[0].X if len(pool) == 1 else np.concatenate([part.X for part in pool])
    mass = np.concatenate([part.mass for part in pool])
    signed = np.concatenate([part.signed for part in pool])
    target = np.divide(signed, mass, out=np.zeros_like(mass), where=mass > 0)
    return Batch(X, target, mass / mass.sum())


@dataclass
class WithLabelsState:
    """The labeled sample, drawn once, and the state of the sampler of unlabeled rows."""

    sample: Sample
    inner: Any
    margins: Margins = field(default_factory=Margins)
    stacked: LastArray[Matrix] = field(default_factory=LastArray)


@dataclass(frozen=True)
class WithLabels:
    """Labeled rows, never relabeled, mixed with a sampler of unlabeled rows (Algorithms 1, 2 and 3).

    If the unlabeled batch has E[target | x] = -c * psi'(H(x)), labeled rows with weight c/(c + shift) give

        corr = -c/(c + shift) * Phi'(H, h),   Phi(H) = shift * E[psi(H)] - E[y H].

    So the weight is 1/2 for Algorithm 1, 1/3 for Algorithm 2 and 1/(1 + C_X) for Algorithm 3: derived, not written.

    With ``unlabeled_weight`` w below 1 the psi part is estimated from both kinds of rows, w from the unlabeled and
    1 - w from the labeled ones, as in prediction-powered inference. Each is an unbiased estimate of the same
    E[psi'(H) h], so every w is unbiased; they differ in variance. w = 0 is boosting on the labels alone.

    Parameters
    ----------
    labeled : Source
        ``rows`` rows are drawn from it once, before the first round, and used in all rounds.
    unlabeled : Fresh or Reuse
        A sampler of unlabeled rows with a separable potential.
    shift : float >= 1
        C_X: how many times more likely a region can be among labeled than among unlabeled rows. It multiplies the
        unlabeled part of psi: Phi(H) = w * shift * E_Q[psi(H)] + (1 - w) * E_D[psi(H)] - E_D[y H].
    """

    labeled: Source
    unlabeled: Fresh | Reuse
    shift: float = 1.0
    rows: int | None = None
    unlabeled_weight: float = 1.0

    def __post_init__(self) -> None:
        check_between(self.shift, 1.0, 1e6, "shift", open_low=False)
        check_between(self.unlabeled_weight, 0.0, 1.0, "unlabeled_weight", open_low=False)
        source = self.unlabeled.source
        if not self.labeled.labeled or source.labeled:
            raise ValueError(
                "WithLabels needs a labeled source and a sampler of unlabeled rows. Got "
                f"labeled={self.labeled.labeled} for the first and labeled={source.labeled} for the second. "
                "Swap them, or use Fresh or Reuse alone for labeled rows only."
            )
        if self.labeled.n_features is not None and source.n_features is not None:
            check_same_features(source.n_features, self.labeled.n_features, "The unlabeled table")
        if rounds_covered(self.labeled, self.rows) == 0:
            raise ValueError(
                f"The labeled source must hold {self.rows} rows. Got {self.labeled.remaining} left. "
                "Ask for fewer rows, or make a new source."
            )

    @property
    def scale(self) -> float:
        return 1.0 / (self.label_bound + self.unlabeled_weight * self.shift / self.unlabeled.scale)

    @property
    def label_bound(self) -> float:
        """The largest gradient on a labeled row: abs(y - (1 - w) * psi')."""
        return largest_label(self.labeled) + 1.0 - self.unlabeled_weight

    def labeled_target(self, margin: Floats, y: Floats) -> Floats:
        """The mean label of labeled rows: (y - (1 - w) * psi'(H))/bound."""
        gradient = (1.0 - self.unlabeled_weight) * self.unlabeled.potential.grad(margin, np.zeros(len(y))) - y
        return -gradient / self.label_bound

    @property
    def sources(self) -> tuple[Source, ...]:
        return (self.labeled, *self.unlabeled.sources)

    @property
    def max_rounds(self) -> int | None:
        return self.unlabeled.max_rounds

    def init(self, rng: Rng) -> WithLabelsState:
        return WithLabelsState(self.labeled.draw(self.rows, rng), self.unlabeled.init(rng))

    def draw(self, tape: Tape, state: WithLabelsState, rng: Rng) -> tuple[Draw, WithLabelsState]:
        inner, inner_state = self.unlabeled.draw(tape, state.inner, rng)
        sample = state.sample
        check_same_features(inner.batch.X.shape[1], sample.X.shape[1], "The unlabeled table")
        X = state.stacked.get(
            lambda: np.concatenate([sample.X, inner.batch.X]),
            sample.X,
            inner.batch.X,
        )
        potential, share = self.unlabeled.potential, 1.0 - self.unlabeled_weight
        margin, no_label = state.margins.at(tape, sample.X), np.zeros(len(sample.y))
        labeled = Batch(sample.X, self.labeled_target(margin, sample.y), sample.mass)
        batch = mix(labeled, inner.batch, self.scale * self.label_bound, X)
        value = _mean(share * potential.value(margin, no_label) - sample.y * margin, sample.mass)
        potential_value = self.unlabeled_weight * self.shift * inner.potential + value
        return Draw(batch, potential_value), replace(state, inner=inner_state)


SAMPLERS = {"fresh": Fresh, "reuse": Reuse, "with_labels": WithLabels}
