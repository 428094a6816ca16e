"""Few-label models of the first layout, as the present one: complete trees level by level, kernels with all rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..basics.names import under
from ..basics.typing import Arrays
from ..kernels.binning import MISSING
from ..kernels.forest import Forest
from ..kernels.forest_sums import weighted_sum
from .container import Facts, ModelFileError

LAST = 30  # the bin that the rarest categories shared


def to_second_layout(facts: Facts, arrays: Arrays) -> tuple[Facts, Arrays]:
    """Members with their weights multiplied in."""
    features = len(facts["bins"]["cuts"])
    categorical = np.isin(np.arange(features), facts["bins"]["categorical"])
    kept = {name: array for name, array in arrays.items() if not name.startswith("problem")}
    sums: list[list[dict[str, Any]]] = []
    for number, weights in enumerate(facts["weights"]):
        forests, factors = [], []
        sums.append([])
        for name, weight in weights.items():
            own, settings = under(arrays, f"problem{number}/{name}/"), facts["kernels"][number].get(name)
            if settings is None:
                forests.append(_forest(own, categorical))
                factors.append(weight)
            elif weight > 0:
                place = f"problem{number}/sum{len(sums[-1])}"
                rows, coefficients = own["rows"], weight * own["coefficients"]
                if rows.ndim != 2 or coefficients.shape != rows.shape[:1]:
                    raise ModelFileError("The kernel models of the model file do not fit together.")
                sums[-1].append({"kind": name, "intercept": float(coefficients.sum()), "width": settings[0]})
                if name == "linear":
                    kept[f"{place}/coefficients"] = coefficients @ rows / rows.shape[1]
                else:
                    kept[f"{place}/coefficients"], kept[f"{place}/rows"] = coefficients, rows
        curves, forest = weighted_sum(features, forests, factors)
        kept[f"problem{number}/curves"] = curves
        kept |= {f"problem{number}/forest/{name}": array for name, array in forest.to_arrays().items()}
    return {**facts, "sums": sums, "last": LAST}, kept


def _forest(arrays: Arrays, categorical: Any) -> Forest:
    """Trees of all bags; bins were counted from 1 on, with 0 for missing values."""
    bags = int(arrays["bags"])
    depth = (arrays["leaves"].shape[1] // bags).bit_length() - 1
    inner = bags * (2**depth - 1)
    feature, bound = arrays["feature"].astype(np.int64), arrays["bin"].astype(np.int64)
    known = (feature >= 0) & (feature < len(categorical))
    if feature.shape != bound.shape or feature.shape[1] != inner or not known.all():
        raise ModelFileError("The trees of the model file do not fit together.")
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
