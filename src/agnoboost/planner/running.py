"""Plans, run: the booster that a plan describes, and the selection that its guarantee rests on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..basics.typing import Rng
from ..core.batch import Realize, fractional
from ..core.booster import Booster
from ..core.learners.base import WeakLearner
from ..core.recipes import RECIPES
from ..core.selection import Selection
from ..core.sources import Labeled, OnePass, Source, Unlabeled, as_source
from ..rounds import Run, boost
from .plan import Plan


@dataclass(frozen=True)
class PlannedBooster(Booster):
    """The booster of a plan, and the labeled source from which rows are set aside for the selection.

    Parameters
    ----------
    sampler : Sampler
        Where batches come from.
    rule : Rule
        How steps are taken.
    realize : Realize
        How batches are shown to the weak learner.
    plan : Plan
        What it was made from.
    labeled : Source
        Labels, for training and for the selection.
    """

    plan: Plan = field(kw_only=True)
    labeled: Source = field(kw_only=True)

    def run(self, learner: WeakLearner, rng: Rng | int | None = None, **settings: Any) -> tuple[Run, Selection]:
        """All of the algorithm: set S0 labeled rows aside, run T rounds on others, choose the iterate on the S0 rows.

        Parameters
        ----------
        learner : WeakLearner
            Of all rounds.
        rng : Generator, int or None
            Where chance comes from.
        **settings
            As in :func:`agnoboost.boost`: callbacks, engine, progress and so on.
        """
        rng = np.random.default_rng(rng)
        aside = self.labeled.draw(self.plan.S0, rng)
        done = boost(self, learner, rounds=self.plan.T, rng=rng, **settings)
        return done, done.select(aside.X, aside.y, aside.mass)


def from_plan(plan: Plan, labeled: Labeled, unlabeled: Unlabeled, *, realize: Realize | None = None) -> PlannedBooster:
    """The booster that a :class:`~agnoboost.planner.Plan` describes; its ``run`` does all that the guarantee needs.

    Parameters
    ----------
    plan : Plan
        From :func:`agnoboost.plan`.
    labeled : (X, y) or Source
        Each row of a pair is used once, so that there must be S + S0 of them; a source is taken at its word, and a
        :class:`~agnoboost.Pool` is a whole distribution.
    unlabeled : X or Source
        Unlabeled rows.
    realize : Realize, optional
        Fractional relabeling by default, which needs no draws; ``bernoulli(plan.m)`` is the literal pseudo-code.

    Returns
    -------
    PlannedBooster
        With its ``run``.
    """
    if not isinstance(plan, Plan):
        raise ValueError(
            f"plan must be a Plan. Got {type(plan).__name__}. A HalfspacePlan has one: plan.inner; an RLPlan is for "
            "agnoboost.rl.PolicyBooster.from_plan."
        )
    source = OnePass(*labeled) if isinstance(labeled, tuple) else as_source(labeled, labeled=True)
    if source.remaining is not None and source.remaining < plan.total_labeled:
        raise ValueError(
            f"This plan needs {plan.total_labeled:,} labeled rows, {plan.S0:,} of them for the selection. Got "
            f"{source.remaining:,}. Plan for a larger epsilon; or pass Pool(X, y) if these rows are the whole "
            "distribution."
        )
    made = RECIPES[plan.recipe](source, unlabeled, realize=realize or fractional(), **plan.settings())
    return PlannedBooster(made.sampler, made.rule, made.realize, plan=plan, labeled=source)
