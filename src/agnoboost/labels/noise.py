"""Channels that labels go through: any matrix, "not this class", made private on purpose, seen by chance, in a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.checks import check_between
from ..basics.gaps import is_missing
from ..basics.typing import Floats
from .channel import LabelChannel, stand_ins
from .reading import as_column, different_names, known_rows, plain_values, shown


@dataclass(frozen=True)
class NoiseMatrix(LabelChannel):
    """Labels with known chances of every mistake.

    Parameters
    ----------
    chances_of : rows of probabilities
        P(seen | true class), a row for each true class, a column for each thing that can be seen. Rows may sum to less
        than 1: the rest is the chance that there is no label.
    classes : list, optional
        Names of the classes, in the order of the rows. By default those that y holds, sorted.
    seen : list, optional
        Names of what y holds, in the order of the columns, if these are not the classes: sets of candidates
        (``"cat or dog"``), grades, numbers of bags. ``classes`` must be named as well.

    Examples
    --------
    >>> model = NoiseMatrix([[0.9, 0.1, 0.0], [0.2, 0.8, 0.0], [0.0, 0.3, 0.7]], classes=["a", "b", "c"])
    >>> model.read(["a", "b", "c", None], 4).targets.round(2).tolist()
    [[1.29, -1.29, -1.0], [-1.57, 1.57, -1.0], [-0.76, -2.1, 1.86]]
    """

    chances_of: Any
    classes: Any = None
    seen: Any = None

    def __post_init__(self) -> None:
        """Plain values that can be compared and kept in files."""
        matrix = _table(self.chances_of)
        square = matrix.shape[0] == matrix.shape[1]
        if (self.classes is None and self.seen is not None) or (self.seen is None and not square):
            raise ValueError(
                "classes and seen must both be named where what is seen is not the classes. Got chances_of of shape "
                f"{matrix.shape}, classes={self.classes} and seen={self.seen}."
            )
        for name, count in zip(("classes", "seen"), matrix.shape, strict=True):
            given = getattr(self, name)
            own = None if given is None else different_names(given, name)
            if own is not None and len(own) != count:
                raise ValueError(f"{name} must name {count} different things. Got {list(own)}.")
            object.__setattr__(self, name, own)
        object.__setattr__(self, "chances_of", tuple(tuple(row) for row in matrix.tolist()))
        stand_ins(self.matrix(len(matrix)))  # refuses what is no probability, and labels that say nothing

    @classmethod
    def of_bags(cls, bags: npt.ArrayLike, shares: Mapping[Any, Any], classes: Any = (0, 1)) -> NoiseMatrix:
        """For rows in bags of which only the shares of the classes are known: y then holds the bag of each row.

        What must hold: rows of one class look the same in every bag. Bags of different shares are what it learns from.

        Parameters
        ----------
        bags : array
            The bag of each row, as in y.
        shares : dict
            For each bag the share of the second class, or a list with the share of every class.
        classes : sequence
            Names of the classes, in the order of the shares.

        Examples
        --------
        >>> model = NoiseMatrix.of_bags(["x", "x", "y", "y"], {"x": 0.25, "y": 0.75}, classes=["no", "yes"])
        >>> model.read(["x", "y", "y"], 3).targets[:, 0].tolist()
        [-2.0, 2.0, 2.0]
        """
        column = as_column(bags)
        names, sizes = np.unique(plain_values(column[~is_missing(column)]), return_counts=True)
        if unknown := [name for name in names.tolist() if name not in shares]:
            raise ValueError(f"shares must have those of every bag. Got none for {shown(unknown[0])}.")
        table = _shares_of_bags([shares[name] for name in names.tolist()])
        table = np.hstack([1.0 - table, table]) if table.shape[1] == 1 else table
        if not ((table >= 0).all() and np.abs(table.sum(axis=1) - 1.0).max() <= 1e-6):
            raise ValueError("The shares of a bag must lie between 0 and 1, and sum to 1 over the classes.")
        rows = (table * sizes[:, None]).T
        if not rows.sum(axis=1).all():
            raise ValueError("Every class must have a share in some bag. Got a class with none.")
        return cls(rows / rows.sum(axis=1, keepdims=True), tuple(classes), tuple(names.tolist()))

    @property
    def names_classes(self) -> bool:
        return self.seen is None

    @property
    def true_classes(self) -> tuple[Any, ...] | None:
        return None if self.classes is None else tuple(sorted(self.classes))

    @property
    def seen_values(self) -> tuple[Any, ...] | None:
        return None if self.seen is None else tuple(sorted(self.seen))

    def chances(self, classes: int) -> Floats:
        if classes != len(self.chances_of):
            raise ValueError(
                f"NoiseMatrix must have a row for each class. Got {len(self.chances_of)} rows for {classes} classes. "
                "If y does not hold all of them, name them: NoiseMatrix(..., classes=[...])."
            )
        rows = _sorted_places(self.classes, classes)
        columns = rows if self.seen is None else _sorted_places(self.seen, len(self.seen))
        return np.array(self.chances_of)[np.ix_(rows, columns)]


def _table(cells: Any) -> Floats:
    """A table of at least two rows of numbers."""
    try:
        found = np.array(cells, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.ndim != 2 or len(found) < 2 or not np.isfinite(found).all():
        raise ValueError(
            f"chances_of must be a table of probabilities, a row for each of at least two classes. Got {cells!r}."
        )
    return found


def _shares_of_bags(shares: list[Any]) -> Floats:
    """A row for each bag: the share of the second class, or those of all."""
    try:
        return np.array([np.atleast_1d(np.asarray(own, dtype=np.float64)) for own in shares], dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            "shares must hold one number for every bag, that of the second class, or a list with as many numbers as "
            f"there are classes for every bag. Got {', '.join(map(repr, shares[:3]))}."
        ) from None


def _sorted_places(names: tuple[Any, ...] | None, count: int) -> list[int]:
    """Which name comes first, second, ... in sorted order; without names they are sorted already."""
    return list(range(count)) if names is None else sorted(range(count), key=names.__getitem__)


@dataclass(frozen=True)
class ComplementaryLabels(LabelChannel):
    """Labels that say "not this class": each of the wrong classes is equally likely to be named.

    Easier to give than a label, and worth 1/(K - 1)^2 of one, of K classes. For two classes it is the other one.

    Parameters
    ----------
    classes : list, optional
        All classes, where y may lack some; by default those that y holds.

    Examples
    --------
    >>> ComplementaryLabels().read(["a", "b", "c"], 3).targets.tolist()  # not a, not b, not c
    [[-3.0, 1.0, 1.0], [1.0, -3.0, 1.0], [1.0, 1.0, -3.0]]
    """

    classes: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", None if self.classes is None else different_names(self.classes, "classes"))

    @property
    def names_classes(self) -> bool:
        return False

    @property
    def true_classes(self) -> tuple[Any, ...] | None:
        return None if self.classes is None else tuple(sorted(self.classes))

    def chances(self, classes: int) -> Floats:
        return (1.0 - np.eye(classes)) / (classes - 1)


@dataclass(frozen=True)
class RandomisedResponse(LabelChannel):
    """Labels that were made private by chance: the true class with probability e^epsilon / (e^epsilon + K - 1).

    Otherwise any of the other K - 1 classes. ``RandomisedResponse(1.0).draw(y, classes=["no", "yes"])`` does it: all
    classes must be named where y may lack some, since a label is hidden among these only. What is seen is then at most
    e^epsilon times as likely for one true class as for another: epsilon-local differential privacy of each label (not
    of x, and not of labels that are drawn anew for the same person).

    Parameters
    ----------
    epsilon : float > 0
        Privacy: .5 is strict, 1 usual, 4 weak.

    Examples
    --------
    >>> model = RandomisedResponse(1.0)
    >>> model.matrix().round(3).tolist(), round(model.worth(), 3), round(model.privacy(), 6)
    ([[0.731, 0.269], [0.269, 0.731]], 0.214, 1.0)
    """

    epsilon: float

    def __post_init__(self) -> None:
        check_between(self.epsilon, 0.0, 500.0, "epsilon")

    def chances(self, classes: int) -> Floats:
        other = np.exp(-self.epsilon) / (1.0 + (classes - 1) * np.exp(-self.epsilon))
        return np.asarray(np.where(np.eye(classes, dtype=bool), 1.0 - (classes - 1) * other, other))


@dataclass(frozen=True)
class SeenChance(LabelChannel):
    """Labels that are right, and seen with a known probability that depends on the class; gaps otherwise.

    Labels of classes that are seldom seen weigh more. Rows with and without labels must be all the rows that could have
    got one. Where the chance depends on the row and not on its class, use :func:`agnoboost.labels.chance_weights`.

    Parameters
    ----------
    chance : dict
        P(a label is seen | class), for each class.

    Examples
    --------
    >>> from agnoboost.labels import FlipRates
    >>> both = FlipRates(0.1).then(SeenChance({"no": 0.1, "yes": 0.5}))  # flipped, and then seen
    >>> both.matrix().round(3).tolist(), round(both.worth(), 3)
    ([[0.09, 0.05], [0.01, 0.45]], 0.356)
    """

    chance: Mapping[Any, float] = field(hash=False)

    def __post_init__(self) -> None:
        if not isinstance(self.chance, Mapping):
            raise ValueError(
                "chance must be a dict of the probability that a label is seen, for each class, such as "
                f"{{'no': 0.1, 'yes': 0.5}}. Got {self.chance!r}."
            )
        for name in different_names(self.chance, "chance"):
            check_between(self.chance[name], 0.0, 1.0, f"chance[{name!r}]")

    @property
    def true_classes(self) -> tuple[Any, ...]:
        return tuple(sorted(self.chance))

    def chances(self, classes: int) -> Floats:
        return np.diag([float(self.chance[name]) for name in self.true_classes])


def chance_weights(y: npt.ArrayLike, chance: npt.ArrayLike, missing_label: Any = "auto") -> Floats:
    """Weights for ``fit(sample_weight=...)`` where each row got its label with a probability of its own.

    In proportion to 1/chance for rows with a label, and to 1/(1 - chance) for the others: both then stand for the whole
    population, whatever the labels have gone through besides. Weights of each kind average to 1, so that a label counts
    as one; for their differences labels are worth (sum w)^2 / sum w^2 labels of equal chances.

    Parameters
    ----------
    y : array
        Labels with gaps.
    chance : array
        For each row, with which probability it had a label.
    missing_label : default="auto"
        The mark of unlabeled rows in y.

    Returns
    -------
    array
        A weight for each row.

    Examples
    --------
    >>> chance_weights([1, 0, None, None], [0.5, 0.1, 0.5, 0.2]).round(3).tolist()
    [0.333, 1.667, 1.231, 0.769]
    """
    known = known_rows(as_column(y), missing_label)
    p = np.asarray(chance, dtype=np.float64)
    if p.shape != known.shape or not (np.where(known, p > 0, p >= 0) & np.where(known, p <= 1, p < 1)).all():
        raise ValueError(
            f"chance must hold the probability of a label for each of {len(known)} rows: above 0 for rows that have "
            "one, below 1 for the others. Check rows that got a label although they could not, or none although they "
            "had to."
        )
    weight = 1.0 / np.where(known, p, 1.0 - p)
    for kind in (known, ~known):
        weight[kind] /= weight[kind].mean() if kind.any() else 1.0
    return np.asarray(weight)
