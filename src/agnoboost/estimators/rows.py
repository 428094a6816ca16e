"""From a table and what is known of its labels to labeled and unlabeled rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.class_weight import compute_class_weight

from ..basics.typing import Floats
from ..core.sources import Pool
from ..labels.models import ClassLabels, Evidence, LabelModel, one_against_rest
from .data import Data


def class_weighted(targets: Floats, classes: npt.NDArray[Any], class_weight: Any) -> tuple[Floats, Floats]:
    """Weights and stand-ins of rows with probabilities p_c of the classes: sum_c w_c p_c, and 2 w_k p_k / that - 1.

    With labels at face value these are the weight of the class, and the label.
    """
    share = (1.0 + targets) / 2.0
    share = np.hstack([1.0 - share, share]) if targets.shape[1] == 1 else share
    weights = _class_weights(share.sum(axis=0), classes, class_weight)
    factor = share @ weights
    wanted = (share * weights)[:, 1:] if targets.shape[1] == 1 else share * weights
    return factor, np.divide(2.0 * wanted, factor[:, None], out=np.zeros_like(wanted), where=factor[:, None] > 0) - 1.0


def _class_weights(counts: Floats, classes: npt.NDArray[Any], class_weight: Any) -> Floats:
    if isinstance(class_weight, str) and class_weight == "balanced":
        return np.asarray(counts.sum() / (len(counts) * np.maximum(counts, 1e-12)))
    return np.asarray(compute_class_weight(class_weight, classes=classes, y=classes), dtype=np.float64)


def split_rows(
    X: Floats, model: LabelModel, evidence: Evidence, weight: Floats, class_weight: Any
) -> tuple[Data, npt.NDArray[Any]]:
    """The labeled rows with the pool of unlabeled ones, and the classes; rows of weight 0 are as if not there."""
    found = model.sample(evidence, weight)
    classes, codes, targets = evidence.classes, found.codes, found.targets
    if isinstance(model, ClassLabels):  # a class may have lost all its rows to weights of 0
        present, codes = np.unique(codes, return_inverse=True)
        if len(present) < 2:
            raise ValueError("Rows with positive sample_weight must hold at least 2 classes. Got one class or none.")
        classes = classes[present]
        targets = one_against_rest(codes, len(classes))
    labeled_weight = found.weight
    if class_weight is not None:
        if found.apart or np.abs(targets).max() > 1.0:
            raise ValueError(
                f"class_weight does not go with {type(model).__name__}: its labels stand for classes on average only. "
                "Leave it out; tune_threshold=True or the prior may serve instead."
            )
        factor, targets = class_weighted(targets, classes, class_weight)
        labeled_weight = labeled_weight * factor
    pool = Pool(X[found.loose], mass=weight[found.loose]) if len(found.loose) else None
    labels = found.labels if found.apart else None
    return Data(X[found.rows], codes, targets, labeled_weight, pool, labels, found.apart), classes
