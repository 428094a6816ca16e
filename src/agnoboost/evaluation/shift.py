"""How different are labeled and unlabeled rows? An estimate of dD_X/dQ, for Algorithm 3's bound C_X.

Two classifiers learn to tell labeled rows from unlabeled ones, each row being scored by models that have not seen it.
How many of the rows of about the same score are labeled gives the odds of being labeled; by Bayes' rule these, divided
by the odds of any row, are the density ratio dD_X/dQ.

What this can tell: whether a shift is visible at all, and which ratio most of the labeled rows stay below. What it
cannot: C_X itself, which is a supremum. Regions without unlabeled rows have an infinite ratio that no sample shows; a
ratio far beyond the number of unlabeled rows cannot be seen either; and labels may depend on x differently in the two
groups, which no look at x alone reveals. Rows that exceed the bound are few by construction: those with a larger ratio
than C have probability at most 1 - quantile, and treating them wrongly costs at most twice that in correlation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from ..basics.checks import as_matrix, check_between
from ..basics.typing import Bools, Floats, Matrix, Rng
from ..tables.alike import with_columns_of
from ..tables.cells import is_frame
from ..tables.encoder import TableEncoder

FOLDS = 5
MOST_ROWS = 20_000  # of each group; more would not make the estimate better, only slower
EVIDENCE = 3.0  # standard errors by which a model must beat chance; there are two models, hence more than 2
FEWEST_ROWS = 2 * FOLDS


@dataclass(frozen=True)
class DensityRatio:
    """What one classifier says, cross-fitted.

    Attributes
    ----------
    labeled, unlabeled : array
        dD_X/dQ at the rows of each group.
    auc : float
        The probability that the classifier ranks a held-out labeled row above an unlabeled one: 1/2 where nothing tells
        them apart.
    """

    labeled: Floats
    unlabeled: Floats
    auc: float

    @property
    def auc_error(self) -> float:
        """The standard deviation of ``auc`` if there is no shift (Mann and Whitney); cross-fitting adds a little."""
        here, there = len(self.labeled), len(self.unlabeled)
        return float(np.sqrt((here + there + 1) / (12.0 * here * there)))

    @property
    def visible(self) -> bool:
        """Whether it ranks better than chance, clearly."""
        return self.auc - 0.5 > EVIDENCE * self.auc_error

    @property
    def effective_share(self) -> float:
        """How many of the unlabeled rows would be left, as a share, if they were weighted to look like labeled ones."""
        return float(np.mean(self.unlabeled) ** 2 / np.mean(self.unlabeled**2))


@dataclass(frozen=True)
class ShiftEstimate:
    """The ratios of both models, and the one that ranks best.

    Attributes
    ----------
    models : dict of DensityRatio
        By the name of the classifier.
    chosen : str or None
        The model that tells labeled from unlabeled rows best; None where no shift is visible.
    quantile : float
        The share of labeled rows that the bound must hold for.
    """

    models: dict[str, DensityRatio]
    chosen: str | None
    quantile: float

    @property
    def bound(self) -> float:
        """The ratio that this share of the labeled rows stays below, at least 1. Multiply it by a safety factor."""
        if self.chosen is None:
            return 1.0
        return max(1.0, float(np.quantile(self.models[self.chosen].labeled, self.quantile)))

    def __str__(self) -> str:
        ratio = f"ratio at {self.quantile:.0%}"
        lines = [f"{'model':<12}{'AUC':>7}{'by chance':>18}{ratio:>15}{'eff. rows':>11}"]
        for name, found in self.models.items():
            lines.append(
                f"{name:<12}{found.auc:>7.3f}{f'.500 +- {found.auc_error:.3f}':>18}"
                f"{np.quantile(found.labeled, self.quantile):>15.2f}{found.effective_share:>11.0%}"
            )
        if self.chosen is None:
            lines.append("No shift is visible: neither model tells labeled from unlabeled rows.")
        else:
            lines.append(
                f"{self.quantile:.0%} of the labeled rows are at most {self.bound:.2f} times as frequent among labeled "
                f"rows as among unlabeled ones (by the {self.chosen} model). The largest ratio of all may be larger: "
                "no sample can show it."
            )
        return "\n".join(lines)


def estimate_shift(
    X_labeled: Any,
    X_unlabeled: Any,
    *,
    quantile: float = 0.95,
    categorical_features: Any = "auto",
    random_state: int = 0,
) -> ShiftEstimate:
    """Estimate how many times more likely a region is among labeled than among unlabeled rows.

    Parameters
    ----------
    X_labeled, X_unlabeled : tables with the same columns; missing values and categories are welcome
        Columns of frames go by their names, whatever their order; those of arrays by their places.
    quantile : float in (0, 1)
        The share of labeled rows that the bound must hold for.
    categorical_features : default="auto"
        As in :class:`~agnoboost.AgnosticBoostingClassifier`.
    random_state : int
        For the folds, and for the choice of rows if there are more than 20,000 of a kind.

    Returns
    -------
    ShiftEstimate
        Its ``bound`` is what Algorithm 3 wants to know.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> unlabeled = rng.random((2000, 1))
    >>> labeled = rng.random((500, 1)) / 4  # only one quarter of the line: the ratio there is 4
    >>> bool(3 < estimate_shift(labeled, unlabeled).bound < 6)
    True
    """
    check_between(quantile, 0.0, 1.0, "quantile", open_high=True)
    rng = np.random.default_rng(random_state)
    here, there = (X if is_frame(X) else as_matrix(X) for X in (X_labeled, X_unlabeled))
    tables = (here, with_columns_of(here, there, "The unlabeled table"))
    encoder = TableEncoder(categorical_features).fit(*tables)
    labeled, unlabeled = (_some_rows(encoder.transform(table), rng) for table in tables)
    for rows, name in ((labeled, "labeled"), (unlabeled, "unlabeled")):
        if len(rows) < FEWEST_ROWS:
            raise ValueError(f"At least {FEWEST_ROWS} {name} rows are needed to estimate a shift. Got {len(rows)}.")
    X = np.concatenate([labeled, unlabeled])
    is_labeled = np.arange(len(X)) < len(labeled)
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=random_state).split(X, is_labeled))
    with threadpool_limits(1):  # small tables: threads would wait for each other, and may change the last digit
        each = _models(X.shape[1], encoder.categorical, random_state)
        models = {name: _ratio(model, X, is_labeled, folds) for name, model in each.items()}
    best = max(models, key=lambda name: models[name].auc)
    return ShiftEstimate(models, best if models[best].visible else None, quantile)


def _some_rows(table: Floats, rng: Rng) -> Matrix:
    rows = as_matrix(table)
    if len(rows) <= MOST_ROWS:
        return rows
    return np.asarray(rows[rng.choice(len(rows), MOST_ROWS, replace=False)])


def _models(columns: int, categorical: list[int], seed: int) -> dict[str, Any]:
    from sklearn.ensemble import HistGradientBoostingClassifier  # here: slow to import, and seldom needed
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    from ..tables.numbers import into_numbers

    return {
        "logistic": make_pipeline(into_numbers(columns, categorical), LogisticRegression(max_iter=1000)),
        "boosting": HistGradientBoostingClassifier(
            categorical_features=categorical or None, learning_rate=0.05, early_stopping=False, random_state=seed
        ),
    }


def _labeled_share(score: Floats, is_labeled: Bools) -> Floats:
    """How many of the rows of about this score are labeled: classifiers themselves are often too sure.

    One row of the other kind is added at either end, since no sample can rule it out: ratios stay finite.
    """
    scores = np.concatenate([score, [score.min(), score.max()]])
    labels = np.concatenate([is_labeled, [True, False]])
    return np.asarray(IsotonicRegression().fit_transform(scores, labels)[:-2])


def _ratio(model: Any, X: Matrix, is_labeled: Bools, folds: list[Any]) -> DensityRatio:
    chance, prior = np.empty(len(X)), np.empty(len(X))
    for train, test in folds:
        chance[test] = model.fit(X[train], is_labeled[train]).predict_proba(X[test])[:, 1]
        prior[test] = is_labeled[train].mean()
    share = _labeled_share(chance, is_labeled)
    ratio = share / (1.0 - share) * (1.0 - prior) / prior
    return DensityRatio(ratio[is_labeled], ratio[~is_labeled], float(roc_auc_score(is_labeled, chance)))
