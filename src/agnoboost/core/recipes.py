"""The named algorithms: each is a sampler and a rule, put together in a few lines.

Labeled data are a pair (X, y) with y in {-1, +1}, or a labeled source; unlabeled data are X or an unlabeled source.
All return a :class:`~agnoboost.rounds.boosting.Booster` for :func:`~agnoboost.rounds.boosting.boost`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy.typing as npt

from .batch import Realize, fractional
from .booster import Booster
from .potentials import GhaiSingh, Huber, Madaboost, PseudoHuber
from .rules import EdgeStep, FixedStep, Rule
from .samplers import Fresh, Reuse, WithLabels
from .sources import OnePass, Source, as_source

Labeled = Source | tuple[npt.ArrayLike, npt.ArrayLike]
Unlabeled = Source | npt.ArrayLike


def algorithm1(
    labeled: Labeled,
    unlabeled: Unlabeled,
    *,
    step: float = 0.1,
    gamma: float = 1.0,
    threshold: float = 0.0,
    rows_labeled: int | None = None,
    rows_unlabeled: int | None = None,
    shift: float = 1.0,
    unlabeled_weight: float = 1.0,
    realize: Realize | None = None,
) -> Booster:
    """Algorithm 1: agnostic boosting with unlabeled data, by the Huber potential.

    Parameters
    ----------
    step : float
        eta/gamma, how far a chosen hypothesis moves the margins. The Huber minimiser is H = E[y|x], so steps must
        be well below the signal: with weak signal take small steps and more rounds.
    gamma : float in (0, 1]
        The weak learner's edge; case-B steps have size gamma * step = eta.
    threshold : float
        tau: the edge below which a case-B step is taken.
    rows_labeled : int or None
        S, labeled rows drawn once; None for all.
    rows_unlabeled : int or None
        U, unlabeled rows drawn anew in each round; None for all of a finite table. It should not be less than S.
    shift : float >= 1
        C_X; other values than 1 make this Algorithm 3.
    unlabeled_weight : float in [0, 1]
        1 is the paper's algorithm; less estimates the psi part from labeled rows too (see
        :class:`~agnoboost.core.samplers.WithLabels`); 0 does without the unlabeled rows.
    realize : optional
        How batches reach the weak learner: ``fractional()`` (default), ``fractional(m)`` or ``bernoulli(m)``.
    """
    inner = Fresh(as_source(unlabeled, labeled=False), Huber(), rows_unlabeled)
    sampler = WithLabels(as_source(labeled, labeled=True), inner, shift, rows_labeled, unlabeled_weight)
    return Booster(sampler, FixedStep(step, gamma, threshold), realize or fractional())


def algorithm2(
    labeled: Labeled,
    unlabeled: Unlabeled,
    *,
    step: float = 0.1,
    gamma: float = 1.0,
    threshold: float = 0.0,
    rows_labeled: int | None = None,
    rows_unlabeled: int | None = None,
    decay: float | None = None,
    tolerance: float = 1e-3,
    unlabeled_weight: float = 1.0,
    realize: Realize | None = None,
) -> Booster:
    """Algorithm 2: unlabeled rows are reused across rounds, so that fewer are needed (pseudo-Huber potential).

    ``decay`` is the paper's sigma, by default eta/gamma = ``step``; ``tolerance`` bounds what forgetting old rows may
    change (see :class:`~agnoboost.core.samplers.Reuse`). The other parameters are those of :func:`algorithm1`.
    """
    rule = FixedStep(step, gamma, threshold)
    source = as_source(unlabeled, labeled=False)
    decay = min(step, 1.0) if decay is None else decay
    inner = Reuse(source, PseudoHuber(), rule.max_step, decay, rows_unlabeled, tolerance)
    sampler = WithLabels(as_source(labeled, labeled=True), inner, 1.0, rows_labeled, unlabeled_weight)
    return Booster(sampler, rule, realize or fractional())


def algorithm3(labeled: Labeled, unlabeled: Unlabeled, *, shift: float, **settings: Any) -> Booster:
    """Algorithm 3: unlabeled rows from another distribution Q, with dD_X/dQ at most ``shift``.

    It is :func:`algorithm1` with the psi part of the potential taken ``shift`` times. Overestimating the shift is free
    if ``step`` is scaled by 1/shift.
    """
    return algorithm1(labeled, unlabeled, shift=shift, **settings)


def labeled_only(
    labeled: Labeled,
    *,
    step: float = 0.1,
    gamma: float = 1.0,
    threshold: float = 0.0,
    rows: int | None = None,
    realize: Realize | None = None,
) -> Booster:
    """The Huber potential on labeled rows alone: what Algorithm 1 must beat for unlabeled data to pay.

    ``rows`` labeled rows are drawn in each round; None takes all of them, as Algorithm 1 does.
    """
    sampler = Fresh(as_source(labeled, labeled=True), Huber(), rows)
    return Booster(sampler, FixedStep(step, gamma, threshold), realize or fractional())


def pab(
    labeled: tuple[npt.ArrayLike, npt.ArrayLike] | Source,
    *,
    rows: int,
    rate: float = 1.0,
    threshold: float = 0.0,
    realize: Realize | None = None,
) -> Booster:
    """PAB (Kanade and Kalai, 2009): Madaboost potential, ``rows`` labeled rows a round that are never used again.

    ``booster.max_rounds`` says for how many rounds the labels last.
    """
    sampler = Fresh(_one_pass(labeled), Madaboost(), rows)
    return Booster(sampler, EdgeStep(rate, threshold), realize or fractional())


def ghai_singh_2024(
    labeled: tuple[npt.ArrayLike, npt.ArrayLike] | Source,
    *,
    rows: int,
    decay: float = 0.25,
    rate: float = 1.0,
    step: float | None = None,
    gamma: float = 1.0,
    threshold: float = 0.0,
    tolerance: float = 1e-3,
    realize: Realize | None = None,
) -> Booster:
    """GS24 (Ghai and Singh, 2024): ``rows`` new labeled rows a round, old ones reused with decaying mass.

    Steps are proportional to the edge (``rate``), as in its experiments, or fixed if ``step`` is given, as in its
    theory. ``decay`` is its sigma, taken from {.1, .25, .5} in its experiments.
    """
    rule: Rule = EdgeStep(rate, threshold) if step is None else FixedStep(step, gamma, threshold)
    sampler = Reuse(_one_pass(labeled), GhaiSingh(), rule.max_step, decay, rows, tolerance)
    return Booster(sampler, rule, realize or fractional())


def _one_pass(labeled: Labeled) -> Source:
    """One-pass labels from a pair; a source given by the user is taken at his word."""
    if isinstance(labeled, tuple):
        return OnePass(*labeled)
    return as_source(labeled, labeled=True)


@dataclass(frozen=True)
class Recipe:
    """What is known of a named algorithm; calling it makes the booster.

    Attributes
    ----------
    title : its name in print
    origin : where it is from
    make : the function
    uses_unlabeled : whether it learns from unlabeled rows
    needs_hard_labels : whether labels must be -1 or +1 (its potential is not linear in them)
    uses_labels_once : whether no label serves two rounds; such algorithms take no weights
    takes_shift : whether it has a bound on covariate shift
    for_tables : whether AgnosticBoostingClassifier offers it by name
    """

    title: str
    origin: str
    make: Callable[..., Booster]
    uses_unlabeled: bool = False
    needs_hard_labels: bool = False
    uses_labels_once: bool = False
    takes_shift: bool = False
    for_tables: bool = True

    def __call__(self, *data: Any, **settings: Any) -> Booster:
        return self.make(*data, **settings)


_PAPER = "Ghai and Singh, 2025"
RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
        "algorithm1": Recipe("Algorithm 1", _PAPER, algorithm1, uses_unlabeled=True),
        "algorithm2": Recipe("Algorithm 2", _PAPER, algorithm2, uses_unlabeled=True),
        "algorithm3": Recipe("Algorithm 3", _PAPER, algorithm3, uses_unlabeled=True, takes_shift=True),
        # The estimator has it as unlabeled_weight=0.
        "labeled_only": Recipe(
            "labeled-only boosting", "Huber, without unlabeled rows", labeled_only, for_tables=False
        ),
        "pab": Recipe("PAB", "Kanade and Kalai, 2009", pab, needs_hard_labels=True, uses_labels_once=True),
        "gs24": Recipe("GS24", "Ghai and Singh, 2024", ghai_singh_2024, needs_hard_labels=True, uses_labels_once=True),
    }
)
