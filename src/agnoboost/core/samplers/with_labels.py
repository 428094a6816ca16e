"""Labeled rows that are drawn once, beside a sampler of unlabeled ones."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...basics.checks import check_between, check_same_features
from ...basics.conventions import on_grid
from ...basics.kept import check_sums_to_one, kept
from ...basics.memo import LastArray
from ...basics.names import prefixed, under
from ...basics.typing import Arrays, Floats, Matrix, Rng
from ..batch import Batch, mix
from ..potentials import Separable
from ..sources import Sample, Source, rounds_covered
from ..tape import Margins, Tape
from .base import (
    Change,
    Draw,
    LinearForm,
    LinearPart,
    OneSource,
    Sampler,
    kept_rows,
    mean,
    rows_of_their_own,
    whole_rows,
)


@dataclass
class WithLabelsState:
    """The labeled sample, drawn once, and the state of the sampler of unlabeled rows."""

    sample: Sample
    inner: Any
    margins: Margins = field(default_factory=Margins)
    stacked: LastArray[Matrix] = field(default_factory=LastArray)


@dataclass(frozen=True)
class WithLabels(Sampler):
    """Labeled rows, never relabeled, mixed with a sampler of unlabeled rows (Algorithms 1, 2 and 3).

    If the unlabeled batch has E[target | x] = -c * psi'(H(x)), labeled rows with weight c/(c + shift) give

        corr = -c/(c + shift) * Phi'(H, h),   Phi(H) = shift * E[psi(H)] - E[y H].

    So the weight is 1/2 for Algorithm 1, 1/3 for Algorithm 2 and 1/(1 + C_X) for Algorithm 3: derived, not written.

    Parameters
    ----------
    labeled : Source
        ``rows`` rows are drawn from it once, before the first round, and used in all rounds.
    unlabeled : Fresh or Reuse, or another sampler of one source
        A sampler of unlabeled rows with a separable potential.
    shift : float >= 1
        C_X: how many times more likely a region can be among labeled than among unlabeled rows. It multiplies the
        unlabeled part of psi: Phi(H) = w * shift * E_Q[psi(H)] + (1 - w) * E_D[psi(H)] - E_D[y H].
    rows : int or None
        How many labeled rows; None for all of a finite source.
    unlabeled_weight : float in [0, 1]
        With w below 1 the psi part is estimated from both kinds of rows, w from the unlabeled and 1 - w from the
        labeled ones, as in prediction-powered inference. Each is an unbiased estimate of the same E[psi'(H) h], so
        every w is unbiased; they differ in variance. w = 0 is boosting on the labels alone.
    """

    labeled: Source
    unlabeled: OneSource
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
        return self.labeled.label_bound + 1.0 - self.unlabeled_weight

    @property
    def labeled_share(self) -> float:
        """The mass of the labeled rows in a batch: c/(c + shift) for labels -1 and +1."""
        return self.scale * self.label_bound

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
        batch = mix(labeled, inner.batch, self.labeled_share, X)
        value = mean(share * potential.value(margin, no_label) - sample.y * margin, sample.mass)
        potential_value = self.unlabeled_weight * self.shift * inner.potential + value
        return Draw(batch, potential_value), replace(state, inner=inner_state)

    # ------------------------------------------------------------- what it says of itself

    def pack(self, state: WithLabelsState) -> Arrays:
        rows = state.sample
        sample = {"y": rows.y, "mass": rows.mass} | rows_of_their_own(rows.X, self.labeled)
        return prefixed("sample/", sample) | prefixed("inner/", self.unlabeled.pack(state.inner))

    def restore(self, fresh: WithLabelsState, arrays: Arrays) -> WithLabelsState:
        own = under(arrays, "sample/")
        X, most = kept_rows(own, self.labeled), self.labeled.label_bound
        sample = Sample(
            X,
            kept(own, "y", np.float64, (len(X),), -most, most),
            kept(own, "mass", np.float64, (len(X),), least=0.0),
        )
        check_sums_to_one(sample.mass, "mass")
        return WithLabelsState(sample, self.unlabeled.restore(fresh.inner, under(arrays, "inner/")))

    def linear(self) -> LinearForm | str:
        labeled, unlabeled = whole_rows(self.labeled, self.rows), self.unlabeled.lasting_rows()
        if isinstance(labeled, str) or isinstance(unlabeled, str):
            return labeled if isinstance(labeled, str) else str(unlabeled)
        inner, weight, share = self.unlabeled, self.unlabeled_weight, self.labeled_share
        if not isinstance(inner.potential, Separable):
            return f"{type(inner.potential).__name__} is not separable"
        parts = (
            LinearPart(labeled, 1.0 - weight, share, self.labeled_target),
            LinearPart(unlabeled, weight * self.shift, 1.0 - share, inner.target),
        )
        return LinearForm(self.scale, inner.potential, parts, inner.same_rows)

    def why_no_changes(self) -> str | None:
        if self.unlabeled_weight != 1.0:
            return "labeled rows have a part in psi, which changes from round to round"
        return self.unlabeled.why_no_changes()

    def draw_changes(
        self, tape: Tape, state: WithLabelsState, rng: Rng, weight: float = 1.0
    ) -> tuple[list[Change], float, WithLabelsState]:
        """The labels come once, and stay; the rest is the other sampler's."""
        share = weight * (1.0 - self.labeled_share)
        inner, potential, inner_state = self.unlabeled.draw_changes(tape, state.inner, rng, share)
        sample = state.sample
        check_same_features(inner[0].X.shape[1], sample.X.shape[1], "The unlabeled table")
        new = slice(None) if len(tape) == 0 else slice(0)
        labels = on_grid(self.scale * sample.mass[new] * sample.y[new])
        value = self.shift * potential - mean(sample.y * state.margins.at(tape, sample.X), sample.mass)
        return [Change(sample.X[new], labels, 1.0, weight), *inner], value, replace(state, inner=inner_state)
