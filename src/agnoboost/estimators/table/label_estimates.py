"""Flip rates and class priors by looking at the data: what can be had that way, and what cannot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from ...basics.checks import check_between
from ...basics.intervals import binomial_interval
from ...basics.typing import Bools, Floats
from ...evaluation.by_class import quiet_fits
from ...labels import FlipRates, PositiveUnlabeled
from ...labels.reading import as_column, known_rows, shown
from ...tables.alike import with_columns_of
from ...tables.arriving import arrived
from ...tables.cells import is_frame
from .estimator import TableClassifier

FEWEST_ON_A_SIDE = 10
SUREST = 0.1  # share of the rows, at either end of the margins, that are looked at
FEWEST_POSITIVES = 0.1  # a threshold must leave this share of the positives above it
MOST_ROWS = 1000  # of each kind, for the classifier that tells positives from unlabeled rows


@dataclass(frozen=True)
class FlipRateEstimate:
    """A diagnosis: how many labels are wrong among the rows whose class is surest; ``positive`` is the second class.

    What cannot be identified: a flipped label looks like a label of a class that overlaps with the other. Without rows
    whose class is certain (or true labels of some rows, see :func:`audit_flip_rates`) no method can tell the two apart.
    The rates are P(observed wrong) among these rows, whether by flips, by overlap or by chance. Taken for flip rates as
    they are they cost accuracy where both classes are equally noisy: a difference that is chance moves the threshold.
    ``label_model`` therefore has the lower ends of the intervals, and only where the intervals lie apart a different
    one for each class. Rates that you know, or that an audit has shown, are worth more.

    Attributes
    ----------
    positive, negative : float
        The rates among the surest rows of the second and of the first class.
    positive_interval, negative_interval : tuple of float
        Their 95% intervals.
    rows : int
        How many rows were counted.
    """

    positive: float
    negative: float
    positive_interval: tuple[float, float]
    negative_interval: tuple[float, float]
    rows: int

    @property
    def label_model(self) -> FlipRates:
        """What is wrong at least; the lower rate for both classes, unless it is clear that they differ."""
        (low, high), (low_negative, high_negative) = self.positive_interval, self.negative_interval
        if low > high_negative or low_negative > high:
            return FlipRates(positive=low, negative=low_negative)
        return FlipRates(min(low, low_negative))

    def __str__(self) -> str:
        low, high = self.positive_interval
        low_negative, high_negative = self.negative_interval
        return (
            f"Where the class is surest, {self.positive:.0%} of the labels of the second class are wrong (95% interval "
            f"{low:.0%} to {high:.0%}) and {self.negative:.0%} of the first ({low_negative:.0%} to "
            f"{high_negative:.0%}), by the {self.rows} surest rows of each. Overlap of the classes cannot be told from "
            "flips: audit some labels to know more."
        )


def estimate_flip_rates(
    X: Any, y: Any, *, categorical_features: Any = "auto", missing_label: Any = "auto", random_state: Any = 0
) -> FlipRateEstimate:
    """How often labels disagree with a classifier where it is surest, by out-of-bag margins: a diagnosis.

    Assumes that the surest rows of both classes (a tenth of all rows, or half of those on that side of the boundary)
    have certain classes, and that flips do not depend on x. Raises ValueError where labels are wrong as often as right
    even there: then the classifier has found nothing by which flips could be told.

    Parameters
    ----------
    X, y : table and labels
        Of two classes; rows without label are marked in y.
    categorical_features, missing_label
        As for :class:`~agnoboost.TableClassifier`.
    random_state : int, RandomState or None, default=0
        Of the classifier.

    Returns
    -------
    FlipRateEstimate
        Rates with intervals.
    """
    model = TableClassifier(
        categorical_features=categorical_features, missing_label=missing_label, random_state=random_state
    )
    with quiet_fits():
        model.fit(X, y)
    if len(model.classes_) != 2:
        raise ValueError(f"Flip rates are estimated for two classes. Got {len(model.classes_)}.")
    column = as_column(y)
    labels = column[known_rows(column, missing_label)]
    unseen = ~np.isnan(model.oob_decision_function_)  # of very many labels some
    observed = np.array([label == model.classes_[1] for label in labels[unseen]])
    margins = model.oob_decision_function_[unseen]
    positive, positive_interval, count = _wrong_among_surest(margins, ~observed, model.classes_[1])
    negative, negative_interval, other = _wrong_among_surest(-margins, observed, model.classes_[0])
    if positive + negative >= 1.0:
        raise ValueError(
            "Flip rates need a classifier that tells the classes apart where it is surest. Got labels that are wrong "
            f"as often as right there ({positive:.0%} and {negative:.0%}). Audit some labels (audit_flip_rates)."
        )
    return FlipRateEstimate(positive, negative, positive_interval, negative_interval, min(count, other))


def _wrong_among_surest(margins: Floats, wrong: Bools, name: Any) -> tuple[float, tuple[float, float], int]:
    """The share of wrong labels in the tenth of the rows with the largest margins, or in half of those on this side."""
    inside = int((margins > 0).sum())
    if inside < FEWEST_ON_A_SIDE:
        raise ValueError(
            f"Flip rates need at least {FEWEST_ON_A_SIDE} rows that look like class {shown(name)}. Got {inside}. Audit "
            "some labels instead (audit_flip_rates)."
        )
    count = max(1, min(round(SUREST * len(margins)), inside // 2))
    surest = np.argsort(-margins, kind="stable")[:count]
    hits = int(wrong[surest].sum())
    return hits / count, binomial_interval(hits, count, 0.95), count


@dataclass(frozen=True)
class PriorEstimate:
    """About the share of positives among unlabeled rows.

    All of it **assumes that the positives are a random sample of all positives**. If they were found because they are
    obvious, the share of positives like *them* is estimated, and the true share may be many times as large, above
    ``at_most``, too; nothing in the data shows that.

    Attributes
    ----------
    prior : float
        The estimate. It further assumes a region that holds positives only, and is too high where there is none. It is
        the lowest of many ratios, and may be too low by chance.
    error : float
        The standard error of its two counts.
    at_most : float
        The share is no more than this, with 90% confidence, however many thresholds were looked at.
    """

    prior: float
    error: float
    at_most: float

    @property
    def label_model(self) -> PositiveUnlabeled:
        """The label model with this prior."""
        return PositiveUnlabeled(self.prior)

    def __str__(self) -> str:
        return (
            f"About {self.prior:.0%} of the unlabeled rows are positive (standard error {self.error:.0%}; at most "
            f"{self.at_most:.0%} with 90% confidence), if the labeled positives are a random sample of all positives. "
            "Were they found because they are obvious, there may be many more. Negatives that look like positives "
            "cannot be told from them without labels."
        )


def estimate_prior(X_positive: Any, X_unlabeled: Any, *, random_state: int = 0) -> PriorEstimate:
    """The class prior by the best bin: the smallest ratio of unlabeled rows to positives above a threshold.

    Above a threshold c of any score, P(score > c) = pi P(score > c | positive) + (1 - pi) P(score > c | negative), so
    that the ratio of the first to the second is at least pi, and equal where no negative reaches. The score is the
    out-of-bag margin of a classifier that tells positives from unlabeled rows; the threshold is that of the lowest
    upper confidence bound on the ratio, and leaves at least a tenth of the positives above it.

    The positives must be a random sample of all positives: see :class:`PriorEstimate` for what happens otherwise.

    Parameters
    ----------
    X_positive : table
        Rows that are known to be positive.
    X_unlabeled : table
        Rows of the population.
    random_state : int, default=0
        Of the classifier.

    Returns
    -------
    PriorEstimate
        The share, its error, and a bound.
    """
    rng = np.random.default_rng(random_state)
    X_positive, X_unlabeled = (arrived(_plain_frame(table)) for table in (X_positive, X_unlabeled))
    X_unlabeled = with_columns_of(X_positive, X_unlabeled, "X_unlabeled")
    positives, unlabeled = (_some(table, rng) for table in (X_positive, X_unlabeled))
    if min(len(positives), len(unlabeled)) < 10:
        raise ValueError(
            f"The class prior needs at least 10 rows of each kind. Got {len(positives)} positives and {len(unlabeled)} "
            "unlabeled rows."
        )
    X = _stacked(positives, unlabeled)
    marks = np.repeat([1, 0], [len(positives), len(unlabeled)])
    model = TableClassifier(class_weight="balanced", random_state=random_state).fit(X, marks)
    score = model.oob_decision_function_
    return best_bin(score[marks == 1], score[marks == 0])


def _plain_frame(table: Any) -> Any:
    """Tables of pyarrow as those of pandas, other frames as they are; what has no columns as an array."""
    if hasattr(table, "column_names"):
        return table.to_pandas()
    return table if is_frame(table) else np.asarray(table)


def _stacked(first: Any, second: Any) -> Any:
    if not is_frame(first):
        return np.concatenate([first, second])
    import pandas as pd

    return pd.concat([pd.DataFrame(first), pd.DataFrame(second)], ignore_index=True)


def best_bin(positives: Floats, unlabeled: Floats, confidence: float = 0.9) -> PriorEstimate:
    """The smallest ratio of shares above a threshold, among those with enough positives above it."""
    check_between(confidence, 0.0, 1.0, "confidence", open_high=True)
    cuts = np.unique(positives)
    above = [1.0 - np.searchsorted(np.sort(scores), cuts) / len(scores) for scores in (positives, unlabeled)]
    enough = above[0] >= FEWEST_POSITIVES
    share_positive, share_unlabeled = above[0][enough], above[1][enough]
    slack = [np.sqrt(np.log(4.0 / (1.0 - confidence)) / (2.0 * len(scores))) for scores in (positives, unlabeled)]
    bound = (share_unlabeled + slack[1]) / np.maximum(share_positive - slack[0], 1e-9)
    bound = np.where(share_positive > slack[0], bound, np.inf)
    place = int(np.argmin(bound)) if np.isfinite(bound).any() else 0
    p, u = float(share_positive[place]), float(share_unlabeled[place])
    ratio = u / p
    variance = u * (1 - u) / len(unlabeled) / p**2 + ratio**2 * p * (1 - p) / len(positives) / p**2
    prior = float(np.clip(ratio, 1.0 / len(unlabeled), 1.0 - 1e-6))
    return PriorEstimate(prior, float(np.sqrt(variance)), float(np.clip(bound[place], prior, 1.0)))


def _some(X: Any, rng: np.random.Generator) -> Any:
    """No more rows than needed, drawn at random."""
    return X if len(X) <= MOST_ROWS else _safe_indexing(X, rng.choice(len(X), MOST_ROWS, replace=False))
