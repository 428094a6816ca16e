"""Models of XGBoost and LightGBM to and from model files: the engine's own format inside, and what we know of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..estimators.held_out_choice import Choice
from .common import common_facts, problems, restored
from .container import Arrays, ModelFileError, write

if TYPE_CHECKING:
    from ..integrations.estimators import EngineClassifier

KINDS = ("XGBAgnosticClassifier", "LGBMAgnosticClassifier")


def save_engine_model(model: EngineClassifier, path: str | Path) -> None:
    """Write a fitted model."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model, "_cut")
    facts = {
        **common_facts(model),
        "n_rounds": model.n_rounds_,
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
    model: EngineClassifier = restored(kinds[facts["kind"]], facts)
    engine = model._engine_type
    engine.load()
    count = problems(model)
    if set(arrays) != {f"booster{number}" for number in range(count)}:
        raise ModelFileError(f"The model file has {len(model.classes_)} classes and {len(arrays)} boosters.")
    try:
        each = [engine.ensemble.from_bytes(arrays[f"booster{number}"].tobytes()) for number in range(count)]
    except Exception as error:  # the engines have kinds of errors of their own
        raise ModelFileError(f"{engine.package} cannot read its part of the model file: {error}") from None
    model._model = Ensembles(each, float(facts["stretch"]))
    model.n_rounds_ = int(facts["n_rounds"])
    model.choice_ = Choice(**facts["choice"])
    return model
