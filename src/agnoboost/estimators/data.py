"""The rows of a training set, as trainers get them, from a table and what is known of its labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.class_weight import compute_class_weight

from ..basics.suggestions import did_you_mean
from ..basics.typing import Floats, Ints, Matrix
from ..core.sources import Pool
from ..kernels.gradient_trees import LARGEST
from ..labels.models import ClassLabels, Evidence, LabelModel, one_against_rest
from ..labels.reading import shown

CHOICE_ROWS = 1000  # unlabeled rows that suffice to choose by


@dataclass(frozen=True)
class Data:
    """Rows of a training set.

    ``codes`` are class numbers 0..k-1, ``targets`` are what stands for the label in each one-against-rest problem
    (shape: rows, problems): -1 and +1, or unbiased stand-ins for them. Weights are relative. ``labels`` is how many of
    the rows have labels, if not all; they come first. ``rows`` are their numbers in the table, ``unlabeled_rows`` those
    of the pool, in which more rows follow on those of the table. ``class_weights``, where there are any, are in
    ``weight`` already. ``psi_from_unlabeled`` says that the rows are no sample of the population,
    so that psi must come from unlabeled ones (see :class:`~agnoboost.labels.models.LabeledSample`). ``psi`` are the
    weights of the rows in the psi part of the potential, where these are others.
    """

    X: Matrix
    codes: Ints
    targets: Floats
    weight: Floats
    unlabeled: Pool | None = None
    labels: int | None = None
    psi_from_unlabeled: bool = False
    rows: Ints | None = None
    class_weights: Floats | None = None
    unlabeled_rows: Ints | None = None
    psi: Floats | None = None

    @classmethod
    def of_classes(cls, X: Matrix, codes: Ints, classes: int, weight: Floats, unlabeled: Pool | None = None) -> Data:
        """Rows whose labels are taken at face value."""
        return cls(X, codes, one_against_rest(codes, classes), weight, unlabeled)

    @property
    def label_count(self) -> float:
        """How many labels there are: a row of weight 2 counts as two, and fractions of a row as no less than one."""
        if self.psi_from_unlabeled and self.labels is not None:
            return float(self.labels)
        return max(float(len(self.codes)), float(self.weight.sum()))

    @property
    def has_soft_labels(self) -> bool:
        """Whether some labels are mean labels already, which leaves less noise in them."""
        return bool((np.abs(self.targets[slice(self.labels)]) < 1.0).any())

    @property
    def least_gain(self) -> float:
        """What a split must add to the correlation of a batch: as much as one label, 1/n at face value.

        What adds less than a single row can is noise. Stand-ins pull with their size, and a batch is a gradient divided
        by its bound, 1 + the largest of them. Labels of one class alone are noisier: a split must be worth three.
        """
        size = np.abs(self.targets)
        if (size == 1.0).all():
            return 1.0 / self.label_count
        labels = slice(self.labels)
        pull = float((self.weight[labels, None] * size[labels]).sum() / self.weight.sum() / self.problems)
        worth = 3.0 if self.psi_from_unlabeled else 1.0
        return worth * 2.0 * pull / (1.0 + max(1.0, float(size.max()))) / self.label_count

    def take(self, rows: Ints) -> Data:
        return replace(
            self,
            X=self.X[rows],
            codes=self.codes[rows],
            targets=self.targets[rows],
            weight=self.weight[rows],
            rows=None if self.rows is None else self.rows[rows],
            psi=None if self.psi is None else self.psi[rows],
        )

    def pool(self, problem: int) -> Pool:
        """The labeled rows of one problem."""
        return Pool(self.X, self.targets[:, problem], self.weight, soft=True)

    @property
    def problems(self) -> int:
        return int(self.targets.shape[1])

    def with_fewer_unlabeled(self, seed: int) -> Data:
        """Enough unlabeled rows to choose by, drawn at random; the final run uses all of them."""
        most = max(CHOICE_ROWS, 2 * len(self.codes))
        if self.unlabeled is None or len(self.unlabeled) <= most:
            return self
        rows = np.random.default_rng(seed).choice(len(self.unlabeled), most, replace=False)
        return replace(self, unlabeled=Pool(self.unlabeled.X[rows], mass=self.unlabeled.mass[rows]))


def _check_class_weight(class_weight: Any) -> None:
    if isinstance(class_weight, str) and class_weight == "balanced":
        return
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            f"class_weight must be None, 'balanced' or a dict with a weight for each class. Got {class_weight!r}."
        )
    for name, weight in class_weight.items():
        number = isinstance(weight, Real) and not isinstance(weight, (bool, np.bool_))
        if not number or not 0.0 < float(weight) < LARGEST:
            raise ValueError(
                f"class_weight must have numbers above 0. Got {weight!r} for class {name!r}. To leave a class out, "
                "leave out its rows."
            )


def _check_names(class_weight: Mapping[Any, Any], classes: list[Any]) -> None:
    """Classes that are not named have weight 1; one that does not exist is a mistyped one, unless none is missing."""
    strangers = [name for name in class_weight if name not in classes]
    if strangers and any(name not in class_weight for name in classes):
        same = str(strangers[0]) in map(str, classes)
        raise ValueError(
            f"class_weight must name classes of y, {', '.join(map(shown, classes))}. Got "
            f"{', '.join(map(shown, strangers))}."
            f"{' Is it of another type?' if same else did_you_mean(strangers[0], classes)}"
        )


def class_weighted(targets: Floats, classes: npt.NDArray[Any], class_weight: Any) -> tuple[Floats, Floats, Floats]:
    """Weights and stand-ins of rows with probabilities p_c of the classes: sum_c w_c p_c, and 2 w_k p_k / that - 1; w.

    With labels at face value these are the weight of the class, and the label.
    """
    _check_class_weight(class_weight)
    share = (1.0 + targets) / 2.0
    share = np.hstack([1.0 - share, share]) if targets.shape[1] == 1 else share
    if isinstance(class_weight, str) and class_weight == "balanced":
        counts = share.sum(axis=0)
        weights = counts.sum() / (len(counts) * np.maximum(counts, 1e-12))
    else:
        _check_names(class_weight, classes.tolist())
        weights = np.asarray(compute_class_weight(class_weight, classes=classes, y=classes), dtype=np.float64)
    factor = share @ weights
    wanted = (share * weights)[:, 1:] if targets.shape[1] == 1 else share * weights
    part = np.divide(2.0 * wanted, factor[:, None], out=np.zeros_like(wanted), where=factor[:, None] > 0)
    return factor, part - 1.0, weights


def split_rows(
    X: Floats, numbers: Ints, model: LabelModel, evidence: Evidence, weight: Floats, class_weight: Any
) -> tuple[Data, npt.NDArray[Any]]:
    """The labeled rows with the pool of unlabeled ones, and the classes; rows of weight 0 are as if not there.

    ``numbers`` are those of the rows in the table as it came.
    """
    found = model.sample(evidence, weight)
    classes, codes, targets = evidence.classes, found.codes, found.targets
    if isinstance(model, ClassLabels):  # a class may have lost all its rows to weights of 0
        present, codes = np.unique(codes, return_inverse=True)
        if len(present) < 2:
            raise ValueError("Rows with positive sample_weight must hold at least 2 classes. Got one class or none.")
        classes = classes[present]
        targets = one_against_rest(codes, len(classes))
    labeled_weight, class_weights = found.weight, None
    if class_weight is not None:
        if found.psi_from_unlabeled or (np.abs(targets).max() > 1.0 and not model.may_be_cut):
            raise ValueError(
                f"class_weight does not go with {type(model).__name__}: its labels stand for classes on average only. "
                "Leave it out; tune_threshold=True or the prior may serve instead."
            )
        factor, targets, class_weights = class_weighted(np.clip(targets, -1.0, 1.0), classes, class_weight)
        labeled_weight = labeled_weight * factor
    pool = Pool(X[found.unlabeled], mass=weight[found.unlabeled]) if len(found.unlabeled) else None
    labels = found.labels if found.psi_from_unlabeled else None
    data = Data(X[found.rows], codes, targets, labeled_weight, pool, labels, found.psi_from_unlabeled)
    return replace(
        data, rows=numbers[found.rows], unlabeled_rows=numbers[found.unlabeled], class_weights=class_weights
    ), classes
