"""The choice among a run's iterates, on labels that it has not seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..basics.checks import as_labels, as_mass, as_matrix
from ..basics.conventions import on_grid
from ..basics.typing import Floats, Ints
from .tape import Tape


@dataclass(frozen=True)
class Selection:
    """The chosen iterate.

    Attributes
    ----------
    tape : Tape
        The ensemble up to the chosen round.
    rounds : int
        How many steps it has.
    scores : array of shape (rounds + 1,)
        The correlation of every prefix with the held-out labels.
    """

    tape: Tape
    rounds: int
    scores: Floats

    def predict(self, X: npt.ArrayLike) -> Ints:
        """sign(H(x)), in {-1, +1}."""
        return self.tape.predict(X)


def select(tape: Tape, X: npt.ArrayLike, y: npt.ArrayLike, mass: npt.ArrayLike | None = None) -> Selection:
    """Choose among all iterates, H_1 = 0 included, by correlation with labels that no sampler has seen.

    Ties go to the shorter tape. The paper chooses among H_1..H_T; the iterate that the last round produced is a
    candidate here too, which costs one more term in a union bound and does not waste a call to the weak learner.

    Parameters
    ----------
    tape : Tape
        The iterates.
    X : array of shape (rows, features)
        Held-out rows.
    y : array of shape (rows,)
        Their labels, in {-1, +1}.
    mass : array of shape (rows,), optional
        How much each row counts; all alike by default.

    Returns
    -------
    Selection
        The chosen iterate, and the scores of all.
    """
    rows = as_matrix(X)
    labels = as_labels(y, len(rows))
    signed = on_grid(as_mass(mass, len(rows)) * labels)  # exact sums, so that ties are ties
    scores = np.array([np.sum(np.where(margin >= 0, signed, -signed)) for margin in tape.staged(rows)])
    best = int(np.argmax(scores))
    return Selection(tape.prefix(best), best, scores)
