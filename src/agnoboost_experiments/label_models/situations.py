"""Four situations: which labels there are, and the ways to deal with them. Every way gives P(y = +1) on test rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from agnoboost.basics.typing import Bools, Floats, Ints, Matrix, Rng
from agnoboost.estimators import AgnosticBoostingClassifier
from agnoboost.estimators.table import FewLabelClassifier
from agnoboost.labels import (
    CrowdVotes,
    FlipRates,
    LabelModel,
    PositiveUnlabeled,
    SoftLabels,
    estimate_flip_rates,
    estimate_prior,
)
from agnoboost.tables.numbers import into_numbers

from ..few_labels.binary import Binary

TEST, UNLABELED = 1000, 2000
POSITIVES, NEGATIVES, ORDINARY = 100, 10, 100
FLIPPED_LABELS, FLIP_POSITIVE, FLIP_NEGATIVE = 300, 0.3, 0.1
VOTED_ROWS, QUALITY, VOTE_SHARE = 200, (0.9, 0.75, 0.6, 0.6, 0.55), 0.6
TAUGHT_ROWS, TEACHER_ROWS = 100, 1500
FEWEST_ROWS = TEST + UNLABELED + 250  # and enough to find the labeled rows among

Ways = dict[str, Callable[[], Floats]]


@dataclass(frozen=True)
class SplitTable:
    """A random split of a table: test rows, unlabeled rows, and the rest, of which labels can be had."""

    table: Binary
    order: Ints
    seed: int

    @cached_property
    def test(self) -> tuple[Matrix, Bools]:
        return self._take(self.order[:TEST])

    @cached_property
    def unlabeled(self) -> tuple[Matrix, Bools]:
        """With their labels, which only the teacher may see."""
        return self._take(self.order[TEST : TEST + UNLABELED])

    @cached_property
    def rest(self) -> tuple[Matrix, Bools]:
        return self._take(self.order[TEST + UNLABELED :])

    def _take(self, rows: Ints) -> tuple[Matrix, Bools]:
        return self.table.X[rows], self.table.y[rows] > 0

    @cached_property
    def numbers(self) -> Any:
        """For models that need numbers everywhere."""
        return into_numbers(self.table.X.shape[1], self.table.categorical).fit(self.unlabeled[0])

    def ours(self, X: Matrix, y: Any, model: LabelModel | None = None, kind: Any = FewLabelClassifier) -> Floats:
        """One of our classifiers, with the unlabeled rows; labels of one class say that class."""
        if model is None and len(np.unique(y)) == 1:
            return np.full(len(self.test[0]), float(y[0]))
        sets = list(self.table.categorical) or None
        fitted = kind(label_model=model, categorical_features=sets, random_state=self.seed)
        fitted.fit(X, y, X_unlabeled=self.unlabeled[0])
        return np.asarray(fitted.predict_proba(self.test[0])[:, 1])

    def theirs(self, model: Any, X: Matrix, y: Any) -> Floats:
        """A classifier of scikit-learn, on numbers."""
        fitted = model.fit(self.numbers.transform(X), y)
        return np.asarray(fitted.predict_proba(self.numbers.transform(self.test[0]))[:, 1])

    def forest(self) -> Any:
        return RandomForestClassifier(min_samples_leaf=5, random_state=self.seed)


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

    def with_prior(factor: float, kind: Any = FewLabelClassifier) -> Floats:
        model = PositiveUnlabeled(min(0.97, factor * prior))
        return rows.ours(found, ones, model, kind)

    def estimated() -> Floats:
        codes = rows.numbers.transform
        return rows.ours(found, ones, estimate_prior(codes(found), codes(rows.unlabeled[0])).label_model)

    return {
        "100 ordinary labels: FewLabel": lambda: rows.ours(ordinary, labels),
        "100 ordinary labels: random forest, leaf 5": lambda: rows.theirs(rows.forest(), ordinary, labels),
        "100 ordinary labels: logistic regression": lambda: rows.theirs(logistic(), ordinary, labels),
        "100 positives: FewLabel": lambda: with_prior(1.0),
        "100 positives: FewLabel, prior 30% too low": lambda: with_prior(0.7),
        "100 positives: FewLabel, prior 30% too high": lambda: with_prior(1.3),
        "100 positives: FewLabel, prior estimated": estimated,
        "100 positives: AgnosticBoosting": lambda: with_prior(1.0, AgnosticBoostingClassifier),
        "100 positives: AgnosticBoosting, prior 30% too low": lambda: with_prior(0.7, AgnosticBoostingClassifier),
        "100 positives: AgnosticBoosting, prior 30% too high": lambda: with_prior(1.3, AgnosticBoostingClassifier),
        "100 positives: forest, unlabeled as negative": lambda: rows.theirs(rows.forest(), loose, taken),
        "100 positives: logistic, unlabeled as negative": lambda: rows.theirs(logistic(), loose, taken),
        "100 + 10: FewLabel, blend": lambda: rows.ours(both, marks, PositiveUnlabeled(prior)),
        "100 + 10: FewLabel, labels alone": lambda: rows.ours(both, marks),
        "100 + 10: random forest, leaf 5": lambda: rows.theirs(rows.forest(), both, marks),
        "100 + 10: logistic regression": lambda: rows.theirs(logistic(), both, marks),
    }


def flips(rows: SplitTable, rng: Rng) -> Ways:
    """300 labels, of which 30% of the positive and 10% of the negative ones are wrong."""
    X, y = (part[:FLIPPED_LABELS] for part in rows.rest)
    observed = (y ^ (rng.random(len(y)) < np.where(y, FLIP_POSITIVE, FLIP_NEGATIVE))).astype(int)
    rates = FlipRates(positive=FLIP_POSITIVE, negative=FLIP_NEGATIVE)

    def estimated() -> Floats:
        """At face value where rates cannot be estimated."""
        sets = list(rows.table.categorical) or None
        try:
            found = estimate_flip_rates(X, observed, categorical_features=sets).label_model
        except ValueError:
            return rows.ours(X, observed)
        return rows.ours(X, observed, found)

    return {
        "FewLabel, labels at face value": lambda: rows.ours(X, observed),
        "FewLabel, known rates": lambda: rows.ours(X, observed, rates),
        "FewLabel at face value, probabilities corrected": lambda: rates.clean(rows.ours(X, observed)),
        "FewLabel, estimated rates": estimated,
        "AgnosticBoosting, labels at face value": lambda: rows.ours(X, observed, None, AgnosticBoostingClassifier),
        "AgnosticBoosting, known rates": lambda: rows.ours(X, observed, rates, AgnosticBoostingClassifier),
        "FewLabel, clean labels": lambda: rows.ours(X, y.astype(int)),
    }


def votes(rows: SplitTable, rng: Rng) -> Ways:
    """Five annotators of quality .9 to .55, each of whom votes on 60% of 200 rows."""
    X, y = (part[:VOTED_ROWS] for part in rows.rest)
    truth = y.astype(float)[:, None]
    table = np.where(rng.random((len(y), len(QUALITY))) < QUALITY, truth, 1.0 - truth)
    table[rng.random(table.shape) > VOTE_SHARE] = np.nan
    seen = ~np.isnan(table).all(axis=1)
    X, y, table = X[seen], y[seen], table[seen]
    rounded = (np.nanmean(table, axis=1) + 1e-9 * rng.normal(size=len(table)) > 0.5).astype(int)  # ties by lot
    return {
        "FewLabel, majority rounded": lambda: rows.ours(X, rounded),
        "FewLabel, shares of votes": lambda: rows.ours(X, table, CrowdVotes("majority")),
        "FewLabel, Dawid-Skene": lambda: rows.ours(X, table, CrowdVotes()),
        "FewLabel, true labels": lambda: rows.ours(X, y.astype(int)),
    }


def soft(rows: SplitTable, rng: Rng) -> Ways:
    """A teacher, a forest on 1500 other labels, says how sure it is of 100 rows."""
    X, y = (part[:TAUGHT_ROWS] for part in rows.rest)
    known, labels = (part[:TEACHER_ROWS] for part in rows.unlabeled)
    teacher = rows.forest().fit(rows.numbers.transform(known), labels)
    sure = teacher.predict_proba(rows.numbers.transform(X))[:, 1]
    return {
        "FewLabel, true labels": lambda: rows.ours(X, y.astype(int)),
        "FewLabel, teacher's answers rounded": lambda: rows.ours(X, (sure > 0.5).astype(int)),
        "FewLabel, teacher's probabilities": lambda: rows.ours(X, sure, SoftLabels()),
    }


SITUATIONS: dict[str, Callable[[SplitTable, Rng], Ways]] = {
    "positives": positives,
    "flips": flips,
    "votes": votes,
    "soft": soft,
}
