"""What a choice of rounds and of the weight of unlabeled rows rests on: labels that training has not seen.

Choices are made on labeled rows that the run in question has not seen: each of several folds in turn, or validation
rows given by the user. The criterion is the held-out potential psi(H) - y*H, which is smoother than the error and, like
it, is estimated without bias from noisy labels; with few labels the error alone is too coarse to choose by.

A choice that departs from the usual (the usual number of rounds, no unlabeled rows) must lower the held-out potential
by more than two standard errors of the difference, row by row: otherwise the noise of choosing would cost more than it
brings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any, Protocol

import numpy as np

from ..basics.fact_schema import Number, Record, Text, Whole
from ..basics.typing import Floats, Ints, Matrix
from ..core.potentials import Huber
from .data import Data
from .threshold import HeldOut

SHARES = (0.0, 0.5, 1.0)  # what unlabeled_weight="auto" chooses from; the first one needs no evidence
FEWEST_LABELS = 100  # validation_fraction="auto" holds nothing out below this
EVIDENCE = 2.0  # standard errors by which a departure from the usual must win


@dataclass(frozen=True)
class Task:
    """Rows to train on, with a weight for the unlabeled ones, and rows to judge by."""

    data: Data
    share: float
    held_out: Data


class Trained(Protocol):
    """What one run has made: one ensemble for each one-against-rest problem."""

    def margins(self, rounds: int, X: Matrix) -> Floats:
        """Margins after so many rounds (shape: rows, classes or 1)."""


class Watcher(Protocol):
    """Runs on some rows, and watches the potential on others."""

    @property
    def usual_rounds(self) -> int:
        """What is used unless held-out labels speak clearly for another number."""

    @property
    def seed(self) -> int: ...

    @property
    def classes(self) -> int: ...

    def all_watched(self, tasks: list[Task], n_jobs: int | None) -> Sequence[tuple[Trained, Floats]]:
        """Runs, and the potential on the held-out rows of each after 0, 1, ... rounds, summed over the classes."""


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

    @property
    def facts(self) -> dict[str, Any]:
        """What was chosen, in plain values."""
        return {"rounds": self.rounds, "unlabeled_weight": self.unlabeled_weight, "reason": self.reason}


CHOICE = Record({"rounds": Whole(), "unlabeled_weight": Number(0.0, 1.0), "reason": Text()})  # in files


def folds_for(fraction: Any, labels_a_class: Ints) -> int:
    """The number of folds for a validation fraction; 0 for no validation."""
    fewest, total = int(labels_a_class.min()), int(labels_a_class.sum())
    if fraction == "auto":
        return 5 if total >= FEWEST_LABELS and fewest >= 5 else 0
    if not fraction or fewest < 2:
        return 0
    return min(max(2, round(1.0 / float(fraction))), fewest)


def candidate(trainer: Watcher, share: float, curve: Floats, held_out: Callable[[int], HeldOut]) -> Choice:
    """The usual number of rounds, unless the one of the lowest loss is clearly better."""
    usual = min(trainer.usual_rounds, len(curve) - 1)
    lowest = max(int(np.argmin(curve)), ceil(usual / 4), 1)  # a sum of a few steps is too rough, whatever its size
    at_usual, at_lowest = held_out(usual), held_out(lowest)
    mean, error = gain(at_usual, at_lowest)
    rounds, kept = (lowest, at_lowest) if mean > EVIDENCE * error else (usual, at_usual)
    return Choice(rounds, share, "", {share: curve}, kept)


def pick(trainer: Watcher, candidates: list[Choice], where: str, story: Sequence[str] = ()) -> Choice:
    """The first candidate, unless another one is clearly better; ``story`` is what else there is to say."""
    first = candidates[0].held_out
    assert first is not None
    best, best_gain = 0, 0.0
    for place, other in enumerate(candidates[1:], start=1):
        assert other.held_out is not None
        mean, error = gain(first.first(len(other.held_out.codes)), other.held_out)
        if mean > EVIDENCE * error and mean > best_gain:
            best, best_gain = place, mean
    reason = f"lowest loss on labels left out, in {where}; the usual {trainer.usual_rounds} rounds"
    if len(candidates) > 1:
        tried = ", ".join(f"{c.unlabeled_weight:g}: {c.losses[c.unlabeled_weight].min():.4f}" for c in candidates)
        reason += f" and no unlabeled rows unless clearly worse (loss by unlabeled weight {tried})"
    else:
        reason += " unless clearly worse"
    merged = {share: curve for candidate in candidates for share, curve in candidate.losses.items()}
    return replace(candidates[best], reason="; ".join([reason, *story]), losses=merged)


def gain(usual: HeldOut, other: HeldOut) -> tuple[float, float]:
    """By how much the other margins lower the held-out potential, and the standard error of that."""
    psi = usual.weight if usual.psi is None else usual.psi
    pull = usual.weight[:, None] * usual.targets
    both = [one.margins if one.psi is None else np.clip(one.margins, -1.0, 1.0) for one in (usual, other)]
    values = [psi[:, None] * Huber().value(m, np.zeros_like(m)) - pull * m for m in both]
    difference = (values[0] - values[1]).sum(axis=1) / psi.sum()
    # Rows with a psi are one sample; of rows that only pull, each class is another.
    kind = np.where(psi > 0, 0, 1 + usual.codes)
    size = np.where(psi > 0, psi, usual.weight)
    means = np.bincount(kind, difference) / np.maximum(np.bincount(kind, size), 1e-300)
    return float(difference.sum()), float(np.sqrt(np.sum((difference - means[kind] * size) ** 2)))


def level_out(curves: list[list[float]]) -> Floats:
    """Curves of different length, continued by their last value."""
    longest = max(map(len, curves))
    return np.array([curve + [curve[-1]] * (longest - len(curve)) for curve in curves])
