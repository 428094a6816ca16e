"""Situations: which labels there are, and the ways to deal with them. Every way gives P(y = +1) on test rows.

Ours is ``TableClassifier`` where no other name is given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit, logit
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression

from agnoboost.basics.typing import Floats, Rng
from agnoboost.estimators import AgnosticBoostingClassifier, TableClassifier
from agnoboost.evaluation.shift import estimate_shift
from agnoboost.labels import PositiveUnlabeled, SoftLabels, estimate_prior

from .split_table import TEST, UNLABELED, SplitTable, Ways
from .wrong_labels import even_flips, few_flips, flips, no_flips, poor_votes, votes

POSITIVES, NEGATIVES, ORDINARY = 100, 10, 100
TAUGHT_ROWS, TEACHER_ROWS = 100, 1500
BIASED_LABELS, BIAS, MOST_WEIGHT = 200, 1.5, 10.0
FEWEST_ROWS = TEST + UNLABELED + 250  # and enough to find the labeled rows among


def positives(rows: SplitTable, rng: Rng) -> Ways:
    """100 positives, or 100 positives and 10 negatives, beside 2000 unlabeled rows."""
    X, y = rows.rest
    prior = float(rows.unlabeled[1].mean())
    found, few = X[y][:POSITIVES], X[~y][:NEGATIVES]
    ones = np.ones(len(found), dtype=int)
    both, marks = np.concatenate([found, few]), np.repeat([1, 0], [len(found), len(few)])
    loose = np.concatenate([found, rows.unlabeled[0]])
    taken = np.repeat([1, 0], [len(found), len(rows.unlabeled[0])])
    ordinary, labels = X[:ORDINARY], y[:ORDINARY].astype(int)

    def logistic() -> Any:
        return LogisticRegression(max_iter=2000)

    def with_prior(factor: float, kind: Any = TableClassifier) -> Floats:
        model = PositiveUnlabeled(min(0.97, factor * prior))
        return rows.ours(found, ones, model, kind)

    def estimated() -> Floats:
        codes = rows.numbers.transform
        return rows.ours(found, ones, estimate_prior(codes(found), codes(rows.unlabeled[0])).label_model)

    def with_the_prior_as_threshold(model: Any) -> Floats:
        """Unlabeled rows as negatives, with log-odds moved so that the prior's share of rows is called positive."""
        scores = logit(np.clip(rows.theirs(model, loose, taken), 1e-6, 1.0 - 1e-6))
        return np.asarray(expit(scores - np.quantile(scores, 1.0 - prior)))

    return {
        "100 ordinary labels": lambda: rows.ours(ordinary, labels),
        "100 ordinary labels: random forest, leaf 5": lambda: rows.theirs(rows.forest(), ordinary, labels),
        "100 ordinary labels: logistic regression": lambda: rows.theirs(logistic(), ordinary, labels),
        "100 positives": lambda: with_prior(1.0),
        "100 positives: prior 30% too low": lambda: with_prior(0.7),
        "100 positives: prior 30% too high": lambda: with_prior(1.3),
        "100 positives: prior estimated": estimated,
        "100 positives: AgnosticBoosting": lambda: with_prior(1.0, AgnosticBoostingClassifier),
        "100 positives: forest, unlabeled as negative": lambda: rows.theirs(rows.forest(), loose, taken),
        "100 positives: logistic, unlabeled as negative": lambda: rows.theirs(logistic(), loose, taken),
        "100 positives: forest, unlabeled as negative, threshold by the prior": lambda: with_the_prior_as_threshold(
            rows.forest()
        ),
        "100 positives: logistic, unlabeled as negative, threshold by the prior": lambda: with_the_prior_as_threshold(
            logistic()
        ),
        "100 + 10: blend": lambda: rows.ours(both, marks, PositiveUnlabeled(prior)),
        "100 + 10: labels alone": lambda: rows.ours(both, marks),
        "100 + 10: random forest, leaf 5": lambda: rows.theirs(rows.forest(), both, marks),
        "100 + 10: logistic regression": lambda: rows.theirs(logistic(), both, marks),
    }


def soft(rows: SplitTable, rng: Rng) -> Ways:
    """A teacher, a forest on 1500 other labels, says how sure it is of 100 rows."""
    X, y = (part[:TAUGHT_ROWS] for part in rows.rest)
    known, labels = (part[:TEACHER_ROWS] for part in rows.unlabeled)
    teacher = rows.forest().fit(rows.numbers.transform(known), labels)
    sure = teacher.predict_proba(rows.numbers.transform(X))[:, 1]
    return {
        "true labels": lambda: rows.ours(X, y.astype(int)),
        "teacher's answers rounded": lambda: rows.ours(X, (sure > 0.5).astype(int)),
        "teacher's probabilities": lambda: rows.ours(X, sure, SoftLabels()),
    }


def biased(rows: SplitTable, rng: Rng) -> Ways:
    """200 labels of rows that were chosen by their cells: e^3 times as likely at one end as two deviations away."""
    X, y = rows.unlabeled
    columns = rng.choice(X.shape[1], min(3, X.shape[1]), replace=False)
    ranks = [sign * rankdata(np.nan_to_num(X[:, c])) for c, sign in zip(columns, rng.choice([-1, 1], 3), strict=False)]
    score = np.sum(ranks, axis=0)
    chance = np.exp(BIAS * (score - score.mean()) / max(float(score.std()), 1e-9))
    chosen = rng.choice(len(X), BIASED_LABELS, replace=False, p=chance / chance.sum())
    fair = rng.choice(len(X), BIASED_LABELS, replace=False)

    def weighted(weight: Floats) -> Floats:
        return rows.ours(X[chosen], y[chosen].astype(int), weight=np.minimum(weight / weight.mean(), MOST_WEIGHT))

    def by_estimate() -> Floats:
        found = estimate_shift(X[chosen], np.delete(X, chosen, axis=0), categorical_features=rows.sets)
        return weighted(np.ones(len(chosen)) if found.chosen is None else 1.0 / found.models[found.chosen].labeled)

    return {
        "labels as they are": lambda: rows.ours(X[chosen], y[chosen].astype(int)),
        "weighted by estimated ratios": by_estimate,
        "weighted by true ratios": lambda: weighted(1.0 / chance[chosen]),
        "as many labels drawn at random": lambda: rows.ours(X[fair], y[fair].astype(int)),
    }


SITUATIONS: dict[str, Callable[[SplitTable, Rng], Ways]] = {
    "positives": positives,
    "flips": flips,
    "even flips": even_flips,
    "few flips": few_flips,
    "no flips": no_flips,
    "votes": votes,
    "poor votes": poor_votes,
    "soft": soft,
    "biased": biased,
}
