"""Agnostic boosting by way of the realizable case: relabel, boost, filter by margins, validate.

After da Cunha, Hogsgaard, Paudice and Sun (2025), whose algorithm goes through every labeling of a sample: it settles
how many labels are needed, not how to compute. Here the labelings are those of a reference class that can be written
down.
The text of that paper was not at hand; see docs/family.md for what this was put together from, and how sure it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..basics.checks import as_labels, as_matrix, check_between, check_count
from ..basics.typing import Floats, Ints, Matrix, Rng
from ..core.earlier_recipes import smooth_boost
from ..core.learners.base import WeakLearner
from ..core.sources import Pool
from ..core.tape import Tape
from .boosting import boost

MOST_LABELINGS = 10_000


@dataclass(frozen=True)
class Relabeled:
    """The vote that was chosen, and what it was chosen from.

    Attributes
    ----------
    tape : Tape
        A plain vote: all hypotheses count the same.
    margin : float
        The level whose filter kept it.
    labelings : int
        How many there were.
    kept : int
        How many votes the filter left.
    correlation : float
        That of the chosen one with the labels that validated it.
    """

    tape: Tape
    margin: float
    labelings: int
    kept: int
    correlation: float

    def predict(self, X: npt.ArrayLike) -> Ints:
        """The majority of the votes, in {-1, +1}."""
        return self.tape.predict(X)


def boost_relabeled(
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    references: Callable[[Matrix], npt.ArrayLike],
    learner: WeakLearner,
    *,
    rounds: int,
    gamma: float = 0.1,
    margins: Sequence[float] = (0.0, 0.05, 0.1, 0.2),
    rng: Rng | int | None = None,
) -> Relabeled:
    """Compete with a reference class of which every function can be tried.

    The rows are split into thirds. On the first, the labels are replaced by those of each reference function in turn,
    which makes a problem that can be solved without error, and SmoothBoost solves it: a vote for every labeling. On the
    second, the vote with the fewest rows of margin at most theta is kept, for every theta in ``margins``. On the third,
    the best of these is chosen.

    Parameters
    ----------
    X, y : arrays of shape (rows, features) and (rows,)
        Rows and labels, in {-1, +1}.
    references : function
        Takes rows, returns an array of shape (functions, rows) of -1 and +1: what each function says of each row.
        Functions that agree on the first third are one labeling; there may be 10,000 of these.
    learner : WeakLearner
        Of SmoothBoost.
    rounds, gamma
        SmoothBoost's, for every labeling.
    margins : sequence of float in [0, 1)
        Levels of the filter, as shares of all votes.
    rng : Generator, int or None
        Splits the rows.

    Returns
    -------
    Relabeled
        The vote that was chosen.
    """
    rows, rng = as_matrix(X), np.random.default_rng(rng)
    labels = as_labels(y, len(rows))
    check_count(rounds, "rounds")
    levels = [check_between(level, 0.0, 1.0, "margins", open_low=False, open_high=True) for level in margins]
    if len(rows) < 3 or not levels:
        raise ValueError(f"At least 3 rows and a margin are needed. Got {len(rows)} rows and {len(levels)} margins.")
    first, second, third = np.array_split(rng.permutation(len(rows)), 3)
    votes = []
    for labeling in _labelings(references, rows[first]):
        run = boost(smooth_boost(Pool(rows[first], labeling), gamma=gamma), learner, rounds=rounds, rng=rng)
        if run.interrupted:  # some of the votes are of no use
            raise KeyboardInterrupt
        votes.append(run.tape)
    shares = [labels[second] * tape.margin(rows[second]) / rounds for tape in votes]
    # The filter: for each level the vote with the fewest rows at or below it; the first among equals.
    kept: dict[int, float] = {}
    for level in levels:
        kept.setdefault(int(np.argmin([np.mean(share <= level) for share in shares])), level)
    scores = {place: float(np.mean(labels[third] * votes[place].predict(rows[third]))) for place in kept}
    best = max(kept, key=lambda place: scores[place])
    return Relabeled(votes[best], kept[best], len(votes), len(kept), scores[best])


def _labelings(references: Callable[[Matrix], npt.ArrayLike], X: Matrix) -> Floats:
    """The different labelings of these rows by the reference class."""
    said = np.asarray(references(X), dtype=np.float64)
    if said.ndim != 2 or said.shape[1] != len(X) or not len(said) or not np.isin(said, (-1.0, 1.0)).all():
        raise ValueError(
            f"references must return -1 or +1 for each function and each of the {len(X)} rows. Got an array of shape "
            f"{said.shape}."
        )
    found = np.unique(said, axis=0)
    if len(found) > MOST_LABELINGS:
        raise ValueError(
            f"At most {MOST_LABELINGS:,} labelings can be gone through. Got {len(found):,}. Take fewer functions or "
            "rows, or a booster that does not enumerate them, such as agnoboost.algorithm1."
        )
    return found
