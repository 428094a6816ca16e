"""Models of XGBoost and LightGBM to and from model files: the engine's own format inside, and what we know of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._version import __version__
from ..estimator.choice import Choice
from ..table import TableEncoder
from .modelfile import Arrays, ModelFileError, write
from .values import pack_classes, pack_parameter, plain, unpack_classes, unpack_parameter

if TYPE_CHECKING:
    from ..integrations.classifier import EngineClassifier

KINDS = ("XGBAgnosticClassifier", "LGBMAgnosticClassifier")


def save_engine_model(model: EngineClassifier, path: str | Path) -> None:
    """Write a fitted model."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model, "_cut")
    facts = {
        "kind": type(model).__name__,
        "agnoboost": __version__,
        "parameters": {name: pack_parameter(name, value) for name, value in model.get_params(deep=False).items()},
        "classes": pack_classes(model.classes_),
        "n_features_in": int(model.n_features_in_),
        "feature_names_in": [str(name) for name in getattr(model, "feature_names_in_", [])],
        "categories": {str(column): plain(values) for column, values in model._encoder.categories.items()},
        "n_labeled": model.n_labeled_,
        "n_unlabeled": model.n_unlabeled_,
        "n_rounds": model.n_rounds_,
        "cut": model._cut,
        "stretch": model._model.stretch,
        "choice": {
            "rounds": model.choice_.rounds,
            "unlabeled_weight": model.choice_.unlabeled_weight,
            "reason": model.choice_.reason,
        },
    }
    arrays: Arrays = {
        f"booster{number}": np.frombuffer(ensemble.to_bytes(), dtype=np.uint8)
        for number, ensemble in enumerate(model._model.each)
    }
    write(Path(path), facts, arrays)


def unpack_engine_model(facts: dict[str, Any], arrays: Arrays) -> EngineClassifier:
    """The model that :func:`save_engine_model` saved. The engine reads its own part, which holds no code."""
    from ..integrations import LGBMAgnosticClassifier, XGBAgnosticClassifier
    from ..integrations.trainer import Ensembles

    kinds = dict(zip(KINDS, (XGBAgnosticClassifier, LGBMAgnosticClassifier), strict=True))
    model = kinds[facts["kind"]](**{name: unpack_parameter(value) for name, value in facts["parameters"].items()})
    engine = model._engine_type
    engine.load()
    model.classes_ = unpack_classes(facts["classes"])
    model.n_features_in_ = int(facts["n_features_in"])
    if facts["feature_names_in"]:
        model.feature_names_in_ = np.array(facts["feature_names_in"], dtype=object)
    model._encoder = TableEncoder(model.categorical_features)
    model._encoder.categories = {int(column): values for column, values in facts["categories"].items()}
    model.n_labeled_, model.n_unlabeled_ = int(facts["n_labeled"]), int(facts["n_unlabeled"])
    count = 1 if len(model.classes_) == 2 else len(model.classes_)
    if set(arrays) != {f"booster{number}" for number in range(count)}:
        raise ModelFileError(f"The model file has {len(model.classes_)} classes and {len(arrays)} boosters.")
    try:
        each = [engine.ensemble.from_bytes(arrays[f"booster{number}"].tobytes()) for number in range(count)]
    except Exception as error:  # the engines have kinds of errors of their own
        raise ModelFileError(f"{engine.package} cannot read its part of the model file: {error}") from None
    model._model = Ensembles(each, float(facts["stretch"]))
    model.n_rounds_ = int(facts["n_rounds"])
    model.choice_ = Choice(**facts["choice"])
    model._cut = float(facts["cut"])
    return model
