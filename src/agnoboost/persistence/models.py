"""Estimators to and from model files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .._version import __version__
from ..estimator.choice import Choice, HeldOut
from ..estimator.training import FitHistory
from ..history import History
from ..kernels.binning import Bins
from ..labels import is_gap
from ..learners import LEARNERS, ClassifierLearner, WeakLearner
from ..table import TableEncoder
from .hypotheses import pack_tape, unpack_tape
from .modelfile import Arrays, ModelFileError, read, under, write
from .policies import POLICY, unpack_policy


def save(model: Any, path: str | Path) -> None:
    """Write a fitted :class:`~agnoboost.AgnosticBoostingClassifier` to ``path``."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model, "tape_")
    choice = model.history_.choice
    facts = {
        "kind": type(model).__name__,
        "agnoboost": __version__,
        "parameters": {name: _pack_parameter(name, value) for name, value in model.get_params(deep=False).items()},
        "classes": _pack_classes(model.classes_),
        "n_features_in": int(model.n_features_in_),
        "feature_names_in": [str(name) for name in getattr(model, "feature_names_in_", [])],
        "categories": {str(column): _plain(values) for column, values in model._encoder.categories.items()},
        "n_labeled": model.n_labeled_,
        "n_unlabeled": model.n_unlabeled_,
        "cut": model._cut,
        "shift": model.shift_,
        "engines": model.history_.engines,
        "units": [tape.unit for tape in model._tapes],
        "choice": {
            "rounds": choice.rounds,
            "unlabeled_weight": choice.unlabeled_weight,
            "reason": choice.reason,
            "tried": list(choice.losses),
        },
    }
    arrays: Arrays = {}
    for number, (tape, history) in enumerate(zip(model._tapes, model.history_.runs, strict=True)):
        arrays |= {f"tape{number}/{name}": array for name, array in pack_tape(tape).items()}
        arrays |= {f"history{number}/{name}": array for name, array in history.to_arrays().items()}
    for place, losses in enumerate(choice.losses.values()):
        arrays[f"losses/{place}"] = losses
    if choice.held_out is not None:
        arrays |= {f"held_out/{name}": array for name, array in vars(choice.held_out).items()}
    write(Path(path), facts, arrays)


def load(path: str | Path) -> Any:
    """Read a model, or a policy, that was saved with its ``save``.

    Nothing in the file is executed. Predictions are the same to the bit. Raises :class:`ModelFileError` for a file
    that is not a model, is damaged, or is from a later version.
    """
    from ..estimator import AgnosticBoostingClassifier

    facts, arrays = read(Path(path))
    try:
        if facts["kind"] == POLICY:
            return unpack_policy(facts, arrays)
        if facts["kind"] != "AgnosticBoostingClassifier":
            raise ModelFileError(f"{path} holds a {facts['kind']}, which this version of agnoboost does not know.")
        model = AgnosticBoostingClassifier(
            **{name: _unpack_parameter(value) for name, value in facts["parameters"].items()}
        )
        _restore(model, facts, arrays)
    except ModelFileError:
        raise
    except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        raise ModelFileError(f"{path} is not a whole model file: {error!r}. Save the model again.") from None
    return model


def _restore(model: Any, facts: dict[str, Any], arrays: Arrays) -> None:
    model.classes_ = _unpack_classes(facts["classes"])
    model.n_features_in_ = facts["n_features_in"]
    if facts["feature_names_in"]:
        model.feature_names_in_ = np.array(facts["feature_names_in"], dtype=object)
    encoder = TableEncoder(model.categorical_features)
    encoder.categories = {int(column): values for column, values in facts["categories"].items()}
    model._encoder = encoder
    model.n_labeled_, model.n_unlabeled_ = int(facts["n_labeled"]), int(facts["n_unlabeled"])
    model._cut = float(facts["cut"])
    model.shift_, model.shift_estimate_ = float(facts.get("shift", 1.0)), None
    model._tapes = [
        unpack_tape(under(arrays, f"tape{i}/"), unit, model.n_features_in_) for i, unit in enumerate(facts["units"])
    ]
    if len(model._tapes) != (1 if len(model.classes_) == 2 else len(model.classes_)) or len(model.classes_) < 2:
        raise ModelFileError(f"The model file has {len(model.classes_)} classes and {len(model._tapes)} tapes.")
    model.tape_ = model._tapes[0] if len(model._tapes) == 1 else model._tapes
    model.n_rounds_ = max(map(len, model._tapes))
    runs = [History.from_arrays(under(arrays, f"history{i}/")) for i in range(len(model._tapes))]
    chosen, held = facts["choice"], under(arrays, "held_out/")
    losses = {share: arrays[f"losses/{place}"] for place, share in enumerate(chosen["tried"])}
    choice = Choice(
        chosen["rounds"], chosen["unlabeled_weight"], chosen["reason"], losses, HeldOut(**held) if held else None
    )
    engines = facts.get("engines", ["loop"] * len(runs))
    model.history_ = FitHistory(runs, choice, [str(name) for name in engines])


def _pack_parameter(name: str, value: Any) -> Any:
    """Plain values as they are; our weak learners by name and fields; generators as None (the fit is done)."""
    value = value.item() if isinstance(value, np.generic) else value
    if is_gap(value):
        return None  # NaN as missing_label says the same as None
    if isinstance(value, (bool, int, float, str)):
        return value
    if name in ("random_state", "checkpoint"):  # the fit is done
        return None
    if isinstance(value, dict):
        return {"dict": [[_plain_value(key), _plain_value(item)] for key, item in value.items()]}
    if isinstance(value, (list, tuple, np.ndarray)):
        return {"list": _plain(list(value))}
    names = {kind: word for word, kind in LEARNERS.items()}
    if type(value) in names and not isinstance(value, ClassifierLearner):
        return {"learner": names[type(value)], "fields": _learner_fields(value)}
    raise ValueError(
        f"Models of the built-in weak learners can be saved. Got {name}={value!r}. "
        "Save a model with foreign parts with skops (skops.io.dump), which checks what it loads."
    )


def _unpack_parameter(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if "dict" in value:
        return dict(value["dict"])
    if "list" in value:
        return value["list"]
    fields = dict(value["fields"])
    if "bins" in fields:
        cuts = tuple(tuple(column) for column in fields["bins"]["cuts"])
        fields["bins"] = Bins(cuts, frozenset(fields["bins"]["categorical"]))
    return LEARNERS[value["learner"]](**fields)


def _learner_fields(learner: WeakLearner) -> dict[str, Any]:
    fields = {name: value for name, value in vars(learner).items() if not name.startswith("_")}
    if "bins" in fields:
        fields["bins"] = {"cuts": fields["bins"].cuts, "categorical": sorted(fields["bins"].categorical)}
    return fields


def _pack_classes(classes: npt.NDArray[Any]) -> dict[str, Any]:
    return {"dtype": "object" if classes.dtype.kind == "O" else classes.dtype.str, "values": _plain(classes.tolist())}


def _unpack_classes(packed: dict[str, Any]) -> npt.NDArray[Any]:
    return np.array(packed["values"], dtype=np.dtype(packed["dtype"]))


def _plain(values: list[Any]) -> list[Any]:
    return [_plain_value(value) for value in values]


def _plain_value(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and np.isfinite(value)):
        return value
    raise ValueError(
        f"A model file holds numbers and texts only. Got {value!r} of type {type(value).__name__} among classes, "
        "categories or parameters. Convert that column to text before fitting, for example with astype(str)."
    )
