"""What the files of all classifiers say: parameters, classes, columns, categories, counts, threshold.

All of it as JSON, in which there are numbers and texts only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..basics.fact_schema import (
    LARGEST,
    Anything,
    ListOf,
    MapOf,
    Maybe,
    NamedSize,
    Number,
    OneOf,
    Record,
    SchemaError,
    Sizes,
    Text,
    Whole,
    refuse,
    same_size,
)
from ..basics.gaps import is_gap
from ..basics.typing import Arrays
from ..core.learners import LEARNERS, ClassifierLearner
from ..kernels.binning import Bins
from ..labels import LABEL_MODELS, LabelModel
from ..tables.encoder import TableEncoder
from .class_schema import Classes, as_classes
from .container import Facts
from .parameter_schema import Parameters


def common_facts(model: Any) -> Facts:
    """Of a fitted classifier; what is its own is added by the caller."""
    kind = "object" if model.classes_.dtype.kind == "O" else model.classes_.dtype.str
    return {
        "parameters": {name: pack_parameter(name, value) for name, value in model.get_params(deep=False).items()},
        "classes": {"dtype": kind, "values": [_plain(value) for value in model.classes_.tolist()]},
        "n_features_in": int(model.n_features_in_),
        "feature_names_in": [str(name) for name in getattr(model, "feature_names_in_", [])],
        "column_numbers": list(model._column_numbers),
        "columns": {column: _facts(own) for column, own in model._encoder.pack()[0].items()},
        "n_labeled": model.n_labeled_,
        "n_unlabeled": model.n_unlabeled_,
        "cut": model._cut,
        "class_weights": None if model._class_weights is None else model._class_weights.tolist(),
        **({} if model._encoder.decimal is None else {"decimal": model._encoder.decimal}),
    }


def common_arrays(model: Any) -> Arrays:
    """What was learned about columns, as arrays."""
    arrays: Arrays = model._encoder.pack()[1]
    return arrays


MOST_COLUMNS = 2**19  # of a table: there may be nothing in a file by which their number is bounded

COMMON = Record(
    {
        "parameters": Parameters(),
        "classes": Classes(),
        "n_features_in": NamedSize(1, MOST_COLUMNS, "features"),
        "feature_names_in": ListOf(Text(), distinct=True),
        "column_numbers": ListOf(Whole(-LARGEST, LARGEST), distinct=True),
        "columns": MapOf(Anything("see the last table"), "features"),
        "n_labeled": Whole(),
        "n_unlabeled": Whole(),
        "cut": Number(-1e100, 1e100),
        "class_weights": Maybe(ListOf(Number(0.0), "classes")),
        "decimal": OneOf((".", ",")),
    },
    frozenset({"class_weights", "decimal"}),  # early files do not have them
    {
        "parameters": "of the estimator",
        "classes": "their values, and the type of the array of them",
        "n_features_in": "columns of the table",
        "feature_names_in": "their names, if they are texts; else none",
        "column_numbers": "their names, if they are whole numbers; else none",
        "columns": "what was learned of columns that are more than numbers",
        "n_labeled": "rows of training with a label",
        "n_unlabeled": "and without one",
        "cut": "the margin above which rows belong to the second class",
        "class_weights": "of the fit",
        "decimal": "the mark of the file that the table was read from",
    },
)


def common_sizes(facts: Facts, arrays: Arrays, sizes: Sizes) -> Arrays:
    """``problems``, and ``columns`` of the matrix that the table becomes; the arrays of its columns are checked."""
    same_size("problems", problems(sizes["classes"]), "classes", sizes)
    for name in ("feature_names_in", "column_numbers"):
        if len(facts[name]) not in (0, sizes["features"]):
            refuse(name, f"a list of none or of {sizes['features']} entries", facts[name])
    numbers = {name.split("/")[1] for name in arrays if name.startswith("columns/")}
    if strangers := numbers - facts["columns"].keys():
        raise SchemaError(f"columns/{min(strangers)[:60]} is of no column that the file tells of")
    same_size("columns", len(encoder_of(facts, arrays).names), "columns", sizes)
    return {name: array for name, array in arrays.items() if not name.startswith("columns/")}


def encoder_of(facts: Facts, arrays: Arrays) -> TableEncoder:
    """How the file says that a table becomes numbers."""
    names = facts["feature_names_in"] or range(facts["n_features_in"])
    return TableEncoder(None).unpack(facts["columns"], arrays, names)


def restored(kind: Any, facts: Facts, arrays: Arrays) -> Any:
    """A classifier of this type with all that :func:`common_facts` and :func:`common_arrays` kept; it was checked."""
    model = kind(**{name: unpack_parameter(value) for name, value in facts["parameters"].items()})
    model.classes_ = as_classes(facts["classes"])
    model.n_features_in_ = facts["n_features_in"]
    if facts["feature_names_in"]:
        model.feature_names_in_ = np.array(facts["feature_names_in"], dtype=object)
    model._column_numbers = facts["column_numbers"]
    model._encoder = TableEncoder(model.categorical_features).unpack(facts["columns"], arrays, model._column_names)
    model._encoder.decimal = facts.get("decimal")
    model.n_labeled_, model.n_unlabeled_ = facts["n_labeled"], facts["n_unlabeled"]
    model._cut = float(facts["cut"])
    if facts.get("class_weights") is not None:
        model._class_weights = np.array(facts["class_weights"], dtype=np.float64)
    return model


def problems(classes: int) -> int:
    """How many one-against-rest problems there are."""
    return 1 if classes == 2 else classes


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
        return {"dict": [[_plain(key), _nested(item)] for key, item in value.items()]}
    if isinstance(value, (list, tuple, np.ndarray)):
        return {
            "list": [pack_parameter(name, item) if isinstance(item, LabelModel) else _nested(item) for item in value]
        }
    label_models = {kind: word for word, kind in LABEL_MODELS.items()}
    if type(value) in label_models:
        fields = {field: pack_parameter(field, item) for field, item in vars(value).items()}
        return {"label_model": label_models[type(value)], "fields": fields}
    learners = {kind: word for word, kind in LEARNERS.items()}
    if type(value) in learners and not isinstance(value, ClassifierLearner):
        fields = {field: item for field, item in vars(value).items() if not field.startswith("_")}
        if "bins" in fields:
            fields["bins"] = pack_bins(fields["bins"])
        return {"learner": learners[type(value)], "fields": fields}
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
        return [unpack_parameter(item) for item in value["list"]]
    if "label_model" in value:
        own = {field: unpack_parameter(item) for field, item in value["fields"].items()}
        return LABEL_MODELS[value["label_model"]](**own)
    fields = dict(value["fields"])
    if "bins" in fields:
        fields["bins"] = unpack_bins(fields["bins"])
    return LEARNERS[value["learner"]](**fields)


def pack_bins(bins: Bins) -> dict[str, Any]:
    return {"cuts": [list(cuts) for cuts in bins.cuts], "categorical": sorted(bins.categorical)}


def unpack_bins(packed: dict[str, Any]) -> Bins:
    return Bins(tuple(tuple(column) for column in packed["cuts"]), frozenset(packed["categorical"]))


def _facts(own: dict[str, Any]) -> dict[str, Any]:
    return {name: _nested(value) for name, value in own.items()}


def _nested(value: Any) -> Any:
    """A plain value, or lists of such."""
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_nested(item) for item in value]
    return _plain(value)


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and np.isfinite(value)):
        return value
    raise ValueError(
        f"A model file holds numbers and texts only. Got {value!r} of type {type(value).__name__} among classes, "
        "categories or parameters. Convert that column to text before fitting, for example with astype(str)."
    )
