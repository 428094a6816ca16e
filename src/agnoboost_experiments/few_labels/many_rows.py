"""Made tables with rows enough for 10,000 and 100,000 labels. They report: nothing was developed on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from sklearn.datasets import make_classification, make_friedman1

from agnoboost.basics.typing import Ints, Rng

from .binary import Binary

ROWS = 220_000
CLUSTER_ROWS = 60_000  # enough for 10,000 labels
CATEGORIES = (3, 8, 20, 40)  # how many values each categorical column of the mixed table has
NUMBERS = 8


@dataclass(frozen=True)
class ManyRows:
    """How a table is made, and from how many labels on it is used."""

    make: Callable[[], Binary]
    fewest_labels: int = 0


def _friedman() -> Binary:
    """The small made table of that name, with another seed and many more rows."""
    X, value = make_friedman1(ROWS, n_features=10, noise=2.0, random_state=1)
    return Binary(X, np.where(value > np.median(value), 1, -1))


def _clusters() -> Binary:
    """Four Gaussian clusters a class in ten directions; 30 columns, five of them combinations, fifteen noise."""
    X, y = make_classification(
        CLUSTER_ROWS, n_features=30, n_informative=10, n_redundant=5, n_clusters_per_class=4, random_state=0
    )
    return Binary(X, 2 * y - 1)


def _mixed() -> Binary:
    """Numbers, categories and missing values, as business tables have them.

    Eight numbers, half of them skewed; four categorical columns with 3 to 40 values, the rarer the later, each with an
    effect of its own. The log-odds add up a wave, a step, a product, the effects of the categories, and a number
    whose slope depends on a category; labels are drawn from them, so that no method can be right everywhere. Then a
    tenth of the cells of four numbers goes missing at random; and of one more, most values above its 85% quantile do.
    """
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(ROWS, NUMBERS))
    codes = np.column_stack([_rarer_and_rarer(count, rng) for count in CATEGORIES])
    effects = [rng.normal(size=count) for count in CATEGORIES]
    slopes = rng.normal(size=CATEGORIES[1])
    log_odds = (
        np.sin(2.0 * numbers[:, 0])
        + 1.5 * (numbers[:, 1] > 0.5)
        + numbers[:, 2] * numbers[:, 3]
        + 0.7 * numbers[:, 4]
        + slopes[codes[:, 1]] * numbers[:, 5]
        + 0.6 * sum(effect[column] for effect, column in zip(effects, codes.T, strict=True))
    )
    y = np.where(rng.random(ROWS) < expit(log_odds - np.median(log_odds)), 1, -1)
    columns = numbers.copy()
    columns[:, 1::2] = np.exp(columns[:, 1::2])
    columns[:, :4][rng.random((ROWS, 4)) < 0.1] = np.nan
    tall = numbers[:, 4] > np.quantile(numbers[:, 4], 0.85)
    columns[tall & (rng.random(ROWS) < 0.8), 4] = np.nan
    return Binary(np.column_stack([columns, codes]), y, tuple(range(NUMBERS, NUMBERS + len(CATEGORIES))))


def _rarer_and_rarer(count: int, rng: Rng) -> Ints:
    """Values 0, 1, ... of a categorical column, value k with a share of about 1 / (k + 1)."""
    share = 1.0 / np.arange(1, count + 1)
    return rng.choice(count, ROWS, p=share / share.sum())


MANY_ROWS: dict[str, ManyRows] = {
    "made: friedman, large": ManyRows(_friedman, fewest_labels=10_000),  # below that the small one is used
    "made: clusters": ManyRows(_clusters),
    "made: mixed": ManyRows(_mixed),
}
