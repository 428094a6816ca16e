"""The three libraries of boosted trees, with their defaults and one thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from agnoboost.basics.typing import Floats

from ..splits import RowSplit
from .fitting import zero_one

HELD_OUT, MOST_TREES, PATIENCE = 0.2, 2000, 50


def xgboost(seed: int) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(random_state=seed, n_jobs=1)


def lightgbm(split: RowSplit, seed: int) -> Callable[[Any], Floats]:
    model = _lightgbm(seed).fit(split.labeled[0], zero_one(split), categorical_feature=list(split.categorical))
    return lambda X: np.asarray(model.predict_proba(X))[:, 1]


def lightgbm_stopped(split: RowSplit, seed: int) -> Callable[[Any], Floats]:
    """A fifth of the labels, by class, tells when to stop: after 50 trees without a better log loss; no refit."""
    from lightgbm import early_stopping

    kept, held_out, y_kept, y_held_out = train_test_split(
        split.labeled[0], zero_one(split), test_size=HELD_OUT, stratify=zero_one(split), random_state=seed
    )
    model = _lightgbm(seed, n_estimators=MOST_TREES).fit(
        kept,
        y_kept,
        eval_set=[(held_out, y_held_out)],
        categorical_feature=list(split.categorical),
        callbacks=[early_stopping(PATIENCE, verbose=False)],
    )
    return lambda X: np.asarray(model.predict_proba(X))[:, 1]


def _lightgbm(seed: int, **options: Any) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1, **options)


def catboost(split: RowSplit, seed: int) -> Callable[[Any], Floats]:
    from catboost import CatBoostClassifier

    def cells(X: Any) -> Any:
        """Categories must be whole numbers or texts there."""
        if not split.categorical:
            return X
        table = X.astype(object)
        for column in split.categorical:
            table[:, column] = np.where(np.isnan(X[:, column]), -1, X[:, column]).astype(int)
        return table

    model = CatBoostClassifier(
        random_seed=seed, thread_count=1, verbose=0, allow_writing_files=False, cat_features=list(split.categorical)
    )
    model.fit(cells(split.labeled[0]), zero_one(split))
    return lambda X: np.asarray(model.predict_proba(cells(X)))[:, 1]
