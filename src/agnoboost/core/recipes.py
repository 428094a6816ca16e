"""The named algorithms: each is a sampler and a rule, put together in a few lines.

Labeled data are a pair (X, y) with y in {-1, +1}, or a labeled source; unlabeled data are X or an unlabeled source.
All return a :class:`~agnoboost.rounds.boosting.Booster` for :func:`~agnoboost.rounds.boosting.boost`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, log, sqrt
from types import MappingProxyType
from typing import Any

import numpy.typing as npt

from ..basics.checks import check_between, check_count, check_gamma
from .batch import Realize, fractional, reweighted
from .booster import Booster
from .potentials import GhaiSingh, Huber, Madaboost, PseudoHuber, SmoothHinge
from .rules import AdaStep, EdgeStep, FixedStep, LargerStep, ProjectedStep, Rule, Vote
from .samplers import Fresh, FreshBelowPar, Reuse, WithLabels
from .sources import InPlace, OnePass, Pool, Source, as_source

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
    shift: float = 1.0,
    unlabeled_weight: float = 1.0,
    realize: Realize | None = None,
) -> Booster:
    """Algorithm 2: few new unlabeled rows a round, and the old ones again (pseudo-Huber potential).

    Parameters
    ----------
    rows_unlabeled : int or None
        U, new unlabeled rows a round. None takes ``decay`` times the rows of a finite table: rows fade within some
        1/decay rounds, so that about as many are at work in every round as the table has; they are drawn from a copy of
        a pool, and counted in the run's history. A one-pass source lasts for 1/decay rounds then. (With the whole table
        in every round there is nothing to reuse: the recursion gives what fresh rows give. ``Reuse`` itself allows it.)
    decay : float in (0, 1] or None
        The paper's sigma, by default eta/gamma = ``step``.
    tolerance : float
        What forgetting old rows may change (see :class:`~agnoboost.core.samplers.Reuse`).
    shift : float >= 1
        C_X, as in :func:`algorithm3`. Beyond the paper, which has no theorem for reuse under shift: the mixture weight
        is the same rule's, and correlations are still a fixed multiple of the derivative of Algorithm 3's potential.

    The other parameters are those of :func:`algorithm1`.
    """
    rule = FixedStep(step, gamma, threshold)
    source = as_source(unlabeled, labeled=False)
    decay = check_between(min(step, 1.0) if decay is None else decay, 0.0, 1.0, "decay")
    if rows_unlabeled is None and not source.endless:
        source, rows_unlabeled = _share_of(source, decay)
    inner = Reuse(source, PseudoHuber(), rule.max_step, decay, rows_unlabeled, tolerance)
    sampler = WithLabels(as_source(labeled, labeled=True), inner, shift, rows_labeled, unlabeled_weight)
    return Booster(sampler, rule, realize or fractional())


def _share_of(source: Source, share: float) -> tuple[Source, int | None]:
    """Rows a round: a share of a finite table, or of what a one-pass source has left."""
    if type(source) is Pool:  # another class may draw in its own way
        return (source, None) if share == 1.0 else (InPlace(source), ceil(share * len(source)))
    rows = source.remaining
    if rows is None and source.X is not None:
        rows = len(source.X)
    return source, None if rows is None else ceil(share * rows)


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


def kanade_kalai(
    labeled: Labeled,
    *,
    rows: int,
    rate: float = 1.0,
    realize: Realize | None = None,
) -> Booster:
    """PAB (Kanade and Kalai, 2009): Madaboost potential, ``rows`` labeled rows a round that are never used again.

    The step goes along the weak hypothesis or along -sign(H), whichever has the larger correlation, by ``rate`` times
    that correlation. ``booster.max_rounds`` says for how many rounds the labels last.
    """
    sampler = Fresh(_one_pass(labeled), Madaboost(), rows)
    return Booster(sampler, LargerStep(rate), realize or fractional())


pab = kanade_kalai  # its name in the later papers


def feldman_2009(
    labeled: Labeled,
    unlabeled: Unlabeled | None = None,
    *,
    step: float = 0.1,
    threshold: float = 0.0,
    rows: int | None = None,
    rows_unlabeled: int | None = None,
    realize: Realize | None = None,
) -> Booster:
    """Distribution-specific boosting (Feldman, 2009): targets (y - H)/2, then H <- clip(H + step * h, -1, 1).

    The projection keeps H in [-1, 1], where the Huber potential is (y - H)^2/2 up to a constant: this is projected
    gradient descent of the squared distance to the labels. As for -sign(H), where no hypothesis has an edge, see
    docs/family.md.

    Parameters
    ----------
    unlabeled : optional
        With it, the part of the target that needs no label is estimated from these rows, as in Algorithm 1. (Ours: the
        original learns from labeled rows alone.)
    rows : int or None
        Labeled rows: new ones in each round, or with ``unlabeled`` drawn once; None takes all in every round.
    """
    sampler: Fresh | WithLabels
    if unlabeled is None:
        sampler = Fresh(_new_or_all(labeled, rows), Huber(), rows)
    else:
        inner = Fresh(as_source(unlabeled, labeled=False), Huber(), rows_unlabeled)
        sampler = WithLabels(as_source(labeled, labeled=True), inner, rows=rows)
    return Booster(sampler, ProjectedStep(step, threshold), realize or fractional())


def smooth_boost(labeled: Labeled, *, gamma: float = 0.1, par: float | None = None) -> Booster:
    """SmoothBoost (Servedio, 2003): a booster for labels that some hypothesis explains, by weights that stay smooth.

    Rows weigh 1 until the votes for their label exceed ``par`` a round, then (1 - gamma)^(excess/2); all hypotheses
    count the same. It assumes a weak learner with a correlation of 2 * gamma on every reweighted sample, which noisy
    labels do not allow: a baseline, not an agnostic booster. ``par`` is its theta, by default gamma/(2 + gamma).
    """
    check_between(gamma, 0.0, 0.5, "gamma")
    par = gamma / (2.0 + gamma) if par is None else par
    potential = Madaboost(-log(1.0 - gamma) / 2.0)
    return Booster(FreshBelowPar(as_source(labeled, labeled=True), potential, None, par), Vote(), reweighted())


def madaboost(labeled: Labeled) -> Booster:
    """MadaBoost (Domingo and Watanabe, 2000): AdaBoost with weights of at most 1. A baseline, no agnostic booster."""
    return Booster(Fresh(as_source(labeled, labeled=True), Madaboost()), AdaStep(), reweighted())


def brukhim_2020(
    labeled: Labeled,
    *,
    rounds: int,
    gamma: float = 1.0,
    rows: int | None = None,
    realize: Realize | None = None,
) -> Booster:
    """Boosting by online convex optimisation (Brukhim, Chen, Hazan, Moran, 2020), statistical form.

    For every row an online learner chooses its weight p in [0, 1], round after round, against the losses
    p * (y h(x)/gamma - 1); here it is lazy gradient descent with the step that its regret bound suggests for ``rounds``
    rounds: run it for just as many. The mean vote over gamma, clipped at [-1, 1], is the mean label of a randomised
    classifier whose correlation is within (1 + 1/gamma)/sqrt(rounds) of the best, plus the weak learner's error over
    gamma; it is the margin of ``run.tape.stretched((1 + 1/gamma)/sqrt(rounds))``. Predictions by its sign are beyond
    the theorem.

    ``rows`` labeled rows a round are never used again, as the theorem has it; None takes all of them in every round.
    """
    pace = 1.0 / ((1.0 + 1.0 / check_gamma(gamma)) * sqrt(check_count(rounds, "rounds")))
    sampler = FreshBelowPar(_new_or_all(labeled, rows), SmoothHinge(), rows, pace)
    return Booster(sampler, Vote(pace / gamma), realize or fractional())


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

    Steps are in proportion to the edge (``rate`` times the derivative of the potential, whatever ``decay`` is), as in
    its experiments, or fixed if ``step`` is given, as in its theory. ``decay`` is its sigma; its experiments try .1,
    .25 and .5.
    """
    furthest = rate if step is None else step
    sampler = Reuse(_one_pass(labeled), GhaiSingh(), furthest, decay, rows, tolerance)
    rule: Rule
    rule = EdgeStep(rate, threshold, sampler.scale) if step is None else FixedStep(step, gamma, threshold)
    return Booster(sampler, rule, realize or fractional())


def _one_pass(labeled: Labeled) -> Source:
    """One-pass labels from a pair; a source given by the user is taken at his word."""
    if isinstance(labeled, tuple):
        return OnePass(*labeled)
    return as_source(labeled, labeled=True)


def _new_or_all(labeled: Labeled, rows: int | None) -> Source:
    """Labels for ``rows`` new ones a round, or all of them in every round."""
    return as_source(labeled, labeled=True) if rows is None else _one_pass(labeled)


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
    takes_shift : whether AgnosticBoostingClassifier's bound on covariate shift is for it
    has_threshold : whether an edge may be too small for a step along the hypothesis
    for_tables : whether AgnosticBoostingClassifier offers it by name
    """

    title: str
    origin: str
    make: Callable[..., Booster]
    uses_unlabeled: bool = False
    needs_hard_labels: bool = False
    uses_labels_once: bool = False
    takes_shift: bool = False
    has_threshold: bool = True
    for_tables: bool = True

    def __call__(self, *data: Any, **settings: Any) -> Booster:
        return self.make(*data, **settings)


_PAPER = "Ghai and Singh, 2025"
_LABELS_ALONE: dict[str, Any] = {"needs_hard_labels": True, "has_threshold": False, "for_tables": False}
RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
        "algorithm1": Recipe("Algorithm 1", _PAPER, algorithm1, uses_unlabeled=True),
        "algorithm2": Recipe("Algorithm 2", _PAPER, algorithm2, uses_unlabeled=True),
        "algorithm3": Recipe("Algorithm 3", _PAPER, algorithm3, uses_unlabeled=True, takes_shift=True),
        # The estimator has it as unlabeled_weight=0.
        "labeled_only": Recipe(
            "labeled-only boosting", "Huber, without unlabeled rows", labeled_only, for_tables=False
        ),
        "pab": Recipe(
            "PAB",
            "Kanade and Kalai, 2009",
            kanade_kalai,
            needs_hard_labels=True,
            uses_labels_once=True,
            has_threshold=False,
        ),
        "gs24": Recipe("GS24", "Ghai and Singh, 2024", ghai_singh_2024, needs_hard_labels=True, uses_labels_once=True),
        "feldman_2009": Recipe("Feldman's booster", "Feldman, 2009", feldman_2009, for_tables=False),
        "brukhim_2020": Recipe(
            "boosting by online optimisation",
            "Brukhim, Chen, Hazan, Moran, 2020",
            brukhim_2020,
            **_LABELS_ALONE,
        ),
        "smooth_boost": Recipe("SmoothBoost", "Servedio, 2003", smooth_boost, **_LABELS_ALONE),
        "madaboost": Recipe("MadaBoost", "Domingo and Watanabe, 2000", madaboost, **_LABELS_ALONE),
    }
)
