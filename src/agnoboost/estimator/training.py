"""What happens inside ``fit``: choose the number of rounds and the weight of unlabeled rows, then train on all labels.

A problem with k > 2 classes is k problems of one class against the rest, over the same rows and bins. Choices are
made on labeled rows that the run in question has not seen: each of several folds in turn, or validation rows given
by the user. The criterion is the held-out potential psi(H) - y*H, which is smoother than the error and, like it, is
estimated without bias from noisy labels; with few labels the error alone is too coarse to choose by.

A choice that departs from the usual (a total step of 1.2, no unlabeled rows) must lower the held-out potential by more
than two standard errors of the difference, row by row: otherwise the noise of choosing would cost more than it brings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.parallel import Parallel, delayed

from .._typing import Floats, Ints, Matrix
from ..boosting import Booster, Run, boost
from ..callbacks import Callback
from ..history import History, Progress
from ..learners import HistogramStumpLearner, HistogramTreeLearner, WeakLearner
from ..many import boost_many
from ..potentials import Huber
from ..sources import Pool
from ..tape import Margins, Tape

SHARES = (0.0, 0.5, 1.0)  # what unlabeled_weight="auto" chooses from; the first one needs no evidence
FEWEST_LABELS = 100  # validation_fraction="auto" holds nothing out below this
CHOICE_ROWS = 1000  # unlabeled rows that suffice to choose by
EVIDENCE = 2.0  # standard errors by which a departure from the usual must win
PATIENCE = 40  # rounds without a new low of the held-out potential, after which a run is cut short


@dataclass(frozen=True)
class Data:
    """Rows of a training set: ``codes`` are class numbers 0..k-1, weights are relative."""

    X: Matrix
    codes: Ints
    weight: Floats
    unlabeled: Pool | None = None

    @property
    def label_count(self) -> float:
        """How many labels there are: a row of weight 2 counts as two, and fractions of a row as no less than one."""
        return max(float(len(self.codes)), float(self.weight.sum()))

    def take(self, rows: Ints) -> Data:
        return replace(self, X=self.X[rows], codes=self.codes[rows], weight=self.weight[rows])

    def with_fewer_unlabeled(self, seed: int) -> Data:
        """Enough unlabeled rows to choose by, drawn at random; the final run uses all of them."""
        most = max(CHOICE_ROWS, 4 * len(self.codes))
        if self.unlabeled is None or len(self.unlabeled) <= most:
            return self
        rows = np.random.default_rng(seed).choice(len(self.unlabeled), most, replace=False)
        return replace(self, unlabeled=Pool(self.unlabeled.X[rows], mass=self.unlabeled.mass[rows]))


def stretch(share: float, shift: float) -> float:
    """By how much steps are made smaller, and margins larger afterwards, under covariate shift.

    The psi part of the potential then weighs share * shift + (1 - share), and margins settle at E[y|x] divided by that.
    Steps that are smaller by the same factor make an overestimated shift free, and margins that are stretched back are
    on the scale of E[y|x] again.
    """
    return 1.0 + share * (shift - 1.0)


def relative_edge(share: float, shift: float) -> float:
    """How large edges are under covariate shift, against those without: labeled rows have a smaller part in a batch.

    It is the ratio of :attr:`agnoboost.samplers.WithLabels.scale` for both; thresholds on edges shrink with it.
    """
    return 2.0 / (2.0 + share * (shift - 1.0))


class HeldOutPotential:
    """A callback that keeps the potential on held-out rows after 0, 1, ... rounds, and stops when it falls no more."""

    def __init__(self, X: Matrix, y: Floats, weight: Floats, least: int, stretch: float = 1.0):
        self._X, self._y, self._mass = X, y, weight / weight.sum()
        self._stretch = stretch
        self._least = least  # rounds that are run in any case
        self._margins = Margins()
        self.curve = [0.0]  # H_1 = 0

    def __call__(self, progress: Progress, /) -> bool:
        values = Huber().value(self._stretch * self._margins.at(progress.tape, self._X), self._y)
        self.curve.append(float(np.sum(self._mass * values)))
        rounds = len(self.curve) - 1
        return rounds >= self._least and rounds - int(np.argmin(self.curve)) >= PATIENCE


# (labeled rows, unlabeled rows or None, unlabeled_weight) -> Booster
MakeBooster = Callable[[Pool, "Pool | None", float], Booster]


Checkpointing = dict[str, Any]  # arguments of boost


@dataclass(frozen=True)
class Task:
    """Rows to train on, with a weight for the unlabeled ones, and rows to judge by."""

    data: Data
    share: float
    held_out: Data


@dataclass(frozen=True)
class Trainer:
    """Runs boosters for every class."""

    make: MakeBooster
    learner: WeakLearner
    rounds: int  # the most
    usual_rounds: int  # what is used unless held-out labels speak clearly for another number
    classes: int
    seed: int
    shift: float = 1.0

    def targets(self, codes: Ints) -> list[Floats]:
        """Labels in {-1, +1} of each one-against-rest problem; a single one for two classes."""
        wanted = [1] if self.classes == 2 else list(range(self.classes))
        return [np.where(codes == k, 1.0, -1.0) for k in wanted]

    def boosters(self, data: Data, share: float) -> list[Booster]:
        """One booster for each class."""
        return [self.make(Pool(data.X, y, data.weight), data.unlabeled, share) for y in self.targets(data.codes)]

    def run(
        self, data: Data, share: float, rounds: int, callbacks: tuple[Callback, ...], checkpoints: list[Checkpointing]
    ) -> list[Run]:
        """One run for each class, all with the same seed and callbacks."""
        runs: list[Run] = []
        boosters = self.boosters(data, share)
        for booster, saving in zip(boosters, checkpoints, strict=True):
            length = _lasting(booster, rounds)
            learner = self.learner_for(share)
            runs.append(boost(booster, learner, rounds=length, rng=self.seed, callbacks=callbacks, **saving))
            if runs[-1].interrupted and len(runs) < len(boosters):
                raise KeyboardInterrupt  # a model needs all its classes
        return runs

    def learner_for(self, share: float) -> WeakLearner:
        """The weak learner; what a split must gain is on the scale of the edges."""
        factor = relative_edge(share, self.shift)
        if factor == 1.0 or not isinstance(self.learner, (HistogramStumpLearner, HistogramTreeLearner)):
            return self.learner
        return replace(self.learner, min_gain=factor * self.learner.min_gain)

    def tapes(self, runs: list[Run], share: float) -> list[Tape]:
        """The ensembles, on the scale of E[y|x]."""
        return [run.tape.stretched(stretch(share, self.shift)) for run in runs]

    def watched(self, task: Task) -> tuple[list[Tape], Floats]:
        """Tapes trained on some rows, and the potential on others after each round, summed over the classes."""
        return self._watched([task], 1)[0]

    def all_watched(self, tasks: list[Task], n_jobs: int | None) -> list[tuple[list[Tape], Floats]]:
        """:meth:`watched` for many tasks: in threads with the stump engine, in processes with other weak learners."""
        if isinstance(self.learner, HistogramStumpLearner) and self.shift == 1.0:
            return self._watched(tasks, effective_n_jobs(n_jobs))
        return list(Parallel(n_jobs=n_jobs)(delayed(self.watched)(task) for task in tasks))

    def _watched(self, tasks: list[Task], n_jobs: int) -> list[tuple[list[Tape], Floats]]:
        """Several tasks at once need the same weak learner."""
        boosters = [booster for task in tasks for booster in self.boosters(task.data, task.share)]
        watchers = [
            HeldOutPotential(
                task.held_out.X, y, task.held_out.weight, self.usual_rounds, stretch(task.share, self.shift)
            )
            for task in tasks
            for y in self.targets(task.held_out.codes)
        ]
        runs = boost_many(
            boosters,
            self.learner_for(tasks[0].share),
            rounds=[_lasting(booster, self.rounds) for booster in boosters],
            rng=self.seed,
            callbacks=[(watcher,) for watcher in watchers],
            n_jobs=n_jobs,
        )
        if any(run.interrupted for run in runs):
            raise KeyboardInterrupt  # half a choice is none
        found = []
        each = len(boosters) // len(tasks)
        for first in range(0, len(boosters), each):
            curves = _level_out([watcher.curve for watcher in watchers[first : first + each]])
            share = tasks[first // each].share
            found.append((self.tapes(runs[first : first + each], share), np.sum(curves, axis=0)))
        return found


def _lasting(booster: Booster, rounds: int) -> int:
    """As many rounds as the data last for."""
    return rounds if booster.max_rounds is None else min(rounds, booster.max_rounds)


def _level_out(curves: list[list[float]]) -> Floats:
    """Curves of different length, continued by their last value."""
    longest = max(map(len, curves))
    return np.array([curve + [curve[-1]] * (longest - len(curve)) for curve in curves])


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
    """``runs`` has the rounds of each class (one entry for two classes); ``choice`` says what was chosen and why.

    ``engines`` says how each run was done (see :attr:`agnoboost.Run.engine`).
    """

    runs: list[History]
    choice: Choice
    engines: list[str]


def choose_on(trainer: Trainer, data: Data, validation: Data, shares: tuple[float, ...]) -> Choice:
    """Choose on rows that were given for validation."""
    candidates = []
    for share in shares:
        tapes, curve = trainer.watched(Task(data, share, validation))

        def held_out(rounds: int, tapes: list[Tape] = tapes) -> HeldOut:
            return HeldOut(_margins(tapes, rounds, validation.X), validation.codes, validation.weight)

        candidates.append(_candidate(trainer, share, curve, held_out))
    return _pick(trainer, candidates, f"{len(validation.codes)} validation rows")


def cross_choose(
    trainer: Trainer, data: Data, folds: int, shares: tuple[float, ...], n_jobs: int | None = None
) -> Choice:
    """Choose by cross-validation over the labeled rows; unlabeled rows serve every fold."""
    splits = list(StratifiedKFold(folds, shuffle=True, random_state=trainer.seed).split(data.X, data.codes))
    parts = [(data.take(train), data.take(test)) for train, test in splits]
    found = trainer.all_watched([Task(train, share, test) for share in shares for train, test in parts], n_jobs)
    candidates = []
    for place, share in enumerate(shares):
        own = found[place * folds : (place + 1) * folds]
        curve = _level_out([list(part) for _, part in own]).mean(axis=0)

        def held_out(rounds: int, own: list[tuple[list[Tape], Floats]] = own) -> HeldOut:
            margins = np.empty((len(data.codes), len(trainer.targets(data.codes))))
            for (tapes, _), (_, test) in zip(own, splits, strict=True):
                margins[test] = _margins(tapes, rounds, data.X[test])
            return HeldOut(margins, data.codes, data.weight)

        candidates.append(_candidate(trainer, share, curve, held_out))
    return _pick(trainer, candidates, f"{folds}-fold cross-validation over {len(data.codes)} labeled rows")


def folds_for(fraction: Any, labels_a_class: Ints) -> int:
    """The number of folds for a validation fraction; 0 for no validation."""
    fewest, total = int(labels_a_class.min()), int(labels_a_class.sum())
    if fraction == "auto":
        return 5 if total >= FEWEST_LABELS and fewest >= 5 else 0
    if not fraction or fewest < 2:
        return 0
    return min(max(2, round(1.0 / float(fraction))), fewest)


def _margins(tapes: list[Tape], rounds: int, X: Matrix) -> Floats:
    return np.column_stack([tape.prefix(min(rounds, len(tape))).margin(X) for tape in tapes])


def _candidate(trainer: Trainer, share: float, curve: Floats, held_out: Callable[[int], HeldOut]) -> Choice:
    """The usual number of rounds, unless the one of the lowest loss is clearly better."""
    usual = min(trainer.usual_rounds, len(curve) - 1)
    lowest = max(int(np.argmin(curve)), 1)  # a model that has learned nothing helps nobody
    at_usual, at_lowest = held_out(usual), held_out(lowest)
    gain, error = _gain(trainer, at_usual, at_lowest)
    rounds, kept = (lowest, at_lowest) if gain > EVIDENCE * error else (usual, at_usual)
    return Choice(rounds, share, "", {share: curve}, kept)


def _pick(trainer: Trainer, candidates: list[Choice], where: str) -> Choice:
    """The first candidate, unless another one is clearly better."""
    first = candidates[0].held_out
    assert first is not None
    best, best_gain = 0, 0.0
    for place, candidate in enumerate(candidates[1:], start=1):
        assert candidate.held_out is not None
        gain, error = _gain(trainer, first, candidate.held_out)
        if gain > EVIDENCE * error and gain > best_gain:
            best, best_gain = place, gain
    reason = f"by held-out potential in {where}; the usual {trainer.usual_rounds} rounds"
    if len(candidates) > 1:
        tried = ", ".join(f"{c.unlabeled_weight:g}: {c.losses[c.unlabeled_weight].min():.4f}" for c in candidates)
        reason += f" and no unlabeled rows unless clearly worse (lowest by unlabeled_weight {tried})"
    else:
        reason += " unless clearly worse"
    merged = {share: curve for candidate in candidates for share, curve in candidate.losses.items()}
    return replace(candidates[best], reason=reason, losses=merged)


def _gain(trainer: Trainer, usual: HeldOut, other: HeldOut) -> tuple[float, float]:
    """By how much the other margins lower the held-out potential, and the standard error of that."""
    targets = np.column_stack(trainer.targets(usual.codes))
    difference = (Huber().value(usual.margins, targets) - Huber().value(other.margins, targets)).sum(axis=1)
    mass = usual.weight / usual.weight.sum()
    mean = float(np.sum(mass * difference))
    return mean, float(np.sqrt(np.sum(mass**2 * (difference - mean) ** 2)))
