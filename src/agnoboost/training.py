"""What happens inside ``fit``: choose the number of rounds and the weight of unlabeled rows, then train on all labels.

A problem with k > 2 classes is k problems of one class against the rest, over the same rows and bins. Choices are
made on labeled rows that the run in question has not seen: each of several folds in turn, or validation rows given
by the user. The criterion is the held-out potential psi(H) - y*H, which is smoother than the error and, like it, is
estimated without bias from noisy labels; with few labels the error alone is too coarse to choose by.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.parallel import Parallel, delayed

from ._typing import Floats, Ints, Matrix
from .boosting import Booster, Run, boost
from .callbacks import Callback
from .history import History
from .learners.base import WeakLearner
from .potentials import Huber
from .sources import Pool
from .tape import Margins, Tape

SHARES = (0.0, 0.5, 1.0)  # what unlabeled_weight="auto" chooses from
FEWEST_LABELS = 40  # validation_fraction="auto" holds nothing out below this


@dataclass(frozen=True)
class Data:
    """Rows of a training set: ``codes`` are class numbers 0..k-1, weights are relative."""

    X: Matrix
    codes: Ints
    weight: Floats
    unlabeled: Pool | None = None

    def take(self, rows: Ints) -> Data:
        return replace(self, X=self.X[rows], codes=self.codes[rows], weight=self.weight[rows])


# (labeled rows, unlabeled rows or None, unlabeled_weight) -> Booster
MakeBooster = Callable[[Pool, "Pool | None", float], Booster]


@dataclass(frozen=True)
class Trainer:
    """Runs boosters for every class."""

    make: MakeBooster
    learner: WeakLearner
    rounds: int
    classes: int
    seed: int

    def targets(self, codes: Ints) -> list[Floats]:
        """Labels in {-1, +1} of each one-against-rest problem; a single one for two classes."""
        wanted = [1] if self.classes == 2 else list(range(self.classes))
        return [np.where(codes == k, 1.0, -1.0) for k in wanted]

    def run(self, data: Data, share: float, rounds: int, callbacks: tuple[Callback, ...] = ()) -> list[Run]:
        """One run for each class, all with the same seed."""
        runs = []
        for y in self.targets(data.codes):
            booster = self.make(Pool(data.X, y, data.weight), data.unlabeled, share)
            limit = booster.max_rounds
            length = rounds if limit is None else min(rounds, limit)
            runs.append(boost(booster, self.learner, rounds=length, rng=self.seed, callbacks=callbacks))
        return runs

    def losses(self, tapes: list[Tape], data: Data) -> Floats:
        """Held-out potential after 0, 1, ... rounds, summed over the classes."""
        curves = [
            _staged_potential(tape, data.X, y, data.weight)
            for tape, y in zip(tapes, self.targets(data.codes), strict=True)
        ]
        return np.asarray(np.sum(curves, axis=0))


def _staged_potential(tape: Tape, X: Matrix, y: Floats, weight: Floats) -> Floats:
    huber, margins = Huber(), Margins()
    mass = weight / weight.sum()
    stages = (margins.at(tape.prefix(t), X) for t in range(len(tape) + 1))
    return np.array([np.sum(mass * huber.value(margin, y)) for margin in stages])


@dataclass(frozen=True)
class HeldOut:
    """Labeled rows with margins from runs that have not seen them (shape: rows, classes or 1)."""

    margins: Floats
    codes: Ints
    weight: Floats


@dataclass(frozen=True)
class Choice:
    """What was chosen and on what evidence.

    ``losses`` has the held-out curve of every unlabeled weight that was tried.
    """

    rounds: int
    unlabeled_weight: float
    reason: str
    losses: dict[float, Floats] = field(default_factory=dict)
    held_out: HeldOut | None = None


@dataclass(frozen=True)
class FitHistory:
    """``runs`` has the rounds of each class (one entry for two classes); ``choice`` says what was chosen and why."""

    runs: list[History]
    choice: Choice


def choose_on(trainer: Trainer, data: Data, validation: Data, shares: tuple[float, ...]) -> Choice:
    """Choose on rows that were given for validation."""
    tapes = {share: _tapes(trainer, data, share) for share in shares}
    losses = {share: trainer.losses(found, validation) for share, found in tapes.items()}
    choice = _best(losses, f"{len(validation.codes)} validation rows")
    margins = _margins(tapes[choice.unlabeled_weight], choice.rounds, validation.X)
    return replace(choice, held_out=HeldOut(margins, validation.codes, validation.weight))


def cross_choose(
    trainer: Trainer, data: Data, folds: int, shares: tuple[float, ...], n_jobs: int | None = None
) -> Choice:
    """Choose by cross-validation over the labeled rows; unlabeled rows serve every fold."""
    splits = list(StratifiedKFold(folds, shuffle=True, random_state=trainer.seed).split(data.X, data.codes))
    tasks = [(share, train) for share in shares for train, _ in splits]
    found = Parallel(n_jobs=n_jobs)(delayed(_tapes)(trainer, data.take(train), share) for share, train in tasks)
    tapes = {share: found[place * folds : (place + 1) * folds] for place, share in enumerate(shares)}
    losses = {
        share: _mean_curve([trainer.losses(t, data.take(test)) for t, (_, test) in zip(group, splits, strict=True)])
        for share, group in tapes.items()
    }
    choice = _best(losses, f"{folds}-fold cross-validation over {len(data.codes)} labeled rows")
    margins = np.empty((len(data.codes), len(trainer.targets(data.codes))))
    for fold_tapes, (_, test) in zip(tapes[choice.unlabeled_weight], splits, strict=True):
        margins[test] = _margins(fold_tapes, choice.rounds, data.X[test])
    return replace(choice, held_out=HeldOut(margins, data.codes, data.weight))


def no_choice(rounds: int, share: float, reason: str) -> Choice:
    """All rounds, for want of rows to choose on."""
    return Choice(rounds, share, reason)


def folds_for(fraction: Any, labels_a_class: Ints) -> int:
    """The number of folds for a validation fraction; 0 for no validation."""
    fewest, total = int(labels_a_class.min()), int(labels_a_class.sum())
    if fraction == "auto":
        return 5 if total >= FEWEST_LABELS and fewest >= 5 else 0
    if not fraction or fewest < 2:
        return 0
    return min(max(2, round(1.0 / float(fraction))), fewest)


def _tapes(trainer: Trainer, data: Data, share: float) -> list[Tape]:
    return [run.tape for run in trainer.run(data, share, trainer.rounds)]


def _margins(tapes: list[Tape], rounds: int, X: Matrix) -> Floats:
    return np.column_stack([tape.prefix(min(rounds, len(tape))).margin(X) for tape in tapes])


def _mean_curve(curves: list[Floats]) -> Floats:
    """One-pass algorithms may run out of labels earlier in one fold than in another."""
    length = min(map(len, curves))
    return np.asarray(np.mean([curve[:length] for curve in curves], axis=0))


def _best(losses: dict[float, Floats], where: str) -> Choice:
    """The lowest loss; ties go to the smaller share, then to fewer rounds."""
    best = min(losses, key=lambda share: (float(losses[share].min()), share))
    rounds = max(int(np.argmin(losses[best])), 1)  # a model that has learned nothing helps nobody
    reason = f"lowest held-out potential in {where}"
    if len(losses) > 1:
        tried = ", ".join(f"{share:g}: {curve.min():.4f}" for share, curve in losses.items())
        reason += f" (by unlabeled_weight: {tried})"
    return Choice(rounds, best, reason, losses)
