"""Which given labels look wrong, and about how many are, from probabilities by parts that have not seen the labels.

A model of labels some of which are wrong estimates P(given | x). Two things are assumed to get to the true ones:

1. Where the model is surest, classes do not overlap: labels that disagree there are wrong ones.
2. Whether a label is wrong depends on its true class, and not on the row.

So T[j, k] = P(given = k | true = j) is counted among the surest rows of each class, P(true | x) is the p for which
T' p = q = P(given | x), and P(true = j | x, given = k) is p_j T[j, k], divided by the sum over j. That ranks labels.

How many are wrong is the mean of two estimates that err in different ways. One is the sum of those probabilities. The
other needs no rates: labels to which the model prefers another class, of which it is at least as sure as of the rows
that carry that label on average (confident learning; Northcutt, Jiang and Chuang, 2021). Neither can be checked without
true labels. Classes that overlap everywhere make both too large; wrong labels that gather where classes meet make both
too small. A right label on the list of those to check costs a glance, a wrong one that is not on it stays wrong: so the
list is longer than the number, half way to the number of labels which the model would have named otherwise.

The inversion of T makes much of little where rates are high: nearly equal probabilities become certainty. So a label is
never said to be wrong with more than 1 - P(given | x), whatever the rates. And one label more or less among the surest
rows makes probabilities of single labels several times as large: so their log-odds are moved, all by the same, until
they sum to the number. Where most labels of a class are on the list, it is the model that does not know the class: a
few wrong labels cannot be told from many right ones that it has not learned. That is said. And a model that does not
rank rows better than chance (see :func:`agnoboost.evaluation.ranking.knows_something`) suspects nothing at all.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit

from ..basics.extras import require
from ..basics.typing import Floats, Ints
from .ranking import knows_something, no_help

SUREST = 0.2  # share of the rows that are looked at for each class, and at most half of those that look like it
PRIOR_ROWS = 20.0  # the rate of all classes together counts as so many rows of each
RATES = (0.005, 0.45)  # of wrong labels in a class
SOFT = 0.05  # probabilities below are bent rather than cut off, so that they keep their order
RESAMPLES = 100
MOST_ROWS = 20_000  # rows that suffice for an interval
MOVED = 3.0  # log-odds are moved by at most so much
HALVINGS = 40
TINY = 1e-12
LIKE_ERRORS = 2  # labels of a class: so few may be mistyped ones
UNKNOWN = 0.5  # share of the labels of a class that are on the list from which on the model does not know the class


@dataclass(frozen=True)
class SuspiciousLabels:
    """Given labels, the most suspicious first.

    Attributes
    ----------
    row : array of int
        Numbers of the rows in the table that was passed to ``fit``, from 0; rows without label are counted.
    given, suggested : array
        The label as it is, and the likeliest other one.
    probability, suggested_probability : array of float
        Of both, by parts of the model that have not seen the row.
    suspicion : array of float
        Estimated probability that the given label is wrong; at most 1 - ``probability``. Over all labels these sum to
        ``count``, as far as that allows.
    count : float
        About how many labels are wrong; NaN, and so is the interval, if the model knows nothing.
    interval : tuple of float
        From the lower to the upper end of 95% intervals of both estimates (see ``evaluation/suspicious.py``).
        That is chance; what the assumptions get wrong comes on top.
    knows_something : bool
        Whether the model ranks rows clearly better than chance. If not, no label is worth a look because of it.
    """

    row: Ints
    given: npt.NDArray[Any]
    suggested: npt.NDArray[Any]
    probability: Floats
    suggested_probability: Floats
    suspicion: Floats
    count: float
    interval: tuple[float, float]
    knows_something: bool = True

    def __len__(self) -> int:
        return len(self.row)

    @property
    def to_check(self) -> int:
        """How many of the first are worth a look: from ``count`` half way to all whose other label is likelier."""
        if not self.knows_something:
            return 0
        return round((self.count + np.count_nonzero(self.suggested_probability > self.probability)) / 2.0)

    @property
    def unknown_classes(self) -> dict[Any, tuple[int, int]]:
        """Classes that the model does not know: how many of their labels are worth a look, and how many there are."""
        listed = Counter(self.given[: self.to_check].tolist())
        all_of = Counter(self.given.tolist())
        return {name: (some, all_of[name]) for name, some in listed.items() if some >= UNKNOWN * all_of[name]}

    @property
    def advice(self) -> str:
        """What to do about the list; a model says nothing against the labels of a class that it does not know."""
        listed = self.unknown_classes
        rest = self.to_check - sum(some for some, _ in listed.values())
        again = "Look at these labels again: more are listed than are wrong." if rest else ""
        if not listed:
            return again
        parts = ", ".join(f"{some} of {all_of} labels {name!r}" for name, (some, all_of) in listed.items())
        typed = " (or are they mistyped?)" if min(all_of for _, all_of in listed.values()) <= LIKE_ERRORS else ""
        return (
            f"Listed are {parts}: so the model does not know this class, rather than that its labels are wrong. Label "
            f"more rows of it{typed}. {again.replace('these', 'the other')}"
        ).strip()

    def to_frame(self, n: int | None = None) -> Any:
        """The ``n`` most suspicious ones as a pandas data frame; by default those that are worth a look."""
        first = slice(self.to_check if n is None else n)
        names = ("row", "given", "suggested", "probability", "suggested_probability", "suspicion")
        return require("pandas", "data").DataFrame({name: getattr(self, name)[first] for name in names})

    def __str__(self) -> str:
        if not self.knows_something:
            return f"{no_help(self.given)} So it cannot say which labels are wrong."
        low, high = self.interval
        return (
            f"About {self.count:.0f} of {len(self)} labels look wrong ({low:.0f} to {high:.0f}, for chance alone). "
            "That is if labels that disagree where the model is surest are wrong, and wrong labels lie anywhere in "
            f"their class.{f' {self.advice}' if self.to_check else ''}"
        )


def suspicious_labels(
    probabilities: Floats, given: Ints, classes: npt.NDArray[Any], rows: Ints, seed: int = 0
) -> SuspiciousLabels:
    """Rank given labels.

    Parameters
    ----------
    probabilities : array of shape (rows, classes)
        P(given | x) by models that have not seen the row; NaN for rows without such, which are left out.
    given : class numbers of the labels
    classes : names of the classes
    rows : numbers of the rows, for the result
    seed : for the interval
    """
    judged = ~np.isnan(probabilities).any(axis=1)
    q, given, rows = probabilities[judged], given[judged], rows[judged]
    if not len(q):
        raise ValueError("No label can be judged: every part of the model has seen every row. Label more rows.")
    true = true_classes(q, given)
    place = np.arange(len(q))
    own = q[place, given]
    wrong = 1.0 - true[place, given]
    others = true.copy()
    others[place, given] = -1.0
    suggested = others.argmax(axis=1)
    order = np.argsort(-wrong, kind="stable")  # which knows that one class may have more wrong labels than another
    known = knows_something(q, given)
    count = float(wrong.sum() + surely_others(q, given)) / 2.0 if known else np.nan
    supported = summing_to(count, wrong, 1.0 - own) if known else np.minimum(wrong, 1.0 - own)
    return SuspiciousLabels(
        rows[order],
        classes[given[order]],
        classes[suggested[order]],
        own[order],
        q[place, suggested][order],
        supported[order],
        count,
        _interval(q, given, seed) if known else (np.nan, np.nan),
        known,
    )


def summing_to(count: float, chances: Floats, most: Floats) -> Floats:
    """Chances whose log-odds are moved, all by the same, until they sum to ``count``; each is ``most`` at most.

    >>> summing_to(1.2, np.array([0.5, 0.5, 0.2]), np.array([1.0, 0.3, 1.0])).round(3).tolist()
    [0.615, 0.3, 0.285]
    """
    log_odds = logit(np.clip(chances, TINY, 1.0 - TINY))
    low, high = -MOVED, MOVED
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        if np.minimum(expit(log_odds + middle), most).sum() < count:
            low = middle
        else:
            high = middle
    return np.asarray(np.minimum(expit(log_odds + low), most))


def unweighted(probabilities: Floats, class_weights: Floats | None) -> Floats:
    """P(given | x) from probabilities of weighted classes (shape: rows, classes); classes of weight 0 stay as they are.

    >>> unweighted(np.array([[0.4, 0.6]]), np.array([1.0, 3.0])).round(3).tolist()
    [[0.667, 0.333]]
    """
    if class_weights is None:
        return probabilities
    q = probabilities / np.where(class_weights > 0.0, class_weights, 1.0)
    return np.asarray(q / q.sum(axis=1, keepdims=True))


def true_classes(q: Floats, given: Ints) -> Floats:
    """P(true class | x, given label) (shape: rows, classes)."""
    channel = wrong_label_rates(q, given)
    corrected = np.linalg.solve(channel.T, q.T).T
    likely = SOFT * np.logaddexp(0.0, corrected / SOFT) * channel[:, given].T
    return np.asarray(likely / likely.sum(axis=1, keepdims=True))


def wrong_label_rates(q: Floats, given: Ints) -> Floats:
    """P(given | true) among the rows that look surest (shape: true classes, given classes)."""
    classes = q.shape[1]
    looks_like = q.argmax(axis=1)
    seen = np.zeros((classes, classes))
    for name in range(classes):
        inside = np.flatnonzero(looks_like == name)
        count = min(round(SUREST * len(q)), (len(inside) + 1) // 2)
        surest = inside[np.argsort(-q[inside, name], kind="stable")[:count]]
        seen[name] = np.bincount(given[surest], minlength=classes)
    wrong = seen * ~np.eye(classes, dtype=bool)
    rate = (wrong.sum(axis=1) + PRIOR_ROWS * wrong.sum() / seen.sum()) / (seen.sum(axis=1) + PRIOR_ROWS)
    spread = (wrong + ~np.eye(classes, dtype=bool)) / (wrong.sum(axis=1, keepdims=True) + classes - 1)
    rate = np.clip(rate, *RATES)
    return np.asarray(rate[:, None] * spread + np.diag(1.0 - rate))


def surely_others(q: Floats, given: Ints) -> int:
    """Labels to which another class is preferred, as surely as to rows that carry its label, on average."""
    classes = np.arange(q.shape[1])
    own = np.bincount(given, q[np.arange(len(q)), given], len(classes)) / np.maximum(
        np.bincount(given, minlength=len(classes)), 1
    )
    sure = np.where(q >= own, q, 0.0)
    preferred = sure.argmax(axis=1)
    return int(np.count_nonzero(sure.any(axis=1) & (preferred != given) & (q.argmax(axis=1) != given)))


def _interval(q: Floats, given: Ints, seed: int) -> tuple[float, float]:
    """By resampling rows; and whether each label is wrong is chance, too, whatever its probability."""
    rng = np.random.default_rng(seed)
    size = min(len(q), MOST_ROWS)
    counts = np.empty((RESAMPLES, 2))
    for number in range(RESAMPLES):
        drawn = rng.integers(len(q), size=size)
        labels = given[drawn]
        wrong = 1.0 - true_classes(q[drawn], labels)[np.arange(size), labels]
        counts[number] = np.count_nonzero(rng.random(size) < wrong), surely_others(q[drawn], labels)
    middle = counts.mean(axis=0)
    counts = middle + (counts - middle) * np.sqrt(size / len(q))  # where there are more rows, chance is smaller
    ends = np.quantile(counts * (len(q) / size), [0.025, 0.975], axis=0)
    return float(ends[0].min()), float(ends[1].max())
