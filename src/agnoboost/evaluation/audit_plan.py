"""Which rows to audit next, for a narrow interval: rather those of which it is not clear what gold labels will change.

The variance is smallest if rows are drawn in proportion to the root of the mean square by which a gold label will move
the figure (Neyman's allocation). That is guessed from what the machine and the model say; a share of the draws is
left to chance alone, so that no row gets a large weight where the guess is wrong. The guess can only make intervals
wider or narrower: probabilities are known, and so estimates stay right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..basics.checks import as_generator, check_between, check_count
from ..basics.extras import require
from ..basics.spread_sampling import inclusion_probabilities, neighbours_together, pivotal_sample
from ..basics.typing import Bools, Floats, Ints
from ..tables.reading.findings import listed
from .audit import ACCURACY, Asked, figures_to_ask, find
from .audited_rows import AuditedRows, Predictions, chances_of, gold_column, predictions_of, rows_without_gold
from .unchecked_rows import tell_of_unchecked

LEAST = 1e-12  # where machine and model are sure of every row, all are wanted alike


@dataclass(frozen=True, eq=False)  # arrays have no single answer
class AuditPlan:
    """Rows to audit next.

    Attributes
    ----------
    row : array of int
        Numbers of the rows, from 0, in random order: the first ones are a fair, smaller plan (:meth:`first`).
    sampling_probability : array of float
        Of *every* row: how likely it was to have a gold label after this audit and those before. Hand it to
        :func:`agnoboost.evaluate` with all gold labels, old and new.
    before : array of float
        The same before this audit.
    """

    row: Ints
    sampling_probability: Floats
    before: Floats

    def __len__(self) -> int:
        return len(self.row)

    def __str__(self) -> str:
        return (
            f"{len(self)} of {len(self.sampling_probability):,} rows to check, in random order: "
            f"{listed(self.row.tolist())} (from 0). to_frame() has them all; hand sampling_probability to evaluate, "
            "with all checked labels."
        )

    def first(self, n: int) -> AuditPlan:
        """The plan of its first ``n`` rows, if only these were checked.

        Examples
        --------
        >>> plan = AuditPlan(np.array([3, 0]), np.array([0.6, 0.2, 0.5, 0.7]), np.zeros(4))
        >>> plan.first(1)
        AuditPlan(row=array([3]), sampling_probability=array([0.3 , 0.1 , 0.25, 0.35]), before=array([0., 0., 0., 0.]))
        """
        check_count(n, "n")
        if n > len(self):
            raise ValueError(f"n must be at most the number of rows of the plan, {len(self)}. Got {n}.")
        return AuditPlan(self.row[:n], in_part(self.sampling_probability, self.before, n / len(self)), self.before)

    def to_frame(self) -> Any:
        """The rows to audit, as a pandas data frame."""
        chances = self.sampling_probability[self.row]
        return require("pandas", "data").DataFrame({"row": self.row, "audit_probability": chances})


def rows_to_audit(
    model: Any,
    X: Any,
    n: int = 50,
    *,
    machine_labels: Any = None,
    y: Any = None,
    sampling_probability: Any = None,
    figure: Any = ACCURACY,
    at_random: float = 0.5,
    missing_label: Any = "auto",
    random_state: Any = None,
) -> AuditPlan:
    """Draw ``n`` rows to have checked, so that an interval of :func:`agnoboost.evaluate` becomes narrow.

    Parameters
    ----------
    model : fitted classifier
        The one that is to be judged.
    X : table
        All rows that it will be judged on.
    n : int, default=50
        How many of them somebody can check.
    machine_labels : array, optional
        As for :func:`agnoboost.evaluate`.
    y : array, optional
        Gold labels so far, NaN where there is none; these rows are not drawn again.
    sampling_probability : array, optional
        Of every row, how likely it was to get one of those labels, as an earlier plan says; by default all alike.
        If only the first rows of that plan were checked, :meth:`AuditPlan.first` has their probabilities.
    figure : str or (str, class), default="accuracy"
        The figure whose interval shall be narrow, such as ``("recall", "yes")``.
    at_random : float in (0, 1], default=0.5
        This share of the rows is drawn with equal probabilities; 1 draws all so.
    missing_label : default="auto"
        The mark of rows without gold label in y.
    random_state : int, Generator or None, default=None
        Where chance comes from.

    Returns
    -------
    AuditPlan
        The rows, and how likely every row was to be among them.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(2200, random_state=0)
    >>> model = LogisticRegression().fit(X[:200], y[:200])
    >>> plan = rows_to_audit(model, X[200:], 50, random_state=0)
    >>> gold = np.full(2000, np.nan)
    >>> gold[plan.row] = y[200:][plan.row]  # somebody checks them
    >>> from agnoboost import evaluate
    >>> evaluate(model, X[200:], gold, sampling_probability=plan.sampling_probability).gold
    50
    """
    share = check_between(at_random, 0.0, 1.0, "at_random")
    check_count(n, "n")
    generator = as_generator(random_state)
    predictions = predictions_of(model, X)
    rows = rows_without_gold(predictions, machine_labels, missing_label=missing_label)
    before, done = _so_far(y, sampling_probability, predictions, missing_label)
    pool = np.flatnonzero(~done)
    if n > len(pool):
        raise ValueError(f"n must be at most the number of rows without gold label, {len(pool)}. Got {n}.")
    wanted = _spread(rows, predictions, figure) + LEAST
    size = share / len(pool) + (1.0 - share) * wanted / wanted[pool].sum()
    chance = np.minimum(n * size / size[pool].sum(), 1.0)  # for audited rows: as if they were in the pool
    chance[pool] = inclusion_probabilities(size[pool], n)
    order = neighbours_together(rows.machine[pool], chance[pool])
    drawn = pivotal_sample(chance[pool], order, generator)
    return AuditPlan(generator.permutation(pool[drawn]), before + (1.0 - before) * chance, before)


def in_part(probability: Floats, before: Floats, share: float) -> Floats:
    """What ``probability`` is if chance has chosen this share of the rows that were drawn last."""
    return before + (probability - before) * share


def _so_far(y: Any, sampling_probability: Any, predictions: Predictions, missing_label: Any) -> tuple[Floats, Bools]:
    """How likely each row was to be audited until now, and which rows were."""
    rows = len(predictions.said)
    if y is None:
        return np.zeros(rows), np.zeros(rows, dtype=bool)
    _, done = gold_column(y, predictions, missing_label)
    if sampling_probability is None:
        return np.full(rows, done.mean()), done
    chance = chances_of(sampling_probability, rows)
    if not ((chance >= 0.0) & (chance <= 1.0)).all() or (chance[done] <= 0.0).any():
        raise ValueError(
            f"sampling_probability must hold a probability for each of the {rows} rows, also for those that were not "
            f"audited: a plan has them all. Got numbers from {np.nanmin(chance):g} to {np.nanmax(chance):g}, "
            f"{np.isnan(chance).sum()} of them NaN."
        )
    tell_of_unchecked(chance, done)
    return chance * min(1.0, done.sum() / chance.sum()), done


def _spread(rows: AuditedRows, predictions: Predictions, figure: Any) -> Floats:
    """The root of the mean square by which the gold label of each row is expected to move the figure."""
    asked = _asked(rows, figure)
    count = len(rows.said)
    measured = asked.measure(np.full(count, 1.0 / count), asked.marks.machine / count)
    if measured is None:
        raise ValueError(f"figure must be defined on these rows. By the machine labels {figure!r} is not.")
    belief = rows.machine if rows.probabilities is None else (rows.machine + rows.probabilities) / 2.0
    square = np.zeros(count)
    for number in range(len(rows.classes)):
        marks = _asked(replace(rows, gold=np.full(count, number)), figure).marks
        square += belief[:, number] * (marks.gold - marks.machine) ** 2
    return np.asarray(np.abs(measured.by_marks) * np.sqrt(square))


def _asked(rows: AuditedRows, figure: Any) -> Asked:
    if (asked := find(figures_to_ask(rows), figure)) is not None:
        return asked
    known = ", ".join(repr(one.name if one.of is None else (one.name, one.of)) for one in figures_to_ask(rows))
    raise ValueError(f"figure must be one of {known}. Got {figure!r}.")
