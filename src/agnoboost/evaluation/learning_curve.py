"""What more labels are worth: the learning curve of the labels at hand, continued by a power law.

    error(n) = a + b * n^-c,      b >= 0,

fitted to errors on rows left out, of models that were trained on nested parts of the other labels. A handful of points
cannot tell which power c it is: the estimate is the mean over several, and each resample of rows takes one of them by
chance.

Resampling rows is not enough for an interval, since all parts are parts of the same labels, and other labels would have
made other models. How much wider it has to be (WIDER) and by how much the gain of one draw of labels strays from the
average gain (LUCK) were set on the tables of the few-labels study that are for development.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ..basics.checks import check_count
from ..basics.typing import Floats, Ints
from ..labels.machine import beside
from ..labels.reading import as_column, read_labels, shown
from ..tables.reading.findings import listed
from ..tables.rows import take
from .by_class import quiet_fits
from .identifiers import without_identifiers
from .model_selection import LabeledSplit

POWERS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])  # of learning curves as they are met; 0 is the logarithm
WIDER = 1.5  # the spread of resamples, since they know nothing of other labels
LUCK = 0.7  # of one draw of labels, in standard errors of a share of errors
SMALLEST_PART = 0.2  # of the labels, where the curve begins
FEWEST = 10  # labels to train on
FEWEST_OF_A_CLASS = 5
POINTS, FOLDS, REPEATS = 5, 5, 2
RESAMPLES = 400


@dataclass(frozen=True)
class LabelWorth:
    """What ``more`` labels are worth in accuracy.

    Attributes
    ----------
    labels, more : int
        How many there are, and how many would come.
    gain : float
        Of the average draw of labels.
    interval : tuple of float
        95% interval of that average gain. (On tables that it was not set on it held 90%: docs/labeling.md.)
    own_interval : tuple of float
        95% interval of what these very labels gain from new ones. It is wider, since both have luck of their own.
    accuracy : float
        With the labels at hand, by the curve.
    not_found : tuple
        Classes for which accuracy says nothing yet: no row of theirs was predicted right, however many labels there
        were to learn from.
    """

    labels: int
    more: int
    gain: float
    interval: tuple[float, float]
    own_interval: tuple[float, float]
    accuracy: float
    not_found: tuple[Any, ...] = ()

    def __str__(self) -> str:
        average, own = (f"{_signed(low)} to {_signed(high)}" for low, high in (self.interval, self.own_interval))
        worth = f"about {_signed(self.gain)} accuracy on average (95% interval {average})"
        return (
            f"{self.more} more labels are worth {worth}, "
            f"from {self.accuracy:.3f} with {self.labels} labels to {self.accuracy + self.gain:.3f}; "
            f"for these very labels, with their luck, {own}.{self._caution}"
        )

    @property
    def _caution(self) -> str:
        """What an accuracy hides where a class is rare."""
        if not self.not_found:
            return ""
        names, own = listed(self.not_found), "it" if len(self.not_found) == 1 else "them"
        return (
            f" But no model predicted any row of {names} right, so that accuracy cannot show what more labels are "
            f"worth to find {own}: label more rows of {own}, and look at average precision."
        )


@dataclass(frozen=True)
class LabelingCurve:
    """Errors on rows left out, by the number of labels that were trained on.

    Attributes
    ----------
    labels : int
        How many labels there are.
    sizes : array of int
        How many of them were trained on.
    errors : array of shape (labels, sizes)
        Of each labeled row: the share of wrong predictions by models that have not seen it.
    seed : int
        Of the resampling.
    not_found : tuple
        Classes none of whose rows was ever predicted right.
    """

    labels: int
    sizes: Ints
    errors: Floats
    seed: int = 0
    not_found: tuple[Any, ...] = ()

    @property
    def accuracies(self) -> Floats:
        """The accuracy for each size."""
        return np.asarray(1.0 - self.errors.mean(axis=0))

    def worth(self, more: int = 100) -> LabelWorth:
        """What ``more`` labels of the same kind would bring."""
        check_count(more, "more")
        now, then = self._continued(np.array([self.labels, self.labels + more])).T
        gains = now[1:] - then[1:]  # the first is that of the rows as they are
        shrinking = 1.0 / self.labels - 1.0 / (self.labels + more)  # of the variance of a mean
        luck = LUCK * np.sqrt(now[0] * (1.0 - now[0]) * shrinking)
        own = gains + luck * np.random.default_rng([self.seed, 1]).normal(size=len(gains))
        gain, accuracy = float(now[0] - then[0]), float(1.0 - now[0])
        return LabelWorth(self.labels, more, gain, _ends(gains), _ends(own), accuracy, self.not_found)

    def band(self, sizes: Any) -> tuple[Floats, Floats, Floats]:
        """The continued curve: accuracies at these numbers of labels, and both ends of their 95% intervals."""
        found = 1.0 - self._continued(np.asarray(sizes, dtype=np.float64))
        low, high = np.quantile(found[1:], [0.025, 0.975], axis=0)
        return found[0], low, high

    def _continued(self, sizes: Floats | Ints) -> Floats:
        """Errors at these sizes by the rows as they are, and by each resample of them (shape: 1 + resamples, sizes)."""
        rng = np.random.default_rng(self.seed)
        rows, measured = len(self.errors), self.errors.mean(axis=0)
        chances = np.full(rows, 1.0 / rows)
        sums = [rng.multinomial(rows, chances) @ self.errors for _ in range(RESAMPLES)]  # in turn: rows may be many
        resampled = measured + WIDER * (np.array(sums) / rows - measured)
        middle = power_law(self.sizes, np.tile(measured, (len(POWERS), 1)), POWERS)(sizes).mean(axis=0)
        return np.vstack([middle, power_law(self.sizes, resampled, rng.choice(POWERS, RESAMPLES))(sizes)])


def _ends(values: Floats) -> tuple[float, float]:
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def power_law(sizes: Ints, errors: Floats, powers: Floats) -> Callable[[Any], Floats]:
    """The curve a + b n^-c next to each row of errors (shape: curves, sizes), as a function of n.

    By least squares, with one power c for each row, and b >= 0; for c = 0 it is a - b log n. Errors below 0 are 0.

    >>> sizes = np.array([10, 20, 40])
    >>> curve = power_law(sizes, 0.1 + 0.8 * sizes[None] ** -0.5, np.array([0.5]))
    >>> curve([80]).round(4).tolist(), round(0.1 + 0.8 * 80**-0.5, 4)
    ([[0.1894]], 0.1894)
    """
    powers = powers[:, None]

    def falling(n: Any) -> Floats:
        n = np.asarray(n, dtype=np.float64)
        return np.asarray(np.where(powers > 0.0, n**-powers, -np.log(n)))

    x = falling(sizes)
    centred = x - x.mean(axis=1, keepdims=True)
    b = np.maximum(np.sum(errors * centred, axis=1) / np.sum(centred**2, axis=1), 0.0)
    a = errors.mean(axis=1) - b * x.mean(axis=1)
    return lambda n: np.maximum(a[:, None] + b[:, None] * falling(n), 0.0)


def labeling_curve(
    model: Any,
    X: Any,
    y: Any,
    *,
    X_unlabeled: Any = None,
    machine_labels: Any = None,
    missing_label: Any = "auto",
    random_state: int = 0,
    tick: Callable[[], None] = lambda: None,
) -> LabelingCurve:
    """The learning curve of a classifier, from the labels at hand.

    In each of two times five folds the model is trained on five nested parts of the other labels; unlabeled rows are in
    all of them. That is 50 fits, so that ``TableClassifier(effort="fast")`` is a good choice.

    Parameters
    ----------
    model : classifier
        One of this library, or any other that takes the table.
    X, y : table and labels
        Rows without label are marked in y.
    X_unlabeled : table, optional
        More unlabeled rows, for classifiers that take them.
    machine_labels : optional
        What machines say of the rows of X, for classifiers that take it (``TableClassifier``). Labeled rows that a
        model does not get are left out with their machine labels.
    missing_label : default="auto"
        The mark of unlabeled rows in y.
    random_state : int, default=0
        For folds and parts.
    tick : callable
        Called after every fit.

    Returns
    -------
    LabelingCurve
        Its ``worth`` says what more labels would bring.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(120, random_state=0)
    >>> curve = labeling_curve(LogisticRegression(), X, y)
    >>> curve.sizes.tolist()
    [19, 28, 42, 63, 94]
    >>> curve.worth(100).more
    100
    """
    column = as_column(y)
    marks = read_labels(column, missing_label)
    known = np.flatnonzero(marks.known)
    sizes = _sizes(marks.codes[known], marks.classes)
    X, X_unlabeled = without_identifiers(model, X, X_unlabeled)
    extra = {} if X_unlabeled is None else {"X_unlabeled": X_unlabeled}
    wrong = np.zeros((REPEATS, len(column), len(sizes)))
    for repeat in range(REPEATS):
        rng = np.random.default_rng([random_state, repeat])
        split = LabeledSplit(FOLDS, missing_label=missing_label, random_state=int(rng.integers(2**31)))
        for train, test in split.split(X, column):
            rest = train[~marks.known[train]]
            order = _mixed(train[marks.known[train]], marks.codes, rng)
            for place, size in enumerate(sizes):
                rows = np.sort(np.concatenate([order[:size], rest]))
                with quiet_fits():  # the parts are small
                    machines = beside(machine_labels, rows)
                    fitted = clone(model).fit(take(X, rows), column[rows], **extra, **machines)
                said = fitted.predict(take(X, test))
                wrong[repeat, test, place] = [a != b for a, b in zip(said, column[test], strict=True)]
                tick()
    errors, codes = wrong[:, known].mean(axis=0), marks.codes[known]
    not_found = tuple(name for code, name in enumerate(marks.classes.tolist()) if errors[codes == code].min() == 1.0)
    return LabelingCurve(len(known), sizes, errors, random_state, not_found)


FITS = REPEATS * FOLDS * POINTS  # that a curve takes


def _sizes(codes: Ints, classes: Any) -> Ints:
    """Numbers of labels to train on, each larger by the same factor and enough for all classes; refuses too few."""
    counts = np.bincount(codes, minlength=len(classes))
    if counts.min() < FEWEST_OF_A_CLASS or len(codes) < 5 * FEWEST:
        raise ValueError(
            f"A learning curve needs {5 * FEWEST} labels, and {FEWEST_OF_A_CLASS} of each class. Got {len(codes)}, and "
            f"{counts.min()} of class {shown(classes[int(counts.argmin())])}. Label more rows first."
        )
    most = len(codes) - -(-len(codes) // FOLDS) - len(classes)  # what every fold has to train on
    least = max(FEWEST, len(classes), round(SMALLEST_PART * most))
    return np.unique(np.geomspace(least, most, POINTS).round().astype(np.int64))


def _mixed(rows: Ints, codes: Ints, rng: np.random.Generator) -> Ints:
    """By chance, but so that every part at the beginning holds all classes, in about their shares."""
    rows = rng.permutation(rows)
    place = np.empty(len(rows))
    for code in np.unique(codes[rows]):
        own = np.flatnonzero(codes[rows] == code)
        place[own] = (np.arange(len(own)) + rng.random()) / len(own) if len(own) > 1 else 0.0
        place[own[0]] = 0.0  # each class has a row in the first part
    return np.asarray(rows[np.argsort(place, kind="stable")])


def _signed(value: float) -> str:
    """
    >>> _signed(0.0104), _signed(-0.2)
    ('+.010', '-.200')
    """
    return f"{value:+.3f}".replace("0.", ".", 1)
