"""Table models to and from model files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...basics.names import under
from ...basics.typing import Arrays, Ints
from ...evaluation.machine_worth import MachineWorth
from ...files.common import common_arrays, common_facts, pack_bins, problems, restored, unpack_bins
from ...files.container import Facts, ModelFileError
from ...kernels.binning import WIDTH
from ...kernels.forest import Forest
from .columns import Coder, Scores
from .estimator import TableClassifier
from .few_labels import FewLabelClassifier
from .kernel_ridge import SIMILARITIES, KernelSum, LinearSum
from .model import Blend, TableModel

CLASSES: Mapping[str, type[TableClassifier]] = {one.__name__: one for one in (TableClassifier, FewLabelClassifier)}


def pack(model: TableClassifier) -> tuple[Facts, Arrays]:
    """A fitted model as facts and arrays."""
    coder, scores, blends = model._model.coder, model._model.scores, model._model.blends
    facts = {
        **common_facts(model),
        "bins": pack_bins(coder.bins),
        "last": coder.last,
        "missing": scores.missing,
        "sizes": {str(column): size for column, size in scores.categories.items()},
        "weights": model.weights_,
        "slopes": [one.slope for one in blends],
        "sharpness": model._model.sharpness,
        "importances": model.feature_importances_.tolist() if model._has_importances else None,
        "sums": [[_facts_of(part) for part in one.sums] for one in blends],
        "machines": None if model.machines_ is None else model.machines_.facts(),
    }
    arrays = common_arrays(model) | {"unseen": model.oob_decision_function_}
    if model._given is not None:
        arrays["given"] = model._given
    arrays |= {f"ranks/{column}": rank for column, rank in coder.ranks.items()}
    for column, (knots, values) in enumerate(zip(scores.knots, scores.values, strict=True)):
        arrays[f"scores/{column}"] = np.stack([knots, values])
    for number, one in enumerate(blends):
        arrays[f"problem{number}/curves"] = one.curves
        arrays |= {f"problem{number}/forest/{name}": array for name, array in one.forest.to_arrays().items()}
        for place, part in enumerate(one.sums):
            arrays[f"problem{number}/sum{place}/coefficients"] = part.coefficients
            if isinstance(part, KernelSum):
                arrays[f"problem{number}/sum{place}/rows"] = part.rows
    return facts, arrays


def unpack(facts: Facts, arrays: Arrays) -> TableClassifier:
    """The model that :func:`pack` packed."""
    model: TableClassifier = restored(CLASSES[facts["kind"]], facts, arrays)
    columns = len(model._matrix_names)
    if len(facts["weights"]) != problems(model) or len(facts["bins"]["cuts"]) != columns:
        raise ModelFileError("The model file has another number of classes or columns than its parts.")
    ranks = {int(column): rank for column, rank in under(arrays, "ranks/").items()}
    coder = Coder(unpack_bins(facts["bins"]), ranks, int(facts["last"]))
    tables = [arrays[f"scores/{column}"] for column in range(columns)]
    sizes = {int(column): int(size) for column, size in facts["sizes"].items()}
    if not set(ranks) == set(sizes) == coder.bins.categorical or len(facts["missing"]) != len(tables):
        raise ModelFileError("The columns of the model file do not fit together.")
    scores = Scores([one[0] for one in tables], [one[1] for one in tables], facts["missing"], sizes)
    model.weights_ = facts["weights"]
    model.oob_decision_function_ = arrays["unseen"]
    model._some_rows = None
    model._importances = None if facts["importances"] is None else np.array(facts["importances"], dtype=np.float64)
    if model._importances is not None and model._importances.shape != (model.n_features_in_,):
        raise ModelFileError("The model file has importances of another number of columns.")
    model._given, model._suspicious = _given(arrays, model), None
    machines = facts.get("machines")  # early files have none
    model.machines_ = None if machines is None else MachineWorth.of_facts(machines)
    width = scores.transform(np.zeros((1, columns))).shape[1]
    blends = []
    for number, (weights, slope) in enumerate(zip(facts["weights"], facts["slopes"], strict=True)):
        own = under(arrays, f"problem{number}/")
        curves, forest = own["curves"], Forest.from_arrays(under(own, "forest/"))
        if curves.shape != (columns, WIDTH) or forest.features != len(curves) or forest.runs != 1:
            raise ModelFileError("The trees of the model file do not fit its columns.")
        sums = [_sum(one, under(own, f"sum{place}/"), width) for place, one in enumerate(facts["sums"][number])]
        blends.append(Blend(weights, float(slope), curves, forest, tuple(sums)))
    model._model = TableModel(coder, scores, blends, float(facts["sharpness"]))
    return model


def _given(arrays: Arrays, model: TableClassifier) -> Ints | None:
    """Numbers of the labeled rows and of their classes; early files do not have them."""
    found = arrays.get("given")
    if found is None:
        return None
    if found.shape != (2, len(model.oob_decision_function_)) or found.dtype.kind != "i" or (found < 0).any():
        raise ModelFileError("The labels of the model file do not fit its rows.")
    if (found[1] >= len(model.classes_)).any():
        raise ModelFileError("The labels of the model file do not fit its classes.")
    return found


def _facts_of(part: LinearSum | KernelSum) -> dict[str, Any]:
    if isinstance(part, LinearSum):
        return {"kind": "linear", "intercept": part.intercept}
    return {"kind": part.kernel, "intercept": part.intercept, "width": part.width}


def _sum(facts: dict[str, Any], arrays: Arrays, width: int) -> LinearSum | KernelSum:
    """``width`` is how many scores a row has."""
    coefficients = arrays["coefficients"]
    if facts["kind"] == "linear" and coefficients.shape == (width,):
        return LinearSum(float(facts["intercept"]), coefficients)
    rows = arrays["rows"]
    if facts["kind"] not in SIMILARITIES or rows.shape != (*coefficients.shape, width):
        raise ModelFileError("The kernel models of the model file do not fit together.")
    return KernelSum(facts["kind"], float(facts["width"]), float(facts["intercept"]), rows, coefficients)
