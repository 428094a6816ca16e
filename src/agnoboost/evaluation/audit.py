"""How good a classifier is, from few gold labels and many machine labels: honest intervals for the usual figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from ..basics.checks import check_between
from ..basics.extras import require
from ..basics.typing import Floats
from .audited_rows import AuditedRows, Predictions, checked, predictions_of, read_audited
from .measures import Measure, RankingArea, f1, mean, precision, recall
from .powered import Marks, estimate

ACCURACY = "accuracy"
WORDS = {
    ACCURACY: "accuracy",
    "brier_score": "Brier score",
    "roc_auc": "area under ROC",
    "prevalence": "share of rows",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
}


@dataclass(frozen=True)
class AuditFigure:
    """One figure with its interval.

    Attributes
    ----------
    name : str
        ``"accuracy"``, ``"brier_score"``, ``"roc_auc"``, ``"prevalence"``, ``"precision"``, ``"recall"`` or ``"f1"``.
    of : class or None
        The class that it speaks of, if it does not speak of all.
    value, low, high : float
        With the help of the machine labels; the same as the next three where they are of no help.
    gold_value, gold_low, gold_high : float
        By gold rows alone.
    worth : float
        How many times as many gold labels would be needed for the same variance without machine labels.
    """

    name: str
    of: Any
    value: float
    low: float
    high: float
    gold_value: float
    gold_low: float
    gold_high: float
    worth: float

    @property
    def text(self) -> str:
        """Its name for people."""
        words = WORDS[self.name]
        return words if self.of is None else f"{words}, {self.of}"


@dataclass(frozen=True)
class Audit:
    """How good a classifier is.

    Attributes
    ----------
    confidence : float
        Of each interval by itself.
    gold, rows : int
        How many rows have a gold label, and how many there are.
    figures : tuple of AuditFigure
        ``audit["accuracy"]`` and ``audit["recall", "yes"]`` pick one.
    machine_unused : bool
        Whether machine labels gave way to the model's own probabilities, since their gaps go along with gold labels.
    """

    confidence: float
    gold: int
    rows: int
    figures: tuple[AuditFigure, ...]
    machine_unused: bool = False

    def __getitem__(self, key: Any) -> AuditFigure:
        if (figure := find(self.figures, key)) is not None:
            return figure
        known = ", ".join(repr(one.name if one.of is None else (one.name, one.of)) for one in self.figures)
        raise KeyError(f"figure must be one of {known} (others are not defined by these gold labels). Got {key!r}.")

    def to_frame(self) -> Any:
        """A line for each figure, as a pandas data frame."""
        return require("pandas", "data").DataFrame([vars(figure) for figure in self.figures])

    def __str__(self) -> str:
        lines = [
            f"{self.gold:,} checked labels among {self.rows:,} rows, {self.confidence:.0%} intervals:",
            f"{'':<34}{'with machine labels':<26}{'checked labels alone':<26}worth",
        ]
        for one in self.figures:
            powered = f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})"
            alone = f"{one.gold_value:.3f} ({one.gold_low:.3f} to {one.gold_high:.3f})"
            lines.append(f"{one.text:<34}{powered:<26}{alone:<26}{one.worth:.1f}")
        lines.append("worth: how many times as many checked labels would be needed without machine labels.")
        return "\n".join(lines)


class Named(Protocol):
    """Has the name of a figure, and the class that it speaks of."""

    @property
    def name(self) -> str: ...

    @property
    def of(self) -> Any: ...


T = TypeVar("T", bound=Named)


def find(figures: Iterable[T], key: Any) -> T | None:
    """The one that people ask for by name and class, or by name where no other figure has that."""
    name, of = key if isinstance(key, tuple) else (key, None)
    own = [figure for figure in figures if figure.name == name]
    return next((figure for figure in own if figure.of == of or (of is None and len(own) == 1)), None)


class Asked(NamedTuple):
    """A figure that is asked for: of what, how it is measured, and what :func:`powered.estimate` must know of it."""

    name: str
    of: Any
    measure: Measure
    marks: Marks
    is_share: bool
    of_all: bool = False
    most: float = 1.0


def evaluate(
    model: Any,
    X: Any,
    y: Any,
    *,
    machine_labels: Any = None,
    sampling_probability: Any = None,
    confidence: float = 0.95,
    missing_label: Any = "auto",
) -> Audit:
    """How good a fitted classifier is, from few gold labels and many machine labels.

    Machine labels, by a language model, a legacy system or rules, say something about every row; gold labels, by people
    who know, correct what is wrong with them. However bad the machine is, intervals stay honest; the better it is, the
    narrower they are. They are approximate (for many gold rows), but made for few: see docs/audit.md for how often they
    held. Without help from the machine they are those of gold rows alone, exact for shares.

    Parameters
    ----------
    model : fitted classifier
        Anything with ``predict``; with ``predict_proba`` also its Brier score and its areas under the ROC curve are
        judged.
    X : table
        All rows, drawn as those on which the model will be used. Gold rows are some of them, drawn by chance.
    y : array
        Gold labels, NaN or None where there is none. **The model must not have learned from them**, nor may anything
        have been chosen by them. Nothing can check that but you.
    machine_labels : array, optional
        For every row: a class; or, for two classes, the probability of the second; or a probability for each class
        (columns in the order of ``model.classes_``; those of a frame bear the names of the classes). By
        default the model's own probabilities. Neither the model nor the machine may have learned from the gold labels:
        both would agree with them too well, and all be wrong.
        Where the machine is silent (NaN, None, or -1 where that is no class) the model's probabilities serve. Gaps must
        have nothing to do with which rows are gold: where they clearly have, the model's probabilities serve on all
        rows, with a ``MachineGapsWarning``, and labels on gold rows only are refused.
    sampling_probability : array, optional
        With which probability each gold row was chosen for the audit, where that was not the same for all
        (:func:`agnoboost.rows_to_audit`); NaN for others.
    confidence : float in (0, 1)
        Of each interval.
    missing_label : default="auto"
        The mark of rows without gold label in y, and without machine label. By default NaN and None, and -1 unless it
        is a class of the model.

    Returns
    -------
    Audit
        A table when printed.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(3000, flip_y=0.1, random_state=0)
    >>> model = LogisticRegression().fit(X[:200], y[:200])
    >>> machine = np.where(np.random.default_rng(0).random(2800) < 0.05, 1 - y[200:], y[200:])
    >>> gold = np.where(np.arange(2800) < 100, y[200:], np.nan)
    >>> found = evaluate(model, X[200:], gold, machine_labels=machine)["accuracy"]
    >>> found.high - found.low < found.gold_high - found.gold_low
    True
    """
    return _audit(predictions_of(model, X), y, machine_labels, sampling_probability, confidence, missing_label)


def evaluate_predictions(
    predicted: Any,
    y: Any,
    *,
    probabilities: Any = None,
    classes: Any = None,
    machine_labels: Any = None,
    sampling_probability: Any = None,
    confidence: float = 0.95,
    missing_label: Any = "auto",
) -> Audit:
    """The same as :func:`evaluate` for predictions that are at hand as arrays.

    Parameters
    ----------
    predicted : array
        A class for each row.
    y : array
        Gold labels, as for :func:`evaluate`.
    probabilities : array, optional
        A column for each of ``classes``; for two of them the probability of the second is enough.
    classes : array, optional
        All classes, in the order of the columns; by default those that are predicted, sorted.
    machine_labels, sampling_probability, confidence, missing_label
        As for :func:`evaluate`.

    Returns
    -------
    Audit
        A table when printed.
    """
    found = checked(predicted, probabilities, classes)
    return _audit(found, y, machine_labels, sampling_probability, confidence, missing_label)


def _audit(
    predictions: Predictions,
    y: Any,
    machine_labels: Any,
    sampling_probability: Any,
    confidence: float,
    missing_label: Any,
) -> Audit:
    check_between(confidence, 0.0, 1.0, "confidence", open_high=True)
    rows = read_audited(predictions, y, machine_labels, sampling_probability, missing_label)
    figures = tuple(_figures(rows, confidence))
    return Audit(confidence, int(rows.known.sum()), len(rows.said), figures, rows.machine_unused)


def _figures(rows: AuditedRows, confidence: float) -> Iterator[AuditFigure]:
    for asked in figures_to_ask(rows):
        binomial = asked.is_share and rows.equal_weights
        pair = estimate(
            asked.measure,
            rows.weight,
            asked.marks,
            confidence,
            binomial=binomial,
            of_all=asked.of_all,
            most=asked.most,
        )
        if pair is not None:
            with_machine, alone = ((one.value, one.low, one.high) for one in (pair.powered, pair.gold_only))
            yield AuditFigure(asked.name, asked.of, *with_machine, *alone, pair.worth)


def figures_to_ask(rows: AuditedRows) -> Iterator[Asked]:
    """Of all rows, then of each class."""
    count, place = len(rows.said), np.arange(len(rows.said))
    ones, everywhere = np.ones(count), mean(count)
    right = Marks((rows.said == rows.gold).astype(np.float64), rows.machine[place, rows.said], ones)
    yield Asked(ACCURACY, None, everywhere, right, True, True)
    two = rows.known_classes == 2
    p = rows.probabilities
    if p is not None:
        errors = squared_errors(p, two)
        marks = Marks(errors[place, rows.gold], np.sum(errors * rows.machine, axis=1), np.ptp(errors, axis=1))
        yield Asked("brier_score", None, everywhere, marks, False, True, 1.0 if two else 2.0)
    for number, name in enumerate(rows.classes):
        said = np.asarray(rows.said == number)
        marks = Marks((rows.gold == number).astype(np.float64), rows.machine[:, number], ones)
        if p is not None and (number == 1 if two else number < rows.known_classes):
            yield Asked("roc_auc", name, RankingArea.of(p[:, number]), marks, False)
        yield Asked("prevalence", name, everywhere, marks, True, True)
        yield Asked("precision", name, precision(said), marks, True)
        yield Asked("recall", name, recall(said), marks, True)
        yield Asked("f1", name, f1(said), marks, False)


def squared_errors(p: Floats, two: bool) -> Floats:
    """Of probabilities, if each class were the true one; of models of two classes half, as scikit-learn has it."""
    errors = np.sum(p**2, axis=1, keepdims=True) - 2.0 * p + 1.0
    return np.asarray(errors / 2.0 if two else errors)
