"""What a label column may stand for.

The potential psi(H) - y*H is linear in y. So anything may take the place of y whose mean, for every x, is that of the
true label: a *stand-in*. Each label model turns labels as they really come into stand-ins.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..basics.typing import Bools, Floats, Ints
from ..core.sources import Pool
from .annotators import Annotator
from .parameters import Searchable
from .reading import label_column, read_labels


def one_against_rest(codes: Ints, classes: int) -> Floats:
    """Labels in {-1, +1} of each one-against-rest problem (shape: rows, problems); a single one for two classes."""
    wanted = np.array([1]) if classes == 2 else np.arange(classes)
    return np.where(codes[:, None] == wanted, 1.0, -1.0)


@dataclass(frozen=True)
class Evidence:
    """What a label column says.

    Attributes
    ----------
    classes : array
        The classes, sorted.
    known : array of bool
        Which rows have a label.
    codes : array of int
        The (likeliest) class of each known row.
    targets : array of shape (known rows, problems)
        Stand-ins for the label of each known row in every one-against-rest problem.
    annotators : tuple of Annotator
        What votes tell of those who have voted, if there were votes.
    weight : array or None
        How much each known row counts, where these differ.
    """

    classes: npt.NDArray[Any]
    known: Bools
    codes: Ints
    targets: Floats
    annotators: tuple[Annotator, ...] = ()
    weight: Floats | None = None


@dataclass(frozen=True)
class LabeledSample:
    """Labeled rows, with a weight of their own each; ``unlabeled`` are the others.

    ``rows`` are numbers of rows of the table. The first ``labels`` of them have labels; unlabeled rows may follow them,
    and stand for labels as well. With ``psi_from_unlabeled`` the labeled rows are no sample of the population: the part
    of the potential that needs no label must come from unlabeled rows.
    """

    rows: Ints
    codes: Ints
    targets: Floats
    weight: Floats
    unlabeled: Ints
    labels: int
    psi_from_unlabeled: bool = False


class LabelModel(Searchable, ABC):
    """Turns labels as they come into stand-ins for the true ones. Subclasses are frozen dataclasses."""

    needs_unlabeled: ClassVar[bool] = False  # whether unlabeled rows take part in the potential
    may_be_cut: ClassVar[bool] = False  # whether stand-ins beyond [-1, 1] may be cut, where others cannot be used

    @property
    def names_classes(self) -> bool:
        """Whether the code of a row is its (likeliest) class."""
        return True

    @abstractmethod
    def read(self, y: Any, rows: int, missing_label: Any = "auto", caller: str = "The label model") -> Evidence:
        """What the labels of ``rows`` rows say; ``caller`` is who needs them, for messages."""

    def classes_of(self, y: Any, rows: int, missing_label: Any, caller: str) -> npt.NDArray[Any]:
        """Labels as classes, for a score: at face value, as a rule."""
        return label_column(y, rows, caller)

    def sample(self, evidence: Evidence, weight: Floats) -> LabeledSample:
        """Which rows stand for what, given a weight for every row; rows of weight 0 are as if not there."""
        kept = weight[evidence.known] > 0
        rows = np.flatnonzero(evidence.known)[kept]
        unlabeled = np.flatnonzero(~evidence.known & (weight > 0))
        mass = weight[rows] if evidence.weight is None else weight[rows] * evidence.weight[kept]
        return LabeledSample(rows, evidence.codes[kept], evidence.targets[kept], mass, unlabeled, len(rows))

    def pools(self, X: Any, y: Any, weight: Any = None, missing_label: Any = "auto") -> tuple[Pool, Pool | None]:
        """Labeled and unlabeled rows for the recipes of the core (two classes).

        >>> from agnoboost import algorithm1
        >>> from agnoboost.labels import FlipRates
        >>> X, y = np.arange(8.0).reshape(4, 2), [0, 1, None, None]
        >>> labeled, unlabeled = FlipRates(0.25).pools(X, y)
        >>> labeled.y.tolist(), len(unlabeled)
        ([-2.0, 2.0], 2)
        """
        X = np.asarray(X)
        evidence = self.read(y, len(X), missing_label)
        if len(evidence.classes) != 2:
            raise ValueError(f"pools are for two classes. Got {len(evidence.classes)}. Use one class against the rest.")
        mass = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=np.float64)
        found = self.sample(evidence, mass)
        labeled = Pool(X[found.rows], found.targets[:, 0], found.weight, soft=True)
        return labeled, Pool(X[found.unlabeled], mass=mass[found.unlabeled]) if len(found.unlabeled) else None


@dataclass(frozen=True)
class ClassLabels(LabelModel):
    """Labels at face value."""

    def read(self, y: Any, rows: int, missing_label: Any = "auto", caller: str = "The label model") -> Evidence:
        found = read_labels(label_column(y, rows, caller), missing_label)
        codes = found.codes[found.known]
        return Evidence(found.classes, found.known, codes, one_against_rest(codes, len(found.classes)))
