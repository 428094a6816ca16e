"""The named algorithms: each is a sampler and a rule, put together in a few lines.

Here are those of the paper, and the list of all; ``earlier_recipes`` has those before it. Labeled data are a pair
(X, y) with y in {-1, +1}, or a labeled source; unlabeled data are X or an unlabeled source. All return a
:class:`~agnoboost.Booster` for :func:`~agnoboost.boost`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from types import MappingProxyType
from typing import Any

from ..basics.checks import check_between
from .batch import Realize, fractional
from .booster import Booster
from .earlier_recipes import brukhim_2020, feldman_2009, ghai_singh_2024, kanade_kalai, madaboost, smooth_boost
from .potentials import Huber, PseudoHuber
from .rules import FixedStep
from .samplers import Fresh, Reuse, WithLabels
from .sources import InPlace, Labeled, Pool, Source, Unlabeled, as_source


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
    labeled : (X, y) or Source
        Labeled rows; y in {-1, +1}.
    unlabeled : X or Source
        Unlabeled rows.
    step : float
        eta/gamma, how far a chosen hypothesis moves the margins. The Huber minimiser is H = E[y|x], so steps must
        be well below the signal: with weak signal take small steps and more rounds.
    gamma : float in (0, 1]
        The weak learner's edge; case-B steps have size gamma * step = eta.
    threshold : float
        The paper's tau: the edge below which a case-B step is taken.
    rows_labeled : int or None
        S, labeled rows drawn once; None for all.
    rows_unlabeled : int or None
        U, unlabeled rows drawn anew in each round; None for all of a finite table. It should not be less than S.
    shift : float >= 1
        C_X; other values than 1 make this Algorithm 3.
    unlabeled_weight : float in [0, 1]
        With 1 it is the paper's algorithm; less estimates the psi part from labeled rows too (see
        :class:`~agnoboost.core.samplers.WithLabels`); 0 does without the unlabeled rows.
    realize : Realize, optional
        How batches reach the weak learner: ``fractional()`` (default), ``fractional(m)`` or ``bernoulli(m)``.

    Returns
    -------
    Booster
        For :func:`agnoboost.boost`.
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
    labeled, unlabeled, step, gamma, threshold, rows_labeled
        As for :func:`algorithm1`.
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
    unlabeled_weight, realize
        As for :func:`algorithm1`.

    Returns
    -------
    Booster
        For :func:`agnoboost.boost`.
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

    It is :func:`algorithm1` with the psi part of the potential taken ``shift`` times.

    Parameters
    ----------
    labeled, unlabeled
        As for :func:`algorithm1`.
    shift : float >= 1
        C_X. Overestimating it is free if ``step`` is scaled by 1/shift.
    **settings
        The others of :func:`algorithm1`.

    Returns
    -------
    Booster
        For :func:`agnoboost.boost`.
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

    Parameters
    ----------
    labeled, step, gamma, threshold
        As for :func:`algorithm1`.
    rows : int or None
        Labeled rows drawn in each round; None takes all of them, as Algorithm 1 does.
    realize : Realize, optional
        As for :func:`algorithm1`.

    Returns
    -------
    Booster
        For :func:`agnoboost.boost`.
    """
    sampler = Fresh(as_source(labeled, labeled=True), Huber(), rows)
    return Booster(sampler, FixedStep(step, gamma, threshold), realize or fractional())


@dataclass(frozen=True)
class Recipe:
    """What is known of a named algorithm; calling it makes the booster.

    Attributes
    ----------
    title : str
        Its name in print.
    origin : str
        Where it is from.
    make : callable
        The function.
    uses_unlabeled : bool
        Whether it learns from unlabeled rows.
    needs_hard_labels : bool
        Whether labels must be -1 or +1 (its potential is not linear in them).
    uses_labels_once : bool
        Whether no label serves two rounds; such algorithms take no weights.
    takes_shift : bool
        Whether AgnosticBoostingClassifier's bound on covariate shift is for it.
    has_threshold : bool
        Whether an edge may be too small for a step along the hypothesis.
    for_tables : bool
        Whether AgnosticBoostingClassifier offers it by name.
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
