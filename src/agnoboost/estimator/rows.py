"""From a table and what is known of its labels to labeled and unlabeled rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.class_weight import compute_sample_weight

from .._typing import Floats
from ..labels.models import Evidence, LabelModel, one_against_rest
from ..sources import Pool
from .data import Data


def split_rows(
    X: Floats, model: LabelModel, evidence: Evidence, weight: Floats, class_weight: Any
) -> tuple[Data, npt.NDArray[Any]]:
    """The labeled rows with the pool of unlabeled ones, and the classes; rows of weight 0 are as if not there."""
    found = model.sample(evidence, weight)
    classes, codes, targets = evidence.classes, found.codes, found.targets
    if np.array_equal(evidence.targets, one_against_rest(evidence.codes, len(classes))) and not found.apart:
        # Labels at face value: a class may have lost all its rows to weights of 0.
        present, codes = np.unique(codes, return_inverse=True)
        if len(present) < 2:
            raise ValueError("Rows with positive sample_weight must hold at least 2 classes. Got one class or none.")
        classes = classes[present]
        targets = one_against_rest(codes, len(classes))
    labeled_weight = found.weight
    if class_weight is not None:
        if found.apart:
            raise ValueError("class_weight does not go with positives and unlabeled rows: the prior says it all.")
        labeled_weight = labeled_weight * compute_sample_weight(class_weight, classes[codes])
    pool = Pool(X[found.loose], mass=weight[found.loose]) if len(found.loose) else None
    return Data(X[found.rows], codes, targets, labeled_weight, pool, found.labels, found.apart), classes
