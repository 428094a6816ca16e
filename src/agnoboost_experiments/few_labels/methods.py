"""What a user would try in ten minutes, with the defaults of each library, and what we offer instead."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier

from agnoboost.basics.typing import Floats, Ints
from agnoboost.estimators import AgnosticBoostingClassifier
from agnoboost.estimators.table import FewLabelClassifier

from ..splits import UNLABELED, RowSplit

Fit = Callable[[RowSplit, int], Callable[[Any], Floats]]  # (split, seed) -> rows -> P(y = +1 | x)


@dataclass(frozen=True)
class Method:
    """How to fit, and the package that is needed; slow ones are run on fewer seeds."""

    fit: Fit
    package: str | None = None
    slow: bool = False

    @property
    def installed(self) -> bool:
        return self.package is None or find_spec(self.package) is not None

    @property
    def version(self) -> str:
        """Of the package."""
        return "" if self.package is None else str(import_module(self.package).__version__)


def on_numbers(make: Callable[[int], Any]) -> Fit:
    """A classifier that needs numbers, on the labeled rows."""

    def fit(split: RowSplit, seed: int) -> Callable[[Any], Floats]:
        numbers = split.numbers()
        model = make(seed).fit(numbers.transform(split.labeled[0]), _zero_one(split))
        return lambda X: model.predict_proba(numbers.transform(X))[:, 1]

    return fit


def semi_supervised(make: Callable[[int], Any]) -> Fit:
    """A classifier that takes unlabeled rows, marked by -1."""

    def fit(split: RowSplit, seed: int) -> Callable[[Any], Floats]:
        numbers = split.numbers()
        rows = numbers.transform(np.concatenate([split.labeled[0], split.unlabeled]))
        marks = np.concatenate([_zero_one(split), np.full(len(split.unlabeled), UNLABELED)])
        model = make(seed).fit(rows, marks)
        return lambda X: np.nan_to_num(model.predict_proba(numbers.transform(X))[:, 1], nan=0.5)

    return fit


def on_codes(make: Callable[[int, list[int]], Any]) -> Fit:
    """A booster that takes missing values, and is told which columns are categories."""

    def fit(split: RowSplit, seed: int) -> Callable[[Any], Floats]:
        model = make(seed, list(split.categorical)).fit(split.labeled[0], _zero_one(split))
        return lambda X: model.predict_proba(X)[:, 1]

    return fit


def ours(make: Callable[..., Any]) -> Fit:
    """Our estimators: all rows as they are, unlabeled ones included."""

    def fit(split: RowSplit, seed: int) -> Callable[[Any], Floats]:
        model = make(categorical_features=list(split.categorical) or None, random_state=seed)
        model.fit(*split.labeled, X_unlabeled=split.unlabeled)
        return lambda X: model.predict_proba(X)[:, 1]

    return fit


def _xgboost(seed: int) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(random_state=seed, n_jobs=1)


def _lightgbm(split: RowSplit, seed: int) -> Callable[[Any], Floats]:
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1)
    model.fit(split.labeled[0], _zero_one(split), categorical_feature=list(split.categorical))
    return lambda X: np.asarray(model.predict_proba(X))[:, 1]


def _catboost(split: RowSplit, seed: int) -> Callable[[Any], Floats]:
    from catboost import CatBoostClassifier

    def cells(X: Any) -> Any:
        """Categories must be whole numbers or texts there."""
        if not split.categorical:
            return X
        table = X.astype(object)
        for column in split.categorical:
            table[:, column] = X[:, column].astype(int)
        return table

    model = CatBoostClassifier(
        random_seed=seed, thread_count=1, verbose=0, allow_writing_files=False, cat_features=list(split.categorical)
    )
    model.fit(cells(split.labeled[0]), _zero_one(split))
    return lambda X: np.asarray(model.predict_proba(cells(X)))[:, 1]


def _ebm(seed: int) -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(interactions=0, random_state=seed, n_jobs=1)  # with them: minutes a fit


FEW_LABELS = "FewLabelClassifier"
METHODS: dict[str, Method] = {
    FEW_LABELS: Method(ours(FewLabelClassifier)),
    "AgnosticBoosting": Method(ours(AgnosticBoostingClassifier), slow=True),
    "AgnosticBoosting, labeled-only": Method(
        ours(lambda **facts: AgnosticBoostingClassifier(unlabeled_weight=0.0, **facts))
    ),
    "Algorithm 1, stumps": Method(
        ours(lambda **facts: AgnosticBoostingClassifier(weak_learner="stump", unlabeled_weight=1.0, **facts))
    ),
    "logistic regression, CV": Method(
        on_numbers(lambda seed: LogisticRegressionCV(Cs=10, cv=5, l1_ratios=(0,), use_legacy_attributes=False))
    ),
    "random forest": Method(on_numbers(lambda seed: RandomForestClassifier(random_state=seed))),
    "random forest, leaf 5": Method(
        on_numbers(lambda seed: RandomForestClassifier(min_samples_leaf=5, random_state=seed))
    ),
    "extra trees": Method(on_numbers(lambda seed: ExtraTreesClassifier(random_state=seed))),
    "Gaussian process": Method(on_numbers(lambda seed: GaussianProcessClassifier(1.0 * RBF(1.0), random_state=seed))),
    "HistGradientBoosting": Method(
        on_codes(
            lambda seed, sets: HistGradientBoostingClassifier(categorical_features=sets or None, random_state=seed)
        )
    ),
    "XGBoost": Method(on_numbers(_xgboost), "xgboost"),
    "LightGBM": Method(_lightgbm, "lightgbm"),
    "CatBoost": Method(_catboost, "catboost"),
    "EBM": Method(on_numbers(_ebm), "interpret", slow=True),
    "SelfTraining(logistic)": Method(
        semi_supervised(lambda seed: SelfTrainingClassifier(LogisticRegression(max_iter=1000)))
    ),
    "LabelSpreading(knn)": Method(semi_supervised(lambda seed: LabelSpreading(kernel="knn"))),
}


def probabilities(name: str, split: RowSplit, seed: int) -> Floats:
    """P(y = +1 | x) on the test rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the peers: a user gets them too
        return np.asarray(METHODS[name].fit(split, seed)(split.test[0]), dtype=np.float64)


def _zero_one(split: RowSplit) -> Ints:
    return (split.labeled[1] > 0).astype(np.int64)
