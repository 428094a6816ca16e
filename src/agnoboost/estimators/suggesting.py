"""Which rows to label next: rather the uncertain ones, far from each other, and each with a known probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from ..basics.checks import check_between, check_count
from ..basics.extras import require
from ..basics.spread_sampling import inclusion_probabilities, neighbours_together, pivotal_sample
from ..basics.typing import Floats, Ints
from ..tables.reading.findings import listed
from .base import PartlyLabeledClassifier
from .table.columns import Scores

SHARPNESS = 2.0  # the power of the uncertainty to which probabilities are proportional; chosen on development tables
LEAST = 1e-12  # where the model is sure of every row, all are wanted alike


@dataclass(frozen=True)
class Suggestion:
    """Rows to label next, in the order of the pool.

    Attributes
    ----------
    row : array of int
        Numbers of the rows in the pool, from 0.
    probability : array of float
        With which probability each of them was drawn.
    prediction : array
        What the model takes them for.
    uncertainty : array of float
        From 0, the model is sure, to 1, two classes are equally likely.
    pool : int
        How many rows there were to choose from.
    """

    row: Ints
    probability: Floats
    prediction: npt.NDArray[Any]
    uncertainty: Floats
    pool: int

    def __len__(self) -> int:
        return len(self.row)

    def __str__(self) -> str:
        return (
            f"{len(self)} of {self.pool:,} rows to label next: {listed(self.row.tolist())} (from 0). to_frame() has "
            "them all, with the probabilities that make their labels speak for the whole pool."
        )

    @property
    def sample_weight(self) -> Floats:
        """For how many rows of the pool each of them stands: 1/probability."""
        return 1.0 / self.probability

    def mean(self, values: Any) -> float:
        """An unbiased estimate of the mean over the whole pool, from one value for each suggested row.

        With ``labels != suggestion.prediction`` it is the model's share of errors on the pool (Horvitz and Thompson's
        estimate: the sum of value/probability, divided by the number of rows of the pool). Errors rather than right
        answers: most of them are where probabilities are large, and so the estimate varies less.
        """
        found = np.asarray(values, dtype=np.float64)
        if found.shape != self.row.shape:
            raise ValueError(f"values must hold one number for each of the {len(self)} rows. Got shape {found.shape}.")
        return float(np.sum(found * self.sample_weight) / self.pool)

    def to_frame(self) -> Any:
        """As a pandas data frame."""
        return require("pandas", "data").DataFrame(
            {
                "row": self.row,
                "inclusion_probability": self.probability,
                "prediction": self.prediction,
                "uncertainty": self.uncertainty,
            }
        )


def suggest(
    model: PartlyLabeledClassifier,
    X_pool: Any,
    n: int = 20,
    *,
    at_random: float = 0.2,
    random_state: Any = None,
) -> Suggestion:
    """Draw ``n`` rows of a pool to label next.

    A row is drawn with a probability that grows with how uncertain the model is about it, but is never 0; rows that are
    alike are rarely drawn together. The probabilities are exact and kept, so that what the new labels say about the
    whole pool can be estimated without bias.

    Parameters
    ----------
    model : classifier
        A fitted one of this library.
    X_pool : table
        Rows without labels, with the model's columns.
    n : int, default=20
        How many rows.
    at_random : float in (0, 1], default=0.2
        This share of the rows is drawn with equal probabilities; 1 ignores the model.
    random_state : int, RandomState or None, default=None
        Where chance comes from.

    Returns
    -------
    Suggestion
        The rows, with their probabilities.

    Examples
    --------
    >>> from agnoboost import TableClassifier, suggest
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(300, random_state=0)
    >>> model = TableClassifier(effort="fast", random_state=0).fit(X[:60], y[:60])
    >>> found = suggest(model, X[60:], n=10, random_state=0)
    >>> len(found), found.pool, round(float(found.probability.min()), 2) > 0
    (10, 240, True)
    """
    share = check_between(at_random, 0.0, 1.0, "at_random")
    check_count(n, "n")
    rows = model._rows(X_pool)
    if n > len(rows):
        raise ValueError(f"n must be at most the number of rows of the pool, {len(rows)}. Got {n}. Ask for fewer rows.")
    uncertainty = _uncertainty(model.predict_proba(X_pool))
    wanted = uncertainty**SHARPNESS + LEAST
    size = share / len(rows) + (1.0 - share) * wanted / wanted.sum()
    probability = inclusion_probabilities(size, n)
    points = Scores.of(rows, np.ones(len(rows)), list(model._encoder.categorical)).transform(rows)
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
    drawn = pivotal_sample(probability, neighbours_together(points, probability), rng)
    prediction = np.asarray(model.predict(X_pool))[drawn]
    return Suggestion(drawn, probability[drawn], prediction, uncertainty[drawn], len(rows))


def _uncertainty(probabilities: Floats) -> Floats:
    """One minus the lead of the likeliest class over the next."""
    ranked = np.sort(probabilities, axis=1)
    return np.asarray(1.0 - (ranked[:, -1] - ranked[:, -2]))
