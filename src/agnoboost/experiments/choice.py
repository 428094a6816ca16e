"""Run every setting of a grid, choose setting and iterate on labeled rows, score the choice on the test rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._typing import Rng
from ..boosting import Booster, Run, Selection
from ..learners.base import WeakLearner
from ..many import boost_many
from .splits import Split


@dataclass(frozen=True)
class Chosen:
    """The best of a grid: its place there, its run, the iterate, and the accuracy on the test rows."""

    place: int
    run: Run
    selection: Selection
    accuracy: float


def best_of(
    boosters: Sequence[Booster], learner: WeakLearner, split: Split, *, rounds: Sequence[int], rng: Rng
) -> Chosen:
    """The run and the iterate that agree best with the rows that choose; the first among equals.

    Runs that need fresh labels stop when the labels are used up.
    """
    limits = [booster.max_rounds for booster in boosters]
    lengths = [most if limit is None else min(most, limit) for limit, most in zip(limits, rounds, strict=True)]
    runs = boost_many(boosters, learner, rounds=lengths, rng=rng.spawn(len(boosters)), n_jobs=1)
    choices = [run.select(*(split.chooser or split.labeled)) for run in runs]
    place = int(np.argmax([choice.scores.max() for choice in choices]))
    X, y = split.test
    return Chosen(place, runs[place], choices[place], float(np.mean(choices[place].predict(X) == y)))
