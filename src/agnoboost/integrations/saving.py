"""Models of XGBoost and LightGBM to and from model files: the backend's own format inside, and what we know of it."""

from __future__ import annotations

import numpy as np

from ..basics.typing import Arrays
from ..estimators.held_out_choice import Choice
from ..files.common import common_arrays, common_facts, problems, restored
from ..files.container import Facts, ModelFileError
from .estimators import BackendClassifier, LGBMAgnosticClassifier, XGBAgnosticClassifier
from .trainer import Ensembles

TYPES = {kind.__name__: kind for kind in (XGBAgnosticClassifier, LGBMAgnosticClassifier)}


def pack(model: BackendClassifier) -> tuple[Facts, Arrays]:
    """A fitted model as facts and arrays."""
    own = {"n_rounds": model.n_rounds_, "stretch": model._model.stretch, "choice": model.choice_.facts}
    arrays: Arrays = {
        f"booster{number}": np.frombuffer(ensemble.to_bytes(), dtype=np.uint8)
        for number, ensemble in enumerate(model._model.each)
    }
    return {**common_facts(model), **own}, common_arrays(model) | arrays


def unpack(facts: Facts, arrays: Arrays) -> BackendClassifier:
    """The model that :func:`pack` packed. The backend reads its own part, which holds no code."""
    model: BackendClassifier = restored(TYPES[facts["kind"]], facts, arrays)
    backend = model._backend_type
    backend.load()
    count = problems(model)
    boosters = {name for name in arrays if name.startswith("booster")}
    if boosters != {f"booster{number}" for number in range(count)}:
        raise ModelFileError(f"The model file has {len(model.classes_)} classes and {len(boosters)} boosters.")
    try:
        each = [backend.ensemble.from_bytes(arrays[f"booster{number}"].tobytes()) for number in range(count)]
    except Exception as error:  # backends have kinds of errors of their own
        raise ModelFileError(f"{backend.package} cannot read its part of the model file: {error}") from None
    model._model = Ensembles(each, float(facts["stretch"]))
    model.n_rounds_ = int(facts["n_rounds"])
    model.choice_ = Choice(**facts["choice"])
    return model
