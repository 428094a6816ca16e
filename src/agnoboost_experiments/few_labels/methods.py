"""What a user would try in ten minutes, with the defaults of each library, and what we offer instead."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from typing import Any

import numpy as np
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.tree import DecisionTreeClassifier

import agnoboost
from agnoboost.basics.typing import Floats
from agnoboost.estimators import AgnosticBoostingClassifier, TableClassifier

from ..splits import RowSplit
from ..studies import LIBRARY, source_hash
from . import boosters, pretrained
from .fitting import Fit, on_codes, on_numbers, semi_supervised, with_unlabeled

FEW = 1000  # labels up to which methods are run that do not scale


def made_by(package: str) -> str:
    """A package with its version; and of ours, the source."""
    if package == "agnoboost":
        return f"agnoboost {agnoboost.__version__} (source {source_hash(LIBRARY)})"
    return f"{package} {getattr(import_module(package), '__version__', '')}".strip()


@dataclass(frozen=True)
class Method:
    """How to fit; the package and the file of weights that are needed; the most labels it is run on.

    Slow ones are run on fewer seeds.
    """

    fit: Fit
    package: str = "sklearn"
    weights: str | None = None
    most_labels: int | None = None
    slow: bool = False

    @property
    def ours(self) -> bool:
        return self.package == "agnoboost"

    @property
    def installed(self) -> bool:
        has_weights = self.weights is None or pretrained.weights(self.weights) is not None
        return has_weights and find_spec(self.package) is not None

    @property
    def version(self) -> str:
        """What its results depend on."""
        return made_by(self.package)

    def takes(self, labels: int) -> bool:
        return self.most_labels is None or labels <= self.most_labels


def _ebm(seed: int) -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(interactions=0, random_state=seed, n_jobs=1)  # with them: minutes a fit


def _logistic_regression(seed: int) -> Any:
    """With a ridge; scikit-learn from 1.8 on wants to be told in other words, and how to name what it finds."""
    newer = {"l1_ratios": (0,), "use_legacy_attributes": False}
    known = signature(LogisticRegressionCV).parameters
    return LogisticRegressionCV(Cs=10, cv=5, **(newer if newer.keys() <= known.keys() else {}))


MAIN = "TableClassifier"  # the one that is compared with every peer
OURS: dict[str, Method] = {
    MAIN: Method(with_unlabeled(TableClassifier), "agnoboost"),
    "TableClassifier, fast": Method(with_unlabeled(partial(TableClassifier, effort="fast")), "agnoboost"),
    "AgnosticBoosting": Method(with_unlabeled(AgnosticBoostingClassifier), "agnoboost", most_labels=10_000),
}
PEERS: dict[str, Method] = {
    "logistic regression, CV": Method(on_numbers(_logistic_regression)),
    "decision tree": Method(on_numbers(lambda seed: DecisionTreeClassifier(random_state=seed))),
    "k-nearest neighbours": Method(on_numbers(lambda seed: KNeighborsClassifier())),
    "random forest": Method(on_numbers(lambda seed: RandomForestClassifier(random_state=seed))),
    "random forest, leaf 5": Method(
        on_numbers(lambda seed: RandomForestClassifier(min_samples_leaf=5, random_state=seed))
    ),
    "extra trees": Method(on_numbers(lambda seed: ExtraTreesClassifier(random_state=seed))),
    "AdaBoost": Method(on_numbers(lambda seed: AdaBoostClassifier(random_state=seed))),
    "HistGradientBoosting": Method(
        on_codes(
            lambda seed, sets: HistGradientBoostingClassifier(categorical_features=sets or None, random_state=seed)
        )
    ),
    "XGBoost": Method(on_numbers(boosters.xgboost), "xgboost"),
    "LightGBM": Method(boosters.lightgbm, "lightgbm"),
    "LightGBM, early stopping": Method(boosters.lightgbm_stopped, "lightgbm"),
    "CatBoost": Method(boosters.catboost, "catboost"),
    "neural network": Method(on_numbers(lambda seed: MLPClassifier(random_state=seed)), most_labels=10_000),
    "EBM": Method(on_numbers(_ebm), "interpret", most_labels=FEW, slow=True),
    "Gaussian process": Method(
        on_numbers(lambda seed: GaussianProcessClassifier(1.0 * RBF(1.0), random_state=seed)), most_labels=300
    ),
    "SelfTraining(logistic)": Method(
        semi_supervised(lambda seed: SelfTrainingClassifier(LogisticRegression(max_iter=1000))), most_labels=FEW
    ),
    "LabelSpreading(knn)": Method(semi_supervised(lambda seed: LabelSpreading(kernel="knn")), most_labels=FEW),
    "TabPFN": Method(
        on_codes(pretrained.tabpfn), "tabpfn", pretrained.TABPFN_WEIGHTS, most_labels=pretrained.TABPFN_ROWS
    ),
    "TabICL": Method(
        on_codes(pretrained.tabicl), "tabicl", pretrained.TABICL_WEIGHTS, most_labels=pretrained.TABICL_ROWS
    ),
}
METHODS = {**OURS, **PEERS}


def probabilities(name: str, split: RowSplit, seed: int) -> Floats:
    """P(y = +1 | x) on the test rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the peers: a user gets them too
        return np.asarray(METHODS[name].fit(split, seed)(split.test[0]), dtype=np.float64)
