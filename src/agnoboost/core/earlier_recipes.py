"""The boosters before the paper, each a sampler and a rule; ``recipes`` has the paper's own, and the list of all."""

from __future__ import annotations

from math import log, sqrt

from ..basics.checks import check_between, check_count, check_gamma
from .batch import Realize, fractional, reweighted
from .booster import Booster
from .potentials import GhaiSingh, Huber, Madaboost, SmoothHinge
from .rules import AdaStep, EdgeStep, FixedStep, LargerStep, ProjectedStep, Rule, Vote
from .samplers import Fresh, FreshBelowPar, Reuse, WithLabels
from .sources import Labeled, OnePass, Source, Unlabeled, as_source


def kanade_kalai(
    labeled: Labeled,
    *,
    rows: int,
    rate: float = 1.0,
    realize: Realize | None = None,
) -> Booster:
    """PAB (Kanade and Kalai, 2009): the Madaboost potential, and labels that are never used again.

    The step goes along the weak hypothesis or along -sign(H), whichever has the larger correlation.
    ``booster.max_rounds`` says for how many rounds the labels last.

    Parameters
    ----------
    labeled : (X, y) or Source
        Labeled rows; y in {-1, +1}.
    rows : int
        New ones a round.
    rate : float, default=1.0
        How far to go for a correlation of 1.
    realize : Realize, optional
        How batches reach the weak learner: ``fractional()`` by default.

    Returns
    -------
    Booster
        For :func:`agnoboost.boost`.
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
    labeled : (X, y) or Source
        Labeled rows; y in {-1, +1}.
    unlabeled : X or Source, optional
        With it, the part of the target that needs no label is estimated from these rows, as in Algorithm 1. (Ours: the
        original learns from labeled rows alone.)
    step : float, default=0.1
        How far a hypothesis moves the margins.
    threshold : float, default=0.0
        The edge at or below which margins shrink.
    rows : int or None
        Labeled rows: new ones in each round, or with ``unlabeled`` drawn once; None takes all in every round.
    rows_unlabeled : int or None
        Unlabeled rows a round; None for all of a finite table.
    realize : Realize, optional
        How batches reach the weak learner: ``fractional()`` by default.

    Returns
    -------
    Booster
        For :func:`agnoboost.boost`.
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
    labels do not allow: a baseline, not an agnostic booster.

    Parameters
    ----------
    labeled : (X, y) or Source
        Labeled rows; y in {-1, +1}.
    gamma : float in (0, 0.5], default=0.1
        Half of the weak learner's correlation.
    par : float, optional
        Its theta, by default gamma/(2 + gamma).

    Returns
    -------
    Booster
        For :func:`agnoboost.boost`.
    """
    check_between(gamma, 0.0, 0.5, "gamma")
    par = gamma / (2.0 + gamma) if par is None else par
    potential = Madaboost(-log(1.0 - gamma) / 2.0)
    return Booster(FreshBelowPar(as_source(labeled, labeled=True), potential, None, par), Vote(), reweighted())


def madaboost(labeled: Labeled) -> Booster:
    """MadaBoost (Domingo and Watanabe, 2000): AdaBoost with weights of at most 1. A baseline, no agnostic booster.

    Parameters
    ----------
    labeled : (X, y) or Source
        Labeled rows; y in {-1, +1}.

    Returns
    -------
    Booster
        For :func:`agnoboost.boost`.
    """
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
    p * (y h(x)/gamma - 1); here it is lazy gradient descent. The mean vote over gamma, clipped at [-1, 1], is the mean
    label of a randomised classifier whose correlation is within (1 + 1/gamma)/sqrt(rounds) of the best, plus the weak
    learner's error over gamma; it is the margin of ``run.tape.stretched((1 + 1/gamma)/sqrt(rounds))``. Predictions by
    its sign are beyond the theorem.

    Parameters
    ----------
    labeled : (X, y) or Source
        Labeled rows; y in {-1, +1}.
    rounds : int
        For how many rounds the steps are set, as the regret bound suggests: run it for just as many.
    gamma : float in (0, 1], default=1.0
        The weak learner's edge.
    rows : int or None
        Labeled rows a round that are never used again, as the theorem has it; None takes all of them in every round.
    realize : Realize, optional
        How batches reach the weak learner: ``fractional()`` by default.

    Returns
    -------
    Booster
        For :func:`agnoboost.boost`.
    """
    pace = 1.0 / ((1.0 + 1.0 / check_gamma(gamma)) * sqrt(check_count(rounds, "rounds")))
    sampler = FreshBelowPar(_new_or_all(labeled, rows), SmoothHinge(), rows, pace)
    return Booster(sampler, Vote(pace / gamma), realize or fractional())


def ghai_singh_2024(
    labeled: Labeled,
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
    """GS24 (Ghai and Singh, 2024): a few new labeled rows a round, old ones reused with decaying mass.

    Steps are in proportion to the edge, as in its experiments, or fixed if ``step`` is given, as in its theory.

    Parameters
    ----------
    labeled : (X, y) or Source
        Labeled rows; y in {-1, +1}.
    rows : int
        New ones a round.
    decay : float in (0, 1], default=0.25
        Its sigma; its experiments try .1, .25 and .5.
    rate : float, default=1.0
        How far to go for a derivative of 1 of the potential, whatever ``decay`` is.
    step : float, optional
        A fixed step instead.
    gamma : float in (0, 1], default=1.0
        With fixed steps: the weak learner's edge; steps back have size gamma * step.
    threshold : float, default=0.0
        The edge at or below which margins shrink.
    tolerance : float, default=0.001
        What forgetting old rows may change (see :class:`~agnoboost.core.samplers.Reuse`).
    realize : Realize, optional
        How batches reach the weak learner: ``fractional()`` by default.

    Returns
    -------
    Booster
        For :func:`agnoboost.boost`.
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
