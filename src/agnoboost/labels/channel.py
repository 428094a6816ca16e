"""Labels that came through a channel: what is seen is drawn from known chances, given the true class.

All of it is one matrix T, with P(seen | true class) in its cells. Then

    S with T S = I       what is seen stands for each class by the cells of its row of S: right on average,
    T1 T2                what was seen by T1 went through T2 as well,
    a row of sum c < 1   rows of that class show nothing with probability 1 - c, and their labels weigh more.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.checks import as_generator, check_count
from ..basics.typing import Floats, Ints, Rng
from .models import Evidence, LabeledSample, LabelModel
from .reading import as_column, different_names, known_rows, label_column, plain_values, read_labels, shown

SMALLEST = 1e-6  # singular values of a matrix below this say nothing
Names = npt.NDArray[Any]


class LabelChannel(LabelModel):
    """Labels of which P(seen | true class) is known, and does not depend on x.

    Stand-ins are unbiased, and noisier than labels: :meth:`worth` says by how much.
    """

    @property
    def true_classes(self) -> tuple[Any, ...] | None:
        """The classes, sorted, as rows of the matrix are; None for those that y holds."""
        return None

    @property
    def seen_values(self) -> tuple[Any, ...] | None:
        """What can be seen, in the order of the columns; None for the classes."""
        return None

    @abstractmethod
    def chances(self, classes: int) -> Floats:
        """P(seen | true class), a row for each of so many classes; what rows lack to 1 is the chance of a gap."""

    def matrix(self, classes: int | None = None) -> Floats:
        """:meth:`chances`, checked; by default for the classes that the model names, or for two.

        >>> from agnoboost.labels import FlipRates
        >>> FlipRates(0.2).matrix(3).round(3).tolist()
        [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
        """
        own = None if self.true_classes is None else len(self.true_classes)
        if own is not None and classes not in (None, own):
            raise ValueError(f"{type(self).__name__} is for {own} classes. Got {classes}.")
        if classes is not None and check_count(classes, "classes") < 2:
            raise ValueError(f"Label channels are for at least two classes. Got {classes}.")
        found = self.chances(own or classes or 2)
        if (found < 0).any() or (found.sum(axis=1) > 1.0 + 1e-9).any():
            raise ValueError(
                "Each row of chances must hold probabilities: numbers >= 0 with a sum of 1, or less if labels may be "
                f"missing. Got {found.round(4).tolist()}."
            )
        return found

    def read(self, y: Any, rows: int, missing_label: Any = "auto", caller: str = "The label model") -> Evidence:
        classes, known, seen = self._seen(y, rows, missing_label, caller)
        matrix = self.matrix(len(classes))
        stand_in = stand_ins(matrix)
        weight = stand_in.sum(axis=1)
        if (weight[seen] <= 0).any():
            raise ValueError(
                "The chances of being seen differ too much between classes for labels as noisy as these: some labels "
                "would count less than nothing. Label some rows of the rare class with care, and use those."
            )
        share = stand_in[seen] / weight[seen, None]
        codes = seen if matrix.shape[0] == matrix.shape[1] else share.argmax(axis=1)
        wanted = share[:, 1:] if len(classes) == 2 else share
        even = np.ptp(matrix.sum(axis=1)) < 1e-12
        own = None if even else weight[seen] / weight[seen].mean()  # on average a label counts as one
        return Evidence(classes, known, codes, 2.0 * wanted - 1.0, weight=own)

    def sample(self, evidence: Evidence, weight: Floats) -> LabeledSample:
        """Where classes are seen at different rates, rows without a label are no sample of the population: all are."""
        found = super().sample(evidence, weight)
        return found if evidence.weight is None else replace(found, unlabeled=np.flatnonzero(weight > 0))

    def _seen(self, y: Any, rows: int, missing_label: Any, caller: str) -> tuple[Names, npt.NDArray[np.bool_], Ints]:
        """The classes, which rows have a label, and the column of each of those."""
        column = label_column(y, rows, caller)
        names = self.seen_values or self.true_classes
        if names is None:
            found = read_labels(column, missing_label)
            return found.classes, found.known, found.codes[found.known]
        known = known_rows(column, missing_label)
        values = plain_values(column[known])
        if not len(values):
            raise ValueError(f"y must have labels. Got none: all {rows} rows are unlabeled.")
        return np.array(self.true_classes), known, _places(values, names)

    def clean(self, probability: npt.ArrayLike) -> Floats:
        """P(true class | x) from P(seen | x), of any model that was trained on the labels at face value.

        A column of P(second class) for two classes, or a table with a column for everything that can be seen (given
        that something is).

        >>> from agnoboost.labels import FlipRates
        >>> FlipRates(0.2).clean([0.2, 0.5, 0.8]).round(6).tolist()
        [0.0, 0.5, 1.0]
        """
        p = _numbers(probability, "probability")
        if p.ndim not in (1, 2):
            raise ValueError(f"probability must be a column or a table. Got shape {p.shape}.")
        if not ((p >= -1e-9) & (p <= 1.0 + 1e-9)).all():
            raise ValueError(f"probability must lie in [0, 1]. Got values from {p.min():g} to {p.max():g}.")
        table = np.stack([1.0 - p, p], axis=-1) if p.ndim == 1 else p
        matrix = self.matrix(table.shape[1] if self.true_classes is None else None)
        if table.shape[1] != matrix.shape[1]:
            raise ValueError(
                f"probability must have a column for each of the {matrix.shape[1]} things that can be seen"
                + (", or be a column of that of the second class" if matrix.shape[1] == 2 else "")
                + f". Got shape {p.shape}. Pass predict_proba of a model that was trained on the labels at face value."
            )
        found = np.clip(table @ stand_ins(matrix), 0.0, None)
        found /= found.sum(axis=1, keepdims=True)
        return np.asarray(found[:, 1] if p.ndim == 1 else found)

    def then(self, other: LabelChannel) -> Chain:
        """What is seen goes through another channel as well: flipped, and then made private, say.

        >>> from agnoboost.labels import FlipRates
        >>> FlipRates(0.1).then(FlipRates(0.2)).matrix().round(3).tolist()
        [[0.74, 0.26], [0.26, 0.74]]
        """
        return Chain((self, other))

    def worth(self, classes: int | None = None, shares: Sequence[float] | None = None) -> float:
        """How many clean labels one such label is worth.

        It is the variance of clean labels divided by that of the stand-ins, over all classes, for rows of which x tells
        no more than the shares of the classes: as many such labels find the correlation of a weak rule with the truth
        just as exactly. Where x tells the class, clean labels hardly vary and noise is all there is, so that a noisy
        label is worth less: pass what x tells as ``shares``.

        Parameters
        ----------
        classes : int, optional
            How many there are; by default those that the model names, or two.
        shares : sequence of float, optional
            Of the classes; equal ones by default.

        Examples
        --------
        >>> from agnoboost.labels import ComplementaryLabels, FlipRates
        >>> round(FlipRates(0.3).worth(), 3), round(ComplementaryLabels().worth(classes=4), 3)
        (0.16, 0.111)
        >>> round(FlipRates(0.3).worth(shares=[0.1, 0.9]), 3)  # rows whose class is 90% sure
        0.064
        """
        share = None if shares is None else _numbers(shares, "shares")
        if share is not None and not (share.ndim == 1 and (share >= 0).all() and abs(share.sum() - 1.0) <= 1e-6):
            raise ValueError(f"shares must be those of the classes, with a sum of 1. Got {share.tolist()}.")
        if share is not None and classes not in (None, len(share)):
            raise ValueError(f"shares must be those of {classes} classes. Got {len(share)} of them. Leave classes out.")
        matrix = self.matrix(classes if share is None else len(share))
        share = np.full(len(matrix), 1.0 / len(matrix)) if share is None else share
        stand_in = stand_ins(matrix)
        noise = stand_in - stand_in.sum(axis=1, keepdims=True) * share
        seen = share @ matrix
        return float(np.sum(share * (1.0 - share)) / (seen.sum() * np.sum(seen[:, None] * noise**2)))

    def privacy(self, classes: int | None = None) -> float:
        """Epsilon of the local differential privacy that the channel gives to each label: infinite for none.

        Whatever is seen, it is at most exp(epsilon) times as likely for one true class as for any other. It is about
        one label that is seen once, and not about x; seen twice, independently, it is twice the epsilon.

        >>> from agnoboost.labels import FlipRates
        >>> round(FlipRates(0.25).privacy(), 4)  # log(3)
        1.0986
        """
        matrix = self.matrix(classes)
        gap = np.clip(1.0 - matrix.sum(axis=1, keepdims=True), 0.0, None)
        columns = np.hstack([matrix, np.where(gap < 1e-9, 0.0, gap)])
        columns = columns[:, columns.max(axis=0) > 0]
        with np.errstate(divide="ignore"):
            return float(np.log(columns.max(axis=0) / columns.min(axis=0)).max())

    def draw(
        self, y: npt.ArrayLike, random_state: Rng | int | None = None, *, classes: Sequence[Any] | None = None
    ) -> Names:
        """What might be seen of true labels: to make labels private, or to try things out. None where nothing is.

        Parameters
        ----------
        y : array
            True labels; gaps stay gaps.
        random_state : seed or generator
            Leave it out where labels are to be private: who knows the seed knows the labels.
        classes : list, optional
            All classes, where the model does not name them and y may lack some. A label is only hidden among those
            that are named: whoever gives a single label must name the others.

        Examples
        --------
        >>> from agnoboost.labels import RandomisedResponse
        >>> RandomisedResponse(1.0).draw(["yes"], random_state=1, classes=["no", "yes"]).tolist()
        ['yes']
        """
        column = as_column(y)
        known = known_rows(column)
        values = plain_values(column[known])
        names = np.unique(values).tolist() if classes is None else sorted(different_names(classes, "classes"))
        classes = self.true_classes or tuple(names)
        if len(classes) < 2:
            raise ValueError(
                f"Labels are drawn for at least two classes. Got {list(classes)}. Name all of them: classes=[...]."
            )
        limits = np.cumsum(self.matrix(len(classes)), axis=1)[_places(values, classes)]
        limits[limits > 1.0 - 1e-9] = 1.0  # a sum of 1, but for rounding
        seen = (as_generator(random_state).random((len(values), 1)) >= limits).sum(axis=1)
        found = np.full(len(column), None, dtype=object)
        found[known] = np.array([*(self.seen_values or classes), None], dtype=object)[seen]
        return found


def _numbers(values: Any, name: str) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold numbers, as many in every row. Got {values!r}.") from None


def _places(values: Names, names: tuple[Any, ...]) -> Ints:
    """Where each value stands among the names."""
    place = {name: number for number, name in enumerate(names)}
    if strange := [value for value in values.tolist() if value not in place]:
        raise ValueError(f"y must hold only {list(names)}, and gaps. Got {shown(strange[0])}.")
    return np.array([place[value] for value in values.tolist()], dtype=np.int64)


@dataclass(frozen=True)
class Chain(LabelChannel):
    """Channels one after the other, from the true class to what is seen; made by ``first.then(second)``.

    Its matrix is the product of theirs.

    Parameters
    ----------
    steps : tuple of LabelChannel
        In their order.
    """

    steps: tuple[LabelChannel, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(self.steps))  # files hand back a list
        if not self.steps or not all(isinstance(step, LabelChannel) for step in self.steps):
            raise ValueError(f"A Chain is made of label channels, such as FlipRates(0.2). Got {self.steps!r}.")
        names = None
        for step in self.steps:
            if names is not None and step.true_classes not in (None, names):
                raise ValueError(
                    f"What one channel shows must be the classes of the next one. Got {list(names)} before "
                    f"{list(step.true_classes or ())}."
                )
            names = step.seen_values or step.true_classes or names

    @property
    def names_classes(self) -> bool:
        return all(step.names_classes for step in self.steps)

    @property
    def true_classes(self) -> tuple[Any, ...] | None:
        return next((step.true_classes for step in self.steps if step.true_classes is not None), None)

    @property
    def seen_values(self) -> tuple[Any, ...] | None:
        return next((step.seen_values for step in reversed(self.steps) if step.seen_values is not None), None)

    def chances(self, classes: int) -> Floats:
        found = np.eye(classes)
        for step in self.steps:
            found = found @ step.matrix(found.shape[1])
        return found


def stand_ins(matrix: Floats) -> Floats:
    """S (shape: seen, classes) with ``matrix`` S = I: what is seen stands for each class by its row, on average.

    Where more can be seen than there are classes there are many; this one has the least variance if classes are equally
    common. What is never seen stands for nothing.
    """
    if matrix.shape[1] < len(matrix) or np.linalg.svd(matrix, compute_uv=False)[-1] < SMALLEST:
        raise ValueError(
            "Labels must tell the classes apart: no class may be seen as a mixture of others is. Got chances "
            f"{matrix.round(4).tolist()}. Join classes that look the same, or leave such labels out."
        )
    if matrix.shape[0] == matrix.shape[1]:
        return np.asarray(np.linalg.inv(matrix))
    total = matrix.sum(axis=0)
    scaled = np.divide(matrix, total, out=np.zeros_like(matrix), where=total > 0)
    return np.asarray(np.linalg.solve(scaled @ matrix.T, scaled).T)
