"""Positives and unlabeled rows, with few negatives or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.checks import check_between
from ..basics.typing import Floats
from .models import Evidence, LabeledSample, LabelModel, one_against_rest
from .reading import as_column, known_rows, label_column, plain_values, shown


@dataclass(frozen=True)
class PositiveUnlabeled(LabelModel):
    """Labels of one class only (or hardly any of the other), beside unlabeled rows.

    With the share pi of positives in the population, a mean over all rows minus the part of the positives is that of
    the negatives, so that for every function h

        E[y h] = 2 pi E_P[h] - E_U[h].

    Where some negatives are labeled, too, E[y h] = pi E_P[h] - (1 - pi) E_N[h] says the same. Both are unbiased, and so
    is any blend of them; it is taken with the share g of the first that has the least variance for abs(h) = 1,

        g = ((1 - pi)^2/n_N - pi^2/n_P) / (pi^2/n_P + (1 - pi)^2/n_N + 1/n_U), between 0 and 1.

    The psi part of the potential comes from unlabeled rows only, since labeled ones are no sample of the population.

    Parameters
    ----------
    prior : float in (0, 1)
        pi, the share of positives in the population. There is no default: labels of one class do not tell it.
        :func:`agnoboost.labels.estimate_prior` estimates it, under an assumption of its own. Misjudging it moves the
        threshold much more than the order of the predictions.
    positive : optional
        The positive class, where y holds both; by default the second one in sorted order.
    negative : optional
        A name for the negative class, where y holds none; by default 0 for numbers, False for True, "not NAME" else.
    together : bool, default=False
        Whether labeled rows are part of the sample of the population: positives that were found among the rows of one
        table, the others of which are unlabeled. Then ``prior`` is the share in the whole table. By default unlabeled
        rows alone are the sample, and ``prior`` is the share of positives among them.

    Examples
    --------
    >>> model = PositiveUnlabeled(0.25)
    >>> labeled, unlabeled = model.pools(np.arange(8.0).reshape(4, 2), [1, None, None, None])
    >>> labeled.y.tolist(), (labeled.mass * labeled.y).round(3).tolist()  # 2 pi, and -1/3 each
    ([1.5, -1.5, -1.5, -1.5], [0.5, -0.333, -0.333, -0.333])
    """

    needs_unlabeled = True

    prior: float = None  # type: ignore[assignment]  # refused below, with a sentence
    positive: Any = None
    negative: Any = None
    together: bool = False

    def __post_init__(self) -> None:
        if self.prior is None:
            raise ValueError(
                "PositiveUnlabeled needs prior, the share of positives in the population: labels of one class do not "
                "tell it. Got none. Pass what you know, as in PositiveUnlabeled(0.3), or see "
                "agnoboost.labels.estimate_prior."
            )
        check_between(self.prior, 0.0, 1.0, "prior", open_high=True)

    def read(self, y: Any, rows: int, missing_label: Any = "auto", caller: str = "The label model") -> Evidence:
        column = label_column(as_column(y), rows, caller)
        known = known_rows(column, missing_label)
        values = plain_values(column[known])
        found = np.unique(values)
        if len(found) not in (1, 2):
            raise ValueError(
                f"PositiveUnlabeled needs labels of one class, or of two. Got {len(found)}: {found.tolist()[:5]}."
            )
        positive = found[-1] if self.positive is None else self.positive
        if positive not in found:
            raise ValueError(f"y must have labels of the positive class, {shown(positive)}. Got {found.tolist()}.")
        classes = found if len(found) == 2 else self._both(found)
        codes = np.searchsorted(classes, values)
        return Evidence(classes, known, codes, one_against_rest(codes, 2))

    def _both(self, found: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The positive class and a name for the other one, sorted."""
        positive = found[0]
        if self.negative is not None:
            negative = self.negative
        elif isinstance(positive, (bool, np.bool_)):
            negative = not positive
        elif isinstance(positive, str):
            negative = f"not {positive}"
        else:
            negative = type(positive)(0)
        if isinstance(negative, str) != isinstance(positive, str):
            raise ValueError(
                f"negative must be of the kind of the labels, such as {shown(positive)}. Got {negative!r}."
            )
        if negative == positive:
            raise ValueError(f"The negative class needs a name. Got only {shown(positive)}. Pass negative=...")
        return np.sort(np.array([negative, positive], dtype=object if isinstance(positive, str) else None))

    def sample(self, evidence: Evidence, weight: Floats) -> LabeledSample:
        """Positives, negatives and unlabeled rows with the weights of the blend; stand-ins make up for their sum."""
        labeled = np.flatnonzero(evidence.known)
        own = weight[labeled] > 0
        labeled, codes = labeled[own], evidence.codes[own]
        unlabeled = np.flatnonzero(weight > 0 if self.together else ~evidence.known & (weight > 0))
        if evidence.known.all() or not len(unlabeled):
            raise ValueError("PositiveUnlabeled needs unlabeled rows. Got none. Mark them in y by NaN or None.")
        wanted = evidence.classes[evidence.codes.max()] if self.positive is None else self.positive
        positive = int(np.flatnonzero(evidence.classes == wanted)[0])
        positives, negatives = labeled[codes == positive], labeled[codes != positive]
        if not len(positives):
            raise ValueError("Positives must have positive sample_weight. Got none.")
        if self.together:
            self._check_together(weight[positives], weight[unlabeled])
        share = blend_share(self.prior, *(float(weight[rows].sum()) for rows in (positives, negatives, unlabeled)))
        parts = [
            (positives, 1.0, (1.0 + share) * self.prior),
            (negatives, -1.0, (1.0 - share) * (1.0 - self.prior)),
            (unlabeled, -1.0, share),
        ]
        parts = [(rows, sign, mass) for rows, sign, mass in parts if len(rows) and mass > 0]
        total = sum(mass for _, _, mass in parts)
        rows = np.concatenate([rows for rows, _, _ in parts])
        signs = np.concatenate([np.full(len(rows), sign) for rows, sign, _ in parts])
        masses = np.concatenate([mass * weight[rows] / weight[rows].sum() for rows, _, mass in parts])
        side = 1.0 if positive == 1 else -1.0  # targets are about the second class
        targets, codes = (side * total * signs)[:, None], np.where(signs > 0, positive, 1 - positive)
        labels = len(rows) - (len(unlabeled) if share > 0 else 0)
        masses *= labels / masses[:labels].sum()  # a label counts as one row
        return LabeledSample(rows, codes, targets, masses, unlabeled, labels, psi_from_unlabeled=True)

    def _check_together(self, positives: Floats, everywhere: Floats) -> None:
        """Refuse a prior below the share of labeled positives; a sample may by chance hold a few more than that."""
        total = everywhere.sum()
        found = positives.sum() / total
        error = np.sqrt(self.prior * (1.0 - self.prior) * np.sum(everywhere**2)) / total
        if found > self.prior + 3.0 * error:
            raise ValueError(
                f"prior must be at least the share of labeled positives, {found:.3g} of all rows: with together=True "
                f"it is the share of positives among all of them. Got {self.prior:g}. Pass a larger prior; or leave "
                "together out if the positives came from elsewhere, and prior is the share among unlabeled rows."
            )


def blend_share(prior: float, positives: float, negatives: float, unlabeled: float) -> float:
    """The share of 2 pi E_P[h] - E_U[h] in the blend of least variance; 1 without negatives.

    >>> blend_share(0.5, 100, 0, 1000), round(blend_share(0.5, 100, 10, 1000), 3), blend_share(0.5, 100, 100, 1000)
    (1.0, 0.789, 0.0)
    """
    if negatives == 0:
        return 1.0
    from_positives, from_negatives = prior**2 / positives, (1.0 - prior) ** 2 / negatives
    best = (from_negatives - from_positives) / (from_positives + from_negatives + 1.0 / unlabeled)
    return float(np.clip(best, 0.0, 1.0))
