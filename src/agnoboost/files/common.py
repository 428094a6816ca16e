"""What the files of all classifiers say: parameters, classes, columns, categories, counts, threshold."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tables.encoder import TableEncoder
from .container import Facts
from .values import pack_classes, pack_parameter, plain, unpack_classes, unpack_parameter


def common_facts(model: Any) -> Facts:
    """Of a fitted classifier; what is its own is added by the caller."""
    return {
        "parameters": {name: pack_parameter(name, value) for name, value in model.get_params(deep=False).items()},
        "classes": pack_classes(model.classes_),
        "n_features_in": int(model.n_features_in_),
        "feature_names_in": [str(name) for name in getattr(model, "feature_names_in_", [])],
        "categories": {str(column): plain(values) for column, values in model._encoder.categories.items()},
        "n_labeled": model.n_labeled_,
        "n_unlabeled": model.n_unlabeled_,
        "cut": model._cut,
    }


def restored(kind: Any, facts: Facts) -> Any:
    """A classifier of this type with all that :func:`common_facts` kept."""
    model = kind(**{name: unpack_parameter(value) for name, value in facts["parameters"].items()})
    model.classes_ = unpack_classes(facts["classes"])
    model.n_features_in_ = int(facts["n_features_in"])
    if facts["feature_names_in"]:
        model.feature_names_in_ = np.array(facts["feature_names_in"], dtype=object)
    model._encoder = TableEncoder(model.categorical_features)
    model._encoder.categories = {int(column): values for column, values in facts["categories"].items()}
    model.n_labeled_, model.n_unlabeled_ = int(facts["n_labeled"]), int(facts["n_unlabeled"])
    model._cut = float(facts["cut"])
    return model


def problems(model: Any) -> int:
    """How many one-against-rest problems there are."""
    return 1 if len(model.classes_) == 2 else len(model.classes_)
