"""Table models to and from model files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...basics.names import parts
from ...basics.typing import Arrays
from ...evaluation.machine_worth import MachineWorth
from ...files.common import common_arrays, common_facts, pack_bins, restored, unpack_bins
from ...files.container import Facts
from ...kernels.forest import Forest
from .columns import Coder
from .estimator import TableClassifier
from .few_labels import FewLabelClassifier
from .file_schema import SCHEMA, scores_of
from .kernel_ridge import KernelSum, LinearSum
from .model import Blend, TableModel

__all__ = ["SCHEMA", "pack", "unpack"]

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
    }
    if model.machines_ is not None:
        facts["machines"] = model.machines_.facts()
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
    kept = parts(arrays)
    ranks = {int(column): rank.astype(np.int64) for column, rank in kept["ranks"].items()}
    coder = Coder(unpack_bins(facts["bins"]), ranks, facts["last"])
    model.weights_ = facts["weights"]
    model.oob_decision_function_ = arrays["unseen"].astype(np.float64)
    model._some_rows = None
    model._importances = None if facts["importances"] is None else np.array(facts["importances"], dtype=np.float64)
    model._given = arrays["given"].astype(np.int64) if "given" in arrays else None  # early files do not have them
    model._suspicious = None
    machines = facts.get("machines")  # without machine labels there are none
    model.machines_ = None if machines is None else MachineWorth.of_facts(machines)
    blends = []
    for number, (weights, slope) in enumerate(zip(facts["weights"], facts["slopes"], strict=True)):
        problem = kept[f"problem{number}"]
        own = parts(problem)
        sums = [_sum(one, own[f"sum{place}"]) for place, one in enumerate(facts["sums"][number])]
        forest = Forest.of_checked(own["forest"])
        blends.append(Blend(weights, float(slope), problem["curves"].astype(np.float64), forest, tuple(sums)))
    model._model = TableModel(coder, scores_of(facts, arrays), blends, float(facts["sharpness"]))
    return model


def _facts_of(part: LinearSum | KernelSum) -> dict[str, Any]:
    if isinstance(part, LinearSum):
        return {"kind": "linear", "intercept": part.intercept}
    return {"kind": part.kernel, "intercept": part.intercept, "width": part.width}


def _sum(facts: dict[str, Any], arrays: Arrays) -> LinearSum | KernelSum:
    coefficients, intercept = arrays["coefficients"].astype(np.float64), float(facts["intercept"])
    if facts["kind"] == "linear":
        return LinearSum(intercept, coefficients)
    return KernelSum(facts["kind"], float(facts["width"]), intercept, arrays["rows"].astype(np.float64), coefficients)
