"""Few-label models of the first layout, as the present one: complete trees level by level, kernels with all rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..basics.array_schema import Array, ArrayGroup
from ..basics.fact_schema import Anything, ListOf, MapOf, Maybe, Number, Record, SchemaError, Whole
from ..basics.names import parts
from ..basics.typing import Arrays
from ..kernels.binning import MISSING
from ..kernels.forest import LARGEST, Forest
from ..kernels.forest_sums import weighted_sum
from .container import Facts

_FACTS = Record(
    {
        "bins": Record({"cuts": ListOf(Anything(), "columns"), "categorical": ListOf(Whole(0, "columns"))}),
        "weights": ListOf(MapOf(Number(0.0, LARGEST)), "problems"),
        "kernels": ListOf(MapOf(Maybe(ListOf(Number(), least=1))), "problems"),
    }
)
_TREES = ArrayGroup(
    {
        "bags": Array("whole", (), "bags", 1, 10_000),
        "feature": Array("whole", ("rounds", "nodes"), "the column that a node looks at", 0, "columns"),
        "bin": Array("whole", ("rounds", "nodes"), "bins below it go left", 0, MISSING),
        "leaves": Array("number", ("rounds", None), "the values of all leaves", -LARGEST, LARGEST),
    }
)
_KERNEL = ArrayGroup(
    {
        "rows": Array("number", ("rows", None), "with which rows are compared", -LARGEST, LARGEST),
        "coefficients": Array("number", ("rows",), "of these rows", -LARGEST, LARGEST),
    }
)
LAST = 30  # the bin that the rarest categories shared


def to_second_layout(facts: Facts, arrays: Arrays) -> tuple[Facts, Arrays]:
    """Members with their weights multiplied in."""
    _FACTS.check({name: facts.get(name) for name in _FACTS.fields}, "", {})
    features = len(facts["bins"]["cuts"])
    categorical = np.isin(np.arange(features), facts["bins"]["categorical"])
    kept = {name: array for name, array in arrays.items() if not name.startswith("problem")}
    sums: list[list[dict[str, Any]]] = []
    problems = parts(arrays)
    for number, weights in enumerate(facts["weights"]):
        forests, factors, members = [], [], parts(problems[f"problem{number}"])
        sums.append([])
        for name, weight in weights.items():
            own, settings = members[name], facts["kernels"][number].get(name)
            if settings is None:
                forests.append(_forest(own, categorical))
                factors.append(weight)
            elif weight > 0:
                place = f"problem{number}/sum{len(sums[-1])}"
                _KERNEL.check(own, f"problem{number}/{name}/")
                rows, coefficients = own["rows"], weight * own["coefficients"]
                sums[-1].append({"kind": name, "intercept": float(coefficients.sum()), "width": settings[0]})
                if name == "linear":
                    kept[f"{place}/coefficients"] = coefficients @ rows / rows.shape[1]
                else:
                    kept[f"{place}/coefficients"], kept[f"{place}/rows"] = coefficients, rows
        curves, forest = weighted_sum(features, forests, factors)
        kept[f"problem{number}/curves"] = curves
        kept |= {f"problem{number}/forest/{name}": array for name, array in forest.to_arrays().items()}
    facts = {name: fact for name, fact in facts.items() if name != "kernels"}
    return {**facts, "sums": sums, "last": LAST}, kept


def _forest(arrays: Arrays, categorical: Any) -> Forest:
    """Trees of all bags; bins were counted from 1 on, with 0 for missing values."""
    _TREES.check(arrays, "", {"columns": len(categorical)})
    bags, leaves = int(arrays["bags"]), arrays["leaves"].shape[1]
    depth = (leaves // bags).bit_length() - 1
    if depth < 1 or leaves != bags * 2**depth or arrays["feature"].shape[1] != bags * (2**depth - 1):
        raise SchemaError("the trees of all bags must have the same depth, and all their nodes")
    feature, bound = arrays["feature"].astype(np.int64), arrays["bin"].astype(np.int64)
    rounds, each = len(feature), 2 ** (depth + 1) - 1
    # In the files: level after level, and in a level bag after bag. Here: bag after bag, and in a tree level by level.
    place = np.concatenate(
        [bags * (2**level - 1) + np.arange(bags)[:, None] * 2**level + np.arange(2**level) for level in range(depth)],
        axis=1,
    )
    shape = (bags, rounds, each)
    features, low, width = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    value, child = np.zeros(shape), np.zeros(shape, dtype=np.int64)
    own, cut = (np.swapaxes(table[:, place], 0, 1) for table in (feature, bound))
    single = categorical[own]
    features[:, :, : each // 2] = own
    low[:, :, : each // 2] = np.where(single, (cut - 1) & MISSING, MISSING)
    width[:, :, : each // 2] = np.where(single, 0, cut)
    child[:, :, : each // 2] = 2 * np.arange(each // 2) + 1
    value[:, :, each // 2 :] = np.swapaxes(arrays["leaves"].reshape(rounds, bags, -1), 0, 1)
    count = bags * rounds
    return Forest.from_arrays(
        {
            "features": np.array(len(categorical)),
            "base": np.zeros(bags),
            "trees": rounds * np.arange(bags + 1),
            "nodes": each * np.arange(count + 1),
            "feature": features.ravel(),
            "low": low.ravel(),
            "width": width.ravel(),
            "child": child.ravel(),
            "value": value.ravel(),
            "group": np.zeros(count * each, dtype=np.int64),
            "sets": np.zeros((0, 4), dtype=np.uint64),
        }
    )
