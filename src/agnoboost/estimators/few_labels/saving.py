"""Few-label models to and from model files."""

from __future__ import annotations

import numpy as np

from ...basics.names import under
from ...basics.typing import Arrays
from ...files.common import common_facts, pack_bins, problems, restored, unpack_bins
from ...files.container import Facts, ModelFileError
from ...kernels.binning import Bins
from .bagged_trees import BaggedTrees, Splits, Trees
from .columns import Coder, Scores
from .estimator import Blend, FewLabelClassifier
from .kernel_ridge import KernelRidge


def pack(model: FewLabelClassifier) -> tuple[Facts, Arrays]:
    """A fitted model as facts and arrays."""
    scores = model._scores
    facts = {
        **common_facts(model),
        "bins": pack_bins(model._coder.bins),
        "missing": scores.missing,
        "sizes": {str(column): size for column, size in scores.categories.items()},
        "weights": model.weights_,
        "slopes": [one.slope for one in model._blends],
        "kernels": [
            {name: [m.width, m.ridge] for name, m in one.members.items() if not isinstance(m, BaggedTrees)}
            for one in model._blends
        ],
    }
    arrays: Arrays = {"unseen": model.oob_decision_function_}
    arrays |= {f"ranks/{column}": rank for column, rank in model._coder.ranks.items()}
    for column, (knots, values) in enumerate(zip(scores.knots, scores.values, strict=True)):
        arrays[f"scores/{column}"] = np.stack([knots, values])
    for number, one in enumerate(model._blends):
        for name, member in one.members.items():
            arrays |= {f"problem{number}/{name}/{part}": array for part, array in member.to_arrays().items()}
    return facts, arrays


def unpack(facts: Facts, arrays: Arrays) -> FewLabelClassifier:
    """The model that :func:`pack` packed."""
    model: FewLabelClassifier = restored(FewLabelClassifier, facts)
    if len(facts["weights"]) != problems(model) or len(facts["bins"]["cuts"]) != model.n_features_in_:
        raise ModelFileError("The model file has another number of classes or columns than its parts.")
    bins = unpack_bins(facts["bins"])
    model._coder = Coder(bins, {int(column): rank for column, rank in under(arrays, "ranks/").items()})
    tables = [arrays[f"scores/{column}"] for column in range(model.n_features_in_)]
    sizes = {int(column): int(size) for column, size in facts["sizes"].items()}
    model._scores = Scores([one[0] for one in tables], [one[1] for one in tables], facts["missing"], sizes)
    model.weights_ = facts["weights"]
    model.oob_decision_function_ = arrays["unseen"]
    model._blends = []
    for number, (weights, slope) in enumerate(zip(facts["weights"], facts["slopes"], strict=True)):
        members = {}
        for name in weights:
            own, settings = under(arrays, f"problem{number}/{name}/"), facts["kernels"][number].get(name)
            members[name] = _unpack_trees(own, bins) if settings is None else _unpack_kernel(name, settings, own)
        model._blends.append(Blend(members, np.array(list(weights.values())), float(slope)))
    return model


def _unpack_trees(arrays: Arrays, bins: Bins) -> BaggedTrees:
    bags = int(arrays["bags"])
    depth = (arrays["leaves"].shape[1] // bags).bit_length() - 1
    ends = np.cumsum([bags * 2**level for level in range(depth)])[:-1]
    feature, bin_ = arrays["feature"].astype(np.int64), arrays["bin"].astype(np.int64)
    known = (feature >= 0) & (feature < len(bins))
    if feature.shape != bin_.shape or feature.shape[1] != bags * (2**depth - 1) or not known.all():
        raise ModelFileError("The trees of the model file do not fit together.")
    rounds = []
    for features, places, leaves in zip(feature, bin_, arrays["leaves"], strict=True):
        levels = map(Splits, np.split(features, ends), np.split(places, ends))
        rounds.append(Trees(list(levels), leaves))
    return BaggedTrees(bags, rounds, bins.is_categorical)


def _unpack_kernel(name: str, settings: list[float], arrays: Arrays) -> KernelRidge:
    rows, coefficients = arrays["rows"], arrays["coefficients"]
    if rows.ndim != 2 or coefficients.shape != rows.shape[:1]:
        raise ModelFileError("The kernel models of the model file do not fit together.")
    return KernelRidge(name, settings[0], settings[1], rows, coefficients)
