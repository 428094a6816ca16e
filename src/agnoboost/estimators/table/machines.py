"""Machine labels beside gold ones.

A machine has a *student*: a model of what it says, learned from rows that have no gold label. So the student knows
nothing of the gold ones, and these can tell what it is worth: log-odds a + b*f(x) by logistic regression, in which a
takes away a bias towards a class, and b is 0 for a machine that guesses, and negative for one that is mistaken as a
rule. The model of the gold labels alone and the students are then weighed like members, by gold rows that each has not
seen. A sum of blends is a blend: nothing else in a model changes.

A student that cannot tell what its machine says of rows left out has learned nothing but noise, however well noise
agrees with a few gold labels. It takes no part. No gold label is needed to see that. Nor does a student take part of
which gold labels do not show that it goes with them, or against them: it may have learned the answer to something else.

This way and its constants were chosen among some forty on a few draws of the development tables, all but what a student
must foresee, of its machine and of the gold labels. That was added when draws of the reporting ones had shown what
useless machines cost, and chosen on the development tables, too. docs/machine_labels.md says what the others were, and
where one of them was ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import solve
from scipy.special import expit
from scipy.stats import rankdata

from ...basics.content_luck import scrambled
from ...basics.typing import Floats, Ints
from ...basics.user_warnings import tell
from ...labels.machine import MachineLabels, MachineLeftOutWarning
from ..data import Data
from .blending import doubted, joining_weights, slope
from .members import BINS
from .model import Blend, TableModel, summed
from .terms import Terms
from .training import Training

FOLDS = 10  # of gold rows, by which a student is judged
DOUBTS = np.array([0.5, 1.0])  # how many rows say that a is 0, and that b is
FEWEST = 20  # machine labels from which a student can learn
FORESEEN = 5.0  # standard errors by which a student must foresee what its machine says; coins reach 4
TOLD = 2.0  # and by which gold labels must go with what it says, or against it
TELLING = 0.2  # rank correlation with gold labels that will do as well: few of them can hardly tell more
MACHINES_SHARE = 0.75  # of the weights, which all machines are expected to have together
EXPECTED_ROWS = 5.0  # what that is worth: gold labels soon know better


@dataclass(frozen=True)
class Student:
    """A model of a machine, and its log-odds of the units of the gold rows (shape: units, problems)."""

    name: str
    model: TableModel
    said: Floats


@dataclass(frozen=True)
class Joined:
    """A model of gold and machine labels.

    ``unseen`` are margins of the units of the gold rows by what has not seen them (shape: units, problems).
    ``gold_only`` and ``together`` are log-odds of the same rows by gold labels alone and by the whole, of which the
    weights have not seen the row either: they are there to be compared. ``shares`` says by name how much of the moves
    of the log-odds comes from a machine, ``lines`` how its student's log-odds are taken (the b of each problem). One
    that gold labels do not show to be of use has lines of 0, and no share; one that has learned nothing is in neither.
    ``fold`` is the part of each unit of the gold rows: its weights come from the other parts.
    """

    model: TableModel
    unseen: Floats
    gold_only: Floats
    together: Floats
    shares: dict[str, float]
    lines: dict[str, list[float]]
    fold: Ints


def join(training: Training, machines: Sequence[MachineLabels], names: Callable[[int], tuple[str, ...]]) -> Joined:
    """The model of ``training``'s gold labels and of all machines that say something.

    ``names`` are the members for a number of rows.
    """
    students = _students(training, machines, names)
    spread = training.spread(0)
    useless = {
        one.name: [0.0] * len(one.model.blends) for one in students if not goes_with_gold(one, training.terms, spread)
    }
    students = [one for one in students if one.name not in useless]
    if not students:
        return replace(_without_students(training), lines=useless)
    columns = students[0].model.coder, students[0].model.scores
    gold = replace(training, columns=columns)
    model = gold.run()
    alone = gold.unseen * model.slopes
    fold = _folds(training)
    joined = [
        _join(blend, alone[:, problem], students, gold, problem, fold) for problem, blend in enumerate(model.blends)
    ]
    shares = np.mean([one.shares for one in joined], axis=0)
    return Joined(
        replace(model, blends=[one.blend for one in joined]),
        np.column_stack([one.unseen for one in joined]),
        np.column_stack([one.gold_only for one in joined]),
        np.column_stack([one.together for one in joined]),
        {one.name: float(share) for one, share in zip(students, shares, strict=True)},
        useless | {one.name: [problem.lines[place] for problem in joined] for place, one in enumerate(students)},
        fold,
    )


def _students(
    training: Training, machines: Sequence[MachineLabels], names: Callable[[int], tuple[str, ...]]
) -> list[Student]:
    """Those that have learned something of their machines; on the same bins and ranks, so that they can be added up."""
    taught = [(machine.name, lessons(training.data, machine)) for machine in machines]  # errors come before any work
    any_taught = any(data is not None for _, data in taught)
    silents = {machine.name for machine in machines if not machine.known.all()}
    columns = training.placed(BINS) if any_taught else None
    found = []
    for name, data in taught:
        training.say(f"student of {name}")
        if data is None:
            silent = " (if its silence means another class, write that one there)" if name in silents else ""
            _leave_out(f"{name} says the same of all rows without a label in y{silent}")
            continue
        terms = Terms.of(data)
        work = replace(training, data=data, terms=terms, names=names(len(terms.keys)), columns=columns, say=_silent)
        model = work.run()
        if not foresees(work.unseen, terms):
            _leave_out(f"nothing shows that what {name} says of a row can be foreseen from its columns")
            continue
        found.append(Student(name, model, model.margins(training.terms.X, training.threads) * model.slopes))
    return found


def _without_students(training: Training) -> Joined:
    """None of them takes part: the model of the gold labels, as if nobody had asked a machine."""
    model = training.run()
    alone = training.unseen * model.slopes
    return Joined(model, training.unseen, alone, alone, {}, {}, _folds(training))


def _folds(training: Training) -> Ints:
    """The part of each unit of the gold rows, by its content."""
    return (scrambled(training.terms.keys ^ np.uint64(training.seed)) % np.uint64(FOLDS)).astype(np.int64)


def _silent(stage: str) -> None:
    """Students are a stage each."""


@dataclass(frozen=True)
class _JoinedProblem:
    """What :class:`Joined` holds, for one problem."""

    blend: Blend
    unseen: Floats
    gold_only: Floats
    together: Floats
    shares: Floats
    lines: list[float]


def _join(
    gold: Blend, alone: Floats, students: Sequence[Student], training: Training, problem: int, fold: Ints
) -> _JoinedProblem:
    psi, pull, spread = training.terms.psi, training.terms.pull[:, problem], training.spread(problem)
    said = [one.said[:, problem] for one in students]
    lines = [calibration(f, psi, pull, spread) for f in said]
    table = np.column_stack([alone, *(unseen_calibrations(f, psi, pull, fold, spread) for f in said)])
    judged = ~np.isnan(alone)
    weights = _weights(table[judged], psi[judged], pull[judged], spread)
    factors, constant = [float(weights[0]) * gold.slope], 0.0
    blends, named = [gold], {name: float(weights[0]) * weight for name, weight in gold.weights.items()}
    for one, (a, b), weight in zip(students, lines, weights[1:].tolist(), strict=True):
        blends.append(one.model.blends[problem])
        factors.append(weight * b * blends[-1].slope)
        constant += weight * a
        named[f"{one.name} (machine)" if one.name in named else one.name] = weight
    unseen = table @ weights
    final = slope(unseen[judged], psi[judged], pull[judged], spread)
    moved = (table[judged] - np.average(table[judged], axis=0, weights=psi[judged])) * weights
    moves = np.sqrt(np.average(moved**2, axis=0, weights=psi[judged]))
    return _JoinedProblem(
        replace(summed(blends, factors, constant), weights=named, slope=final),
        unseen,
        unseen_sums(table[:, :1], psi, pull, fold, spread),
        unseen_sums(table, psi, pull, fold, spread),
        moves[1:] / max(float(moves.sum()), 1e-12),
        [b for _, b in lines],
    )


def _weights(table: Floats, psi: Floats, pull: Floats, spread: float) -> Floats:
    """Of the model of gold labels, which comes first, and of the students."""
    students = table.shape[1] - 1
    expected = [1.0 - MACHINES_SHARE, *[MACHINES_SHARE / students] * students] if students else [1.0]
    return joining_weights(table, psi, pull, np.array(expected), EXPECTED_ROWS, spread)


def lessons(data: Data, machine: MachineLabels) -> Data | None:
    """What a student learns from: machine labels of rows without a gold one. None if there is nothing to learn."""
    pool, numbers = data.unlabeled, data.unlabeled_rows
    assert numbers is not None
    own = np.flatnonzero(numbers < len(machine.shares))
    own = own[machine.known[numbers[own]]]
    if pool is None or len(own) < FEWEST:
        raise ValueError(
            f"machine_labels must cover at least {FEWEST} rows without a label in y. {machine.name} covers {len(own)}. "
            "Its labels of rows that have one in y only serve to compare."
        )
    targets = machine.targets[numbers[own]]
    if (targets == targets[0]).all():
        return None
    return Data(pool.X[own], machine.codes[numbers[own]], targets, pool.mass[own])


def _leave_out(reason: str) -> None:
    tell(f"machine_labels: {reason}. It is left out.", MachineLeftOutWarning)


def foresees(unseen: Floats, terms: Terms) -> bool:
    """Whether margins of unseen rows (shape: units, problems) go with the labels of these by more than chance.

    The best of several problems is larger by chance the more there are. It is no exact test: members were weighed by
    the same rows, and in tables of few different rows with unequal weights a row may be on both sides. Now and then a
    coin passes, which gold labels then have to judge.
    """
    best = max(foresight(*one, terms.psi) for one in zip(unseen.T, terms.pull.T, strict=True))
    return best >= float(np.sqrt(FORESEEN**2 + 2.0 * np.log(unseen.shape[1])))


def goes_with_gold(student: Student, terms: Terms, spread: float = 1.0) -> bool:
    """Whether gold labels show that the student knows something of them; that it is mistaken as a rule, more surely.

    Rows count as many as if all had one weight, and labels as clean ones: noisy ones, whose stand-ins have a mean
    square of ``spread``, tell less. Of several problems the squares count together: what knows nothing has a sum of one
    for each, give or take the square root of twice as many.
    """
    told = [foresight(*one, terms.psi) for one in zip(student.said.T, terms.pull.T, strict=True)]
    if len(told) > 1:
        return sum(z**2 for z in told) >= len(told) + TOLD * float(np.sqrt(2.0 * len(told)))
    rows = float(terms.psi.sum() ** 2 / np.sum(terms.psi**2)) / spread
    return told[0] >= min(TOLD, TELLING * rows**0.5) or told[0] <= -TOLD


def foresight(margins: Floats, pull: Floats, psi: Floats) -> float:
    """By how many standard errors margins go with labels; NaN where a row was seen.

    Margins count by their ranks R, so that a class that is named seldom needs only a few rows to show, and none of them
    decides alone: sum_i r_i R_i, with r the labels and both without their means, over sqrt(sum_i r_i^2 mean(R^2)), the
    error if labels had nothing to do with rows.
    """
    judged = ~np.isnan(margins)
    psi, pull = psi[judged], pull[judged]
    if psi.sum() <= 0.0:
        return 0.0
    ranks = rankdata(margins[judged])
    ranks -= np.average(ranks, weights=psi)
    rest = pull - psi * (pull.sum() / psi.sum())
    error = np.sqrt(np.sum(rest**2) * np.average(ranks**2, weights=psi))
    return float(rest @ ranks / error) if error > 0.0 else 0.0


def calibration(f: Floats, psi: Floats, pull: Floats, spread: float = 1.0) -> tuple[float, float]:
    """a and b of log-odds a + b*f with the least log loss, drawn towards 0 by so many rows as DOUBTS says.

    ``spread`` is the mean square of what stands for labels.
    """
    size = max(float(np.sqrt(np.average(f**2, weights=psi))), 1e-9)
    design = np.column_stack([np.ones(len(f)), f / size])
    psi, pull = doubted(design, psi, pull, spread)
    found, ridge = np.zeros(2), DOUBTS / 4.0  # 1/4: the curvature of the log loss at 0
    for _ in range(50):
        p = expit(design @ found)
        gradient = design.T @ (psi * (p - 0.5) - pull / 2.0) + ridge * found
        step = solve((design.T * (psi * p * (1.0 - p))) @ design + np.diag(ridge), gradient, assume_a="pos")
        found = found - step * min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-12))
        if np.abs(step).max() < 1e-9:
            break
    return float(found[0]), float(found[1] / size)


def unseen_calibrations(f: Floats, psi: Floats, pull: Floats, fold: Ints, spread: float = 1.0) -> Floats:
    """Log-odds of each row by the calibration of the other folds."""
    found = np.zeros(len(f))
    for one in range(FOLDS):
        out = fold == one
        if out.any() and not out.all():
            a, b = calibration(f[~out], psi[~out], pull[~out], spread)
            found[out] = a + b * f[out]
    return found


def unseen_sums(table: Floats, psi: Floats, pull: Floats, fold: Ints, spread: float = 1.0) -> Floats:
    """Log-odds of each row by weights and a slope of the other folds; NaN where a model has seen the row."""
    judged = ~np.isnan(table).any(axis=1)
    found = np.full(len(table), np.nan)
    for one in range(FOLDS):
        out, rest = judged & (fold == one), judged & (fold != one)
        if out.any() and rest.any():
            weights = _weights(table[rest], psi[rest], pull[rest], spread)
            found[out] = table[out] @ weights * slope(table[rest] @ weights, psi[rest], pull[rest], spread)
    return found
