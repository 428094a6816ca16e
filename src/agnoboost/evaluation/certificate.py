"""What can be said for sure, from held-out labels: how good a model is at least, and any single rule at most.

All bounds hold together with the stated confidence, for rows and labels drawn as the held-out ones were, whatever their
distribution. They need labels that the model has not seen; nothing can check that but you.

- The model is one fixed function: the number of rows on which it is right is binomial, and Clopper and Pearson's bound
  is exact.
- So is the best rule of the class, which depends on the distribution and not on the sample. It is right on no more of
  the held-out rows than the rule that is right on most of them, which our exact learners find; so the binomial bound
  for *that* count is above the accuracy of every rule.
- The best rule is at least as good as one that is chosen on half of the held-out rows, which is a fixed function for
  the other half: a binomial bound again. And how much of the count above is luck is bounded by the Rademacher
  complexity R of the class, the mean of the largest correlation of a rule with coin flips: with M the largest
  correlation of a rule with the held-out labels,

      corr(best rule) >= M - 2 R - sqrt(2 ln(1/delta)/n).

  R is a matter of rows alone, and is estimated on unlabeled ones, blocks of n at a time. Each of the two has half of
  the risk, and the higher one counts.
- With machine labels for all rows there is one more bound on the model, higher where the machine is good. It is not
  exact but approximate, as intervals of :func:`agnoboost.evaluate` are. (A bound by betting on the same differences
  would hold for any number of rows, but was no higher than the exact one in trials.)
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np

from ..basics.checks import as_generator, check_between, check_count
from ..basics.intervals import binomial_high, binomial_low
from ..basics.typing import Floats, Matrix, Rng
from ..core.batch import Batch
from ..core.learners import HistogramStumpLearner, ParityLearner, StumpLearner, WeakLearner
from .audit import ACCURACY, evaluate_predictions
from .held_out_labels import all_classes, held_out_labels
from .rule_columns import rule_tables

COIN = 0.5  # a constant, or its opposite, is right on half: a bound of no more says nothing
EXACT = (StumpLearner, HistogramStumpLearner, ParityLearner)  # learners that find the best rule, not a good one


@dataclass(frozen=True)
class Certificate:
    """Bounds on accuracies that hold together with probability ``confidence``.

    Attributes
    ----------
    confidence : float
        Of all statements together.
    held_out : int
        Labeled rows that were used.
    model_accuracy, rule_accuracy : float
        On those rows: of the model, and of the rule that is best on them.
    model_at_least : float
        The model is right on at least this share of new rows.
    rules_at_most : float or None
        No rule of the class is right on more. None for several classes, and where columns are not numbers.
    best_rule_at_least : float or None
        Some rule of the class is right on at least this share; .5, which always holds, if no more can be said.
    rademacher : float or None
        The largest mean correlation that rules have with coin flips on as many rows: how well they fit pure noise.
    model_at_least_by_machine : float or None
        As ``model_at_least``, with the help of machine labels: approximate, where that one is exact.
    """

    confidence: float
    held_out: int
    model_accuracy: float
    model_at_least: float
    rule_accuracy: float | None = None
    rules_at_most: float | None = None
    best_rule_at_least: float | None = None
    rademacher: float | None = None
    model_at_least_by_machine: float | None = None

    @property
    def model_beats_all_rules(self) -> bool:
        """Whether that is certain, to this confidence."""
        return self.rules_at_most is not None and self.model_at_least > self.rules_at_most

    def __str__(self) -> str:
        lines = [
            f"With {self.confidence:.0%} confidence, from {self.held_out:,} held-out labels:",
            f"- this model is right on at least {self.model_at_least:.1%} of new rows (on the held-out ones: "
            f"{self.model_accuracy:.1%});",
        ]
        if self.model_at_least_by_machine is not None:
            lines.append(
                f"- with the help of machine labels: on at least {self.model_at_least_by_machine:.1%} (approximate, "
                "where the other bounds are exact);"
            )
        return "\n".join([*lines, *self._about_rules()])

    def _about_rules(self) -> list[str]:
        """Only what is found out: bounds that hold anyway are none."""
        if self.rules_at_most is None or self.best_rule_at_least is None:
            return ["Of single rules nothing is said: that is for two classes, and columns of numbers."]
        lines, vacuous = [], self.rules_at_most >= 0.999
        if not vacuous:
            lines.append(
                f"- no single rule of the base class is right on more than {self.rules_at_most:.1%} (the best one on "
                f"the held-out rows: {self.rule_accuracy:.1%});"
            )
        if self.best_rule_at_least > COIN:
            lines.append(
                f"- some rule is right on at least {self.best_rule_at_least:.1%}. (Rules fit coin flips on as many "
                f"rows to a correlation of {self.rademacher:.3f}.)"
            )
        else:
            lines.append("How good the best single rule is at least cannot be said from so few held-out labels.")
        if self.model_beats_all_rules:
            lines.append("So the model is better than every single rule.")
        elif vacuous:
            lines.append(
                "Whether the model is better than every single rule cannot be said: some rule is right on nearly all "
                "of these rows."
            )
        else:
            lines.append("Whether the model is better than every single rule is not certain.")
        return lines


def certify(
    model: Any,
    X: Any,
    y: Any,
    *,
    X_unlabeled: Any = None,
    machine_labels: Any = None,
    base: WeakLearner | None = None,
    confidence: float = 0.95,
    sign_draws: int = 10,
    rng: Rng | int = 0,
) -> Certificate:
    """Bounds on the accuracy of a fitted model, and of every rule of a base class.

    Parameters
    ----------
    model : fitted classifier
        Anything with ``predict``.
    X, y : held-out rows and their labels
        Rows that training and tuning have **not** seen; all labeled, with classes named as the model names them.
    X_unlabeled : table, optional
        More rows of the same kind, for the Rademacher complexity; without them the held-out rows serve.
    machine_labels : array, optional
        What a machine says of the rows of X, and then of those of X_unlabeled, as for :func:`agnoboost.evaluate`. It
        must not have learned from y. It gives one more bound on the model.
    base : WeakLearner, optional
        Whose rules: one that finds the best rule exactly, ``StumpLearner()`` by default, ``ParityLearner(d)``, or a
        ``HistogramStumpLearner`` whose bins come from other rows (for categories as numbers). For two classes. By
        default empty cells may be on either side of a rule, and columns that are not numbers leave rules out.
    confidence : float in (0, 1)
        With which all bounds hold together.
    sign_draws : int
        Draws of coin flips for each block of rows.
    rng : seed or generator
        For the coin flips, and for halves of the rows.

    Returns
    -------
    Certificate
        Sentences when printed.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(1200, random_state=0)
    >>> model = LogisticRegression().fit(X[:200], y[:200])
    >>> found = certify(model, X[200:], y[200:])
    >>> found.model_at_least < found.model_accuracy
    True
    """
    check_between(confidence, 0.0, 1.0, "confidence", open_high=True)
    check_count(sign_draws, "sign_draws")
    learner = _exact(StumpLearner() if base is None else base)
    predicted = np.asarray(model.predict(X))
    own = np.unique(np.asarray(getattr(model, "classes_", predicted)))
    labels = held_out_labels(y, len(predicted), own)
    classes = all_classes(own, labels)
    right, count = int(np.sum(predicted == labels)), len(labels)
    tables = rule_tables(X, X_unlabeled, base) if len(classes) == 2 else None
    delta = (1.0 - confidence) / ((1 if tables is None else 3) + (machine_labels is not None))
    lowest = binomial_low(right, count, delta)
    helped = None
    if machine_labels is not None:
        more = predicted[:0] if X_unlabeled is None else np.asarray(model.predict(X_unlabeled))
        helped = _with_machine(np.concatenate([predicted, more]), labels, own, machine_labels, delta)
    if tables is None:
        return Certificate(confidence, count, right / count, lowest, model_at_least_by_machine=helped)
    signs = np.where(labels == classes[1], 1.0, -1.0)
    rows, others = tables
    learner.check(rows)
    learner.check(others)
    generator = as_generator(rng, "rng")
    largest = _largest_correlation(learner, rows, signs, generator)
    best_right = round((1.0 + largest) / 2.0 * count)
    complexity, slack = _rademacher(learner, others, count, sign_draws, delta / 4.0, generator)
    luck = 2.0 * (complexity + slack) + sqrt(2.0 * log(4.0 / delta) / count)
    return Certificate(
        confidence,
        count,
        right / count,
        lowest,
        best_right / count,
        binomial_high(best_right, count, delta),
        max(COIN, (1.0 + largest - luck) / 2.0, _chosen_rule_at_least(learner, rows, signs, delta / 2.0, generator)),
        complexity,
        helped,
    )


def _with_machine(predicted: Matrix, labels: Matrix, classes: Matrix, machine_labels: Any, delta: float) -> float:
    """A bound below the model's accuracy, but for probability ``delta``; the first rows are those with labels."""
    y = np.full(len(predicted), None, dtype=object)
    y[: len(labels)] = labels
    found = evaluate_predictions(
        predicted, y, classes=classes, machine_labels=machine_labels, confidence=1.0 - 2.0 * delta
    )
    return found[ACCURACY].low


def _exact(learner: WeakLearner) -> WeakLearner:
    if not isinstance(learner, EXACT) or getattr(learner, "min_gain", 0.0) > 0.0:
        names = ", ".join(kind.__name__ for kind in EXACT)
        raise ValueError(f"base must find the best rule exactly: {names} (min_gain=0). Got {learner!r}.")
    return learner


def _largest_correlation(learner: WeakLearner, X: Matrix, signs: Floats, rng: Rng) -> float:
    """Of any rule with these signs."""
    batch = Batch(X, signs, np.full(len(X), 1.0 / len(X)))
    return float(np.mean(signs * learner.fit(batch, rng).predict(X)))


def _chosen_rule_at_least(learner: WeakLearner, X: Matrix, signs: Floats, delta: float, rng: Rng) -> float:
    """A lower bound on the accuracy of the rule that is best on half of the rows, by the other half."""
    half = len(X) // 2
    if not half:
        return 0.0
    order = rng.permutation(len(X))
    chosen, tested = order[:half], order[half:]
    rule = learner.fit(Batch(X[chosen], signs[chosen], np.full(half, 1.0 / half)), rng)
    right = int(np.sum(rule.predict(X[tested]) == signs[tested]))
    return binomial_low(right, len(tested), delta)


def _rademacher(learner: WeakLearner, X: Matrix, rows: int, draws: int, delta: float, rng: Rng) -> tuple[float, float]:
    """The mean of the largest correlation with coin flips over blocks of ``rows`` rows; and by how much, but for
    probability ``delta``, its expectation can be above that.

    The mean over b disjoint blocks and k draws each moves by at most 2/(n b) if a row is exchanged, and by 2/(n b k) if
    a coin is: McDiarmid's inequality then gives sqrt(2 (1 + 1/k) ln(1/delta)/(n b)). Without enough rows for a block, a
    smaller one is used: complexities fall with the number of rows, so that this errs on the safe side.
    """
    size = min(rows, len(X))
    blocks = max(1, len(X) // size)
    order = rng.permutation(len(X))
    found = [
        _largest_correlation(learner, X[order[start : start + size]], rng.choice([-1.0, 1.0], size), rng)
        for start in range(0, blocks * size, size)
        for _ in range(draws)
    ]
    return float(np.mean(found)), sqrt(2.0 * (1.0 + 1.0 / draws) * log(1.0 / delta) / (size * blocks))
