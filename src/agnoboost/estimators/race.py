"""The race of unlabeled weights on held-out labels: no fold of a weight is run once the weight cannot win.

The first weight is run on all folds. The others are tried only where the judges are numerous enough, or where the first
has learned nothing that shows; on two folds at first: a weight goes on to the other folds only if it could still win by
two standard errors there. Errors of the gradient are about quadratic in the weight, so that a weight that is given up
takes those beyond it along.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt

import numpy as np
from sklearn.model_selection import StratifiedKFold

from ..basics.typing import Floats, Ints
from .data import Data
from .held_out_choice import EVIDENCE, Choice, Task, Trained, Watcher, candidate, gain, level_out, pick
from .population import folds_of, judges_of, some_of
from .threshold import HeldOut

HEAT = 2  # folds by which a weight shows whether it can win
JUDGES = 4000  # held-out labels that suffice; further folds are not run
# A model whose margins are off by e less, under labels with a standard deviation of s given x, gains about e*d by a
# difference of d in its margins, with an error of s*d for each label: two standard errors are reached from (2s/e)^2
# labels on. With fewer than these, e would have to be more than a tenth of s, and no weight takes that much away.
FEWEST_TO_COMPARE = 400


@dataclass(frozen=True)
class Part:
    """Rows to train on, and the numbers of the judges that they leave out."""

    train: Data
    judges: Ints


def choose_on(trainer: Watcher, data: Data, validation: Data, shares: tuple[float, ...]) -> Choice:
    """Choose on rows that were given for validation."""
    parts = [Part(data, np.arange(len(validation.codes)))]
    return Race(trainer, validation, parts, None).winner(shares, f"{len(validation.codes)} validation rows")


def cross_choose(
    trainer: Watcher, data: Data, folds: int, shares: tuple[float, ...], n_jobs: int | None = None
) -> Choice:
    """Choose by cross-validation over the labeled rows; unlabeled rows serve every fold."""
    splits = list(StratifiedKFold(folds, shuffle=True, random_state=trainer.seed).split(data.X, data.codes))
    run = min(folds, ceil(folds * JUDGES / len(data.codes)))
    where = f"{folds}-fold cross-validation over {len(data.codes)} labeled rows"
    if run < folds:
        where += f", of which {run} {'fold was' if run == 1 else 'folds were'} enough"
    parts = [Part(data.take(train), test) for train, test in splits[:run]]
    return Race(trainer, data, parts, n_jobs).winner(shares, where)


def cross_choose_population(trainer: Watcher, data: Data, folds: int, n_jobs: int | None = None) -> Choice:
    """Choose rounds by cross-validation over labeled *and* unlabeled rows, where psi comes from the latter."""
    assert data.unlabeled is not None
    labels, rows = int(data.label_count), len(data.unlabeled)
    most = max(JUDGES, 10 * labels)
    if rows > most:  # enough to choose by; the final run has all of them
        kept = np.random.default_rng(trainer.seed).permutation(rows) < most
        data = some_of(data, np.ones(labels, dtype=bool), kept)
    fold, parts = folds_of(data, folds, trainer.seed), []
    for number in range(folds):
        train = fold != number
        parts.append(Part(some_of(data, train[:labels], train[labels:]), np.flatnonzero(~train)))
    where = f"{folds}-fold cross-validation over {labels} labeled and {len(fold) - labels} unlabeled rows"
    return Race(trainer, judges_of(data), parts, n_jobs).winner((1.0,), where)


def learned(held_out: HeldOut) -> bool:
    """Whether margins are clearly better than none."""
    mean, error = gain(replace(held_out, margins=np.zeros_like(held_out.margins)), held_out)
    return mean > EVIDENCE * error


class Race:
    """Candidates, one for each weight, on parts of the same rows."""

    def __init__(self, trainer: Watcher, judges: Data, parts: Sequence[Part], n_jobs: int | None):
        self._trainer, self._judges, self._parts, self._n_jobs = trainer, judges, parts, n_jobs

    def winner(self, shares: tuple[float, ...], where: str) -> Choice:
        """The first weight, unless another one is clearly better; with the story of the race."""
        first = self._judged(shares[0], self._run(shares[0], self._parts))
        assert first.held_out is not None
        count = len(first.held_out.codes)
        found, story = [first], []
        comparable = count >= FEWEST_TO_COMPARE or not learned(first.held_out)
        for share in shares[1:] if comparable else ():
            entered, goes_on = self._entered(share, first)
            found.append(entered)
            if not goes_on:
                story.append(f"unlabeled weight {share:g} and beyond could not win after {HEAT} folds")
                break
        if len(shares) > 1 and not comparable:
            story.append(
                f"unlabeled rows left out: {count} labels cannot tell weights apart, {FEWEST_TO_COMPARE} might"
            )
        return pick(self._trainer, found, where, story)

    def _entered(self, share: float, first: Choice) -> tuple[Choice, bool]:
        """The candidate on all parts; on a few of them, and False, if it cannot win."""
        runs = self._run(share, self._parts[:HEAT])
        entered = self._judged(share, runs)
        rest = self._parts[HEAT:]
        if not rest:
            return entered, True
        assert first.held_out is not None
        assert entered.held_out is not None
        count, total = len(entered.held_out.codes), len(first.held_out.codes)
        mean, error = gain(first.held_out.first(count), entered.held_out)
        if mean + EVIDENCE * error <= EVIDENCE * error * sqrt(count / total):
            return entered, False
        return self._judged(share, [*runs, *self._run(share, rest)]), True

    def _run(self, share: float, parts: Sequence[Part]) -> list[tuple[Trained, Floats]]:
        tasks = [Task(part.train, share, self._judges.take(part.judges)) for part in parts]
        return list(self._trainer.all_watched(tasks, self._n_jobs))

    def _judged(self, share: float, runs: Sequence[tuple[Trained, Floats]]) -> Choice:
        parts = self._parts[: len(runs)]
        curve = level_out([list(part) for _, part in runs]).mean(axis=0)
        rows = self._judges.take(np.concatenate([part.judges for part in parts]))
        tables = [self._judges.X[part.judges] for part in parts]

        def judged(rounds: int) -> HeldOut:
            margins = [model.margins(rounds, table) for (model, _), table in zip(runs, tables, strict=True)]
            return HeldOut(np.concatenate(margins), rows.codes, rows.targets, rows.weight, rows.psi)

        return candidate(self._trainer, share, curve, judged)
