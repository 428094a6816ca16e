"""Run every setting of a grid, and choose setting and iterate on labeled rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agnoboost.basics.typing import Floats, Matrix, Rng
from agnoboost.core.booster import Booster
from agnoboost.core.learners.base import WeakLearner
from agnoboost.core.selection import Selection
from agnoboost.rounds.boosting import Run
from agnoboost.rounds.many import boost_many

from .splits import RowSplit


@dataclass(frozen=True)
class Chosen:
    """The best of a grid: its place there, its run, and the iterate."""

    place: int
    run: Run
    selection: Selection


def choose(
    boosters: Sequence[Booster],
    learner: WeakLearner,
    chooser: tuple[Matrix, Floats],
    *,
    rounds: Sequence[int],
    rng: Rng,
) -> Chosen:
    """The run and the iterate that agree best with the labels of ``chooser``; the first among equals.

    Runs that need fresh labels stop when the labels are used up.
    """
    limits = [booster.max_rounds for booster in boosters]
    lengths = [most if limit is None else min(most, limit) for limit, most in zip(limits, rounds, strict=True)]
    runs = boost_many(boosters, learner, rounds=lengths, rng=rng.spawn(len(boosters)), n_jobs=1)
    choices = [run.select(*chooser) for run in runs]
    place = int(np.argmax([choice.scores.max() for choice in choices]))
    return Chosen(place, runs[place], choices[place])


def best_of(
    boosters: Sequence[Booster], learner: WeakLearner, split: RowSplit, *, rounds: Sequence[int], rng: Rng
) -> tuple[Chosen, float]:
    """The best of a grid by the labeled rows of a split that choose, and its accuracy on the test rows."""
    best = choose(boosters, learner, split.chooser or split.labeled, rounds=rounds, rng=rng)
    X, y = split.test
    return best, float(np.mean(best.selection.predict(X) == y))
