"""Parameters, classes and categories as JSON: numbers and texts only."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.gaps import is_gap
from ..core.learners import LEARNERS, ClassifierLearner, WeakLearner
from ..kernels.binning import Bins
from ..labels import LABEL_MODELS, LabelModel


def pack_parameter(name: str, value: Any) -> Any:
    """Plain values as they are; our weak learners by name and fields; generators as None (the fit is done)."""
    value = value.item() if isinstance(value, np.generic) else value
    if is_gap(value):
        return None  # NaN as missing_label says the same as None
    if isinstance(value, (bool, int, float, str)):
        return value
    if name in ("random_state", "checkpoint"):  # the fit is done
        return None
    if isinstance(value, dict):
        return {"dict": [[_plain_value(key), _nested(item)] for key, item in value.items()]}
    if isinstance(value, (list, tuple, np.ndarray)):
        return {"list": plain(list(value))}
    if isinstance(value, LabelModel):
        kinds = {kind: word for word, kind in LABEL_MODELS.items()}
        if type(value) in kinds:
            fields = {field: pack_parameter(field, item) for field, item in vars(value).items()}
            return {"label_model": kinds[type(value)], "fields": fields}
    names = {kind: word for word, kind in LEARNERS.items()}
    if type(value) in names and not isinstance(value, ClassifierLearner):
        return {"learner": names[type(value)], "fields": _learner_fields(value)}
    raise ValueError(
        f"Models of the built-in weak learners can be saved. Got {name}={value!r}. "
        "Save a model with foreign parts with skops (skops.io.dump), which checks what it loads."
    )


def unpack_parameter(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if "dict" in value:
        return dict(value["dict"])
    if "list" in value:
        return value["list"]
    if "label_model" in value:
        own = {field: unpack_parameter(item) for field, item in value["fields"].items()}
        return LABEL_MODELS[value["label_model"]](**own)
    fields = dict(value["fields"])
    if "bins" in fields:
        fields["bins"] = unpack_bins(fields["bins"])
    return LEARNERS[value["learner"]](**fields)


def _learner_fields(learner: WeakLearner) -> dict[str, Any]:
    fields = {name: value for name, value in vars(learner).items() if not name.startswith("_")}
    if "bins" in fields:
        fields["bins"] = pack_bins(fields["bins"])
    return fields


def pack_bins(bins: Bins) -> dict[str, Any]:
    return {"cuts": bins.cuts, "categorical": sorted(bins.categorical)}


def unpack_bins(packed: dict[str, Any]) -> Bins:
    return Bins(tuple(tuple(column) for column in packed["cuts"]), frozenset(packed["categorical"]))


def pack_classes(classes: npt.NDArray[Any]) -> dict[str, Any]:
    return {"dtype": "object" if classes.dtype.kind == "O" else classes.dtype.str, "values": plain(classes.tolist())}


def unpack_classes(packed: dict[str, Any]) -> npt.NDArray[Any]:
    return np.array(packed["values"], dtype=np.dtype(packed["dtype"]))


def plain(values: list[Any]) -> list[Any]:
    return [_plain_value(value) for value in values]


def _nested(value: Any) -> Any:
    """A plain value, or lists of such."""
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_nested(item) for item in value]
    return _plain_value(value)


def _plain_value(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and np.isfinite(value)):
        return value
    raise ValueError(
        f"A model file holds numbers and texts only. Got {value!r} of type {type(value).__name__} among classes, "
        "categories or parameters. Convert that column to text before fitting, for example with astype(str)."
    )
