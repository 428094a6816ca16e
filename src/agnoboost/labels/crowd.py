"""Votes of several annotators a row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.checks import check_between, check_count, check_word
from ..basics.typing import Floats, Ints
from .annotators import annotators_of, column_names
from .models import Evidence
from .posteriors import without_lean
from .reading import UNLABELED, known_rows, label_table, read_labels
from .soft import LikelierClass, evidence_of

METHODS = ("dawid_skene", "majority")
CONVERGED = 1e-8  # of the objective
PRIOR_QUALITY = 0.7


@dataclass(frozen=True)
class CrowdVotes(LikelierClass):
    """A table of votes, one column for each annotator; NaN or None where one has not voted.

    Rows without any vote are unlabeled. The votes become probabilities of the classes, so that nothing is rounded:

    - "majority": the share of the votes. It stands for E[vote | x].
    - "dawid_skene": the posterior under Dawid and Skene's model (1979), in which each annotator has a confusion matrix
      of his own, found by expectation maximisation. Good annotators count more; one who always says the opposite helps.
      With few votes the likeliest matrices are far too sure of themselves: so annotators start with ``prior_votes``
      votes on rows of each class, 70% of them right. The posterior leans to the overall shares of the classes; that is
      taken out (``labels/posteriors.py``), so that it stands for P(class | x) without bias.

    After a fit ``annotators_`` of the classifier says how good each annotator seems to be.

    Which class is which cannot be told from votes alone: it is assumed that annotators are right more often than not,
    on the whole (the start is the majority).

    Parameters
    ----------
    method : {"dawid_skene", "majority"}, default="dawid_skene"
        How votes become probabilities.
    prior_votes : float, default=8
        0 is maximum likelihood, as in the article.
    max_iterations : int, default=500
        Of expectation maximisation.

    Examples
    --------
    >>> votes = [["yes", "yes", "no"], ["no", None, "no"], [None, None, None]]
    >>> CrowdVotes("majority").read(votes, 3).targets[:, 0].round(3).tolist()
    [0.333, -1.0]
    """

    several_columns = True

    method: str = "dawid_skene"
    prior_votes: float = 8.0
    max_iterations: int = 500

    def __post_init__(self) -> None:
        check_word(self.method, METHODS, "method")
        check_count(self.max_iterations, "max_iterations")
        check_between(self.prior_votes, 0.0, np.inf, "prior_votes", open_low=False, open_high=True)

    def read(self, y: Any, rows: int, missing_label: Any = "auto", caller: str = "The label model") -> Evidence:
        classes, votes = _votes(y, rows, missing_label)
        known = (votes != UNLABELED).any(axis=1)
        if self.method == "majority":
            chances = stand_ins = vote_shares(votes[known], len(classes))
        else:
            chances = dawid_skene(votes[known], len(classes), self.prior_votes, self.max_iterations).posterior
            stand_ins = without_lean(chances)
        found = evidence_of(stand_ins, known, classes)
        annotators = annotators_of(column_names(y, votes.shape[1]), votes[known], chances)
        return replace(found, codes=chances.argmax(axis=1), annotators=annotators)


@dataclass(frozen=True)
class DawidSkene:
    """What expectation maximisation has found.

    Attributes
    ----------
    posterior : array of shape (rows, classes)
        P(true class | votes) of each row.
    prior : array of shape (classes,)
        P(true class).
    confusion : array of shape (annotators, classes, classes)
        P(vote = l | true class = k) of each annotator, k before l.
    objective : list of float
        Log-likelihood of the votes, and of the prior votes, per row; after each iteration.
    """

    posterior: Floats
    prior: Floats
    confusion: Floats
    objective: list[float]


def dawid_skene(votes: Ints, classes: int, prior_votes: float = 8.0, max_iterations: int = 500) -> DawidSkene:
    """Dawid and Skene's model by expectation maximisation, from the shares of the votes on.

    Parameters
    ----------
    votes : array of shape (rows, annotators)
        Class numbers, -1 where there is no vote.
    classes : int
        How many there are.
    prior_votes : float, default=8.0
        Of every annotator on each class: they are right with probability .7. And there is one row of each class.
    max_iterations : int, default=500
        When to stop at the latest.

    Returns
    -------
    DawidSkene
        Posteriors, and a confusion matrix for each annotator.
    """
    one_hot = (votes[:, :, None] == np.arange(classes)).reshape(len(votes), -1).astype(np.float64)  # no vote: all zero
    same = np.eye(classes, dtype=bool)
    before = prior_votes * np.where(same, PRIOR_QUALITY, (1.0 - PRIOR_QUALITY) / (classes - 1))
    rows_before = 1.0 if prior_votes > 0 else 0.0
    posterior, history = vote_shares(votes, classes), [-np.inf]
    prior, confusion = _maximise(one_hot, posterior, before, rows_before)
    for _ in range(max_iterations):
        joint = np.log(prior) + one_hot @ np.log(confusion).transpose(0, 2, 1).reshape(-1, classes)
        top = joint.max(axis=1, keepdims=True)
        mass = np.exp(joint - top)
        posterior = mass / mass.sum(axis=1, keepdims=True)
        of_prior = np.sum(before * np.log(confusion)) + rows_before * np.sum(np.log(prior))
        history.append(float(np.sum(top[:, 0] + np.log(mass.sum(axis=1))) + of_prior) / len(votes))
        prior, confusion = _maximise(one_hot, posterior, before, rows_before)
        if history[-1] - history[-2] < CONVERGED:
            break
    return DawidSkene(posterior, prior, confusion, history[1:])


def _maximise(one_hot: Floats, posterior: Floats, before: Floats, rows_before: float) -> tuple[Floats, Floats]:
    """Prior and confusion matrices of largest likelihood; zeros become tiny, so that logarithms stay finite."""
    tiny = 1e-12
    classes = posterior.shape[1]
    counts = (one_hot.T @ posterior).reshape(-1, classes, classes).transpose(0, 2, 1) + before + tiny
    prior = posterior.sum(axis=0) + rows_before + tiny
    return prior / prior.sum(), counts / counts.sum(axis=2, keepdims=True)


def vote_shares(votes: Ints, classes: int) -> Floats:
    """The share of each class among the votes of each row."""
    counts = (votes[:, :, None] == np.arange(classes)).sum(axis=1)
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def _votes(y: Any, rows: int, missing_label: Any) -> tuple[npt.NDArray[Any], Ints]:
    """Classes, and class numbers of all votes (-1 where there is none)."""
    table = label_table(y, missing_label)
    if np.ndim(y) != 2 or len(table) != rows:
        raise ValueError(
            f"Votes must be a table with a row for each of the {rows} rows of X and a column for each annotator. Got "
            f"shape {table.shape}."
        )
    flat = table.ravel()
    auto = "auto" if isinstance(missing_label, str) and missing_label == "auto" else None  # marks are gaps by now
    if not known_rows(flat, auto).any():
        raise ValueError(f"y must have votes. Got none in {rows} rows.")
    found = read_labels(flat, auto)
    return found.classes, found.codes.reshape(table.shape)
