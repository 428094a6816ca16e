"""The paper's potential as a custom objective of XGBoost and LightGBM.

The potential is separable, so every row has a gradient of its own. With S labeled and U unlabeled rows (weights counted
in), unlabeled_weight w and shift C, S times the estimate of w C E_Q[psi(H)] + (1 - w) E_D[psi(H)] - E_D[y H] is

    labeled row:    gradient (1 - w) psi'(H) - y,    hessian L
    unlabeled row:  gradient w C (S/U) psi'(H),      hessian w C (S/U) L

These backends take Newton steps, -G/(sum of hessians + lambda), so the hessian must be above the curvature for the
potential to fall. psi'' itself vanishes for |H| > 1, and for labeled rows at w = 1: leaves of such rows would take
boundless steps, and ``min_child_weight`` would forbid them. So L, the largest curvature of psi (1), stands for psi'',
and labeled rows carry it in full instead of the share 1 - w: a quadratic that lies above the potential everywhere, so
that a step of learning rate up to 1 cannot raise it. The price is that at w = 1 steps are up to half as long.

A labeled row counts as one row: ``min_child_weight``, ``reg_lambda`` and others that go by hessians mean what they do
without unlabeled rows. At w = 0 unlabeled rows have neither gradient nor hessian; they still count where a backend
counts rows: for its bins, and in LightGBM's ``min_data_in_leaf``. Without any unlabeled row w is taken as 0.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, cast
from weakref import WeakKeyDictionary

import numpy as np

from ..basics.checks import check_between
from ..core.potentials import POTENTIALS, Separable

Pair = tuple[Any, Any]

NUDGE = 1e-6
UNLABELED = -1  # the mark in label columns of backends; the classes are 0 and 1

_SEEN: WeakKeyDictionary[Any, tuple[Pair, Pair]] = WeakKeyDictionary()  # labels and weights, raw and prepared


@dataclass(frozen=True)
class UnlabeledObjective:
    """Gradient and hessian for labels 1, 0, and -1 where there is none; between 0 and 1 they are soft labels.

    Pass it as ``obj`` to ``xgboost.train`` (with ``base_score=0``), or as ``params["objective"]`` to
    ``lightgbm.train``. Predictions of the trained model are margins H(x): their sign is the class, and
    (1 + clip(H, -1, 1))/2 the probability of class 1.

    Parameters
    ----------
    potential : {"huber", "pseudo_huber"}
        Whose psi.
    unlabeled_weight : float in [0, 1]
        With 1 it is the paper's estimate, 0 does without the unlabeled rows.
    shift : float >= 1
        How many times more likely a region can be among labeled than among unlabeled rows.
    totals : (labeled, unlabeled), optional
        The weight of all rows of both kinds, where one process sees only some of them. Under XGBoost's own
        communicator (Dask, Spark) it is found by itself.
    soft : bool, default=False
        Whether labels may be any numbers but -1: (1 + stand-in)/2, as label models make them.
    """

    potential: str = "huber"
    unlabeled_weight: float = 1.0
    shift: float = 1.0
    totals: tuple[float, float] | None = None
    soft: bool = False

    def __post_init__(self) -> None:
        if not isinstance(POTENTIALS.get(self.potential), Separable):
            known = [name for name, potential in POTENTIALS.items() if isinstance(potential, Separable)]
            raise ValueError(
                f"potential must be one of {known}: only these can use unlabeled rows. Got {self.potential!r}."
            )
        check_between(self.unlabeled_weight, 0.0, 1.0, "unlabeled_weight", open_low=False)
        check_between(self.shift, 1.0, 1e6, "shift", open_low=False)

    def __call__(self, first: Any, second: Any, sample_weight: Any = None) -> Pair:
        """For (margins, DMatrix or Dataset), as backends call it, or (labels, margins, weights), as their models do."""
        if hasattr(second, "get_label"):
            y, masses = _training_rows(second, self.soft)
            margin = np.asarray(first) if isinstance(first, (list, tuple)) else first
        else:
            y, masses, margin = signed(first, self.soft), sample_weight, second
        totals = self.totals or _everywhere(_totals(y, masses))
        return self.gradients(margin, y, masses, totals)

    def gradients(self, margin: Any, y: Any, weight: Any = None, totals: tuple[float, float] | None = None) -> Pair:
        """The gradient and the hessian of every row.

        ``y`` is +1 or -1, and 0 where unlabeled, as everywhere in the core. Arrays may be numpy's or, on a GPU, cupy's,
        and so is the result.
        """
        psi = cast(Separable, POTENTIALS[self.potential])
        labeled, unlabeled = totals or _totals(y, weight)
        w = self.unlabeled_weight if unlabeled > 0 else 0.0  # nothing to weigh
        share = w * self.shift * labeled / unlabeled if unlabeled > 0 else 0.0
        known = y != 0
        slope = psi.grad(margin, 0.0 * y)  # psi'
        gradient = np.where(known, (1.0 - w) * slope - y, share * slope)
        hessian = np.where(known, psi.smoothness, share * psi.smoothness)
        return (gradient, hessian) if weight is None else (gradient * weight, hessian * weight)


def signed(labels: Any, soft: bool = False) -> Any:
    """Labels 1, 0, -1 (none) as +1, -1, 0 (none); soft ones as numbers that are never quite 0."""
    if not soft and not (((labels >= 0) & (labels <= 1)) | (labels == UNLABELED)).all():
        raise ValueError(
            "Labels must be 1, 0 or between, or -1 where there is none. Got other values. Number the classes first."
        )
    return np.where(labels == UNLABELED, 0.0, labels_of(2.0 * labels - 1.0))


def as_backend_labels(y: Any, known: Any) -> Any:
    """Stand-ins as labels of backends, which have single precision: none of them may read as "unlabeled"."""
    return np.where(known, (labels_of(y, -3.0) + 1.0) / 2.0, float(UNLABELED))


def labels_of(y: Any, mark: float = 0.0) -> Any:
    """Stand-ins none of which is the mark of unlabeled rows: one that happens to be is moved by a millionth."""
    return np.where(abs(y - mark) < NUDGE, mark + NUDGE, y)


def _rows_of(data: Any, soft: bool = False) -> tuple[Any, Any]:
    """Signed labels and weights of a DMatrix or Dataset."""
    weight = data.get_weight()
    if weight is not None and not len(weight):  # XGBoost's way to say that there are none
        weight = None
    return signed(np.asarray(data.get_label(), dtype=np.float64), soft), weight


def _training_rows(data: Any, soft: bool) -> tuple[Any, Any]:
    """As :func:`_rows_of`; worked out again only if labels or weights have changed."""
    raw = np.asarray(data.get_label()), data.get_weight()
    if data in _SEEN:
        before, found = _SEEN[data]
        if np.array_equal(before[0], raw[0]) and np.array_equal(before[1], raw[1]):
            return found
    y, weight = _rows_of(data, soft)
    # A process that sees only some of the rows may see one class only.
    if not (soft or _world_size() > 1 or ((y > 0).any() and (y < 0).any())):
        raise ValueError(
            "Labels must hold both classes, 1 and 0. Got one class, or none. If your classes are 1 and -1, write 0 for "
            "the second: -1 marks rows without label."
        )
    _SEEN[data] = raw, (y, weight)
    return y, weight


def _totals(y: Any, weight: Any) -> tuple[float, float]:
    known = y != 0
    if weight is None:
        labeled = int(known.sum())
        return float(labeled), float(len(y) - labeled)
    return float((weight * known).sum()), float((weight * ~known).sum())


def _world_size() -> int:
    """How many processes train together, by XGBoost's communicator."""
    if "xgboost" not in sys.modules:
        return 1
    from xgboost import collective

    return int(collective.get_world_size())


def _everywhere(totals: tuple[float, float]) -> tuple[float, float]:
    """Totals over all processes that train together."""
    if _world_size() == 1:
        return totals
    from xgboost import collective

    found = collective.allreduce(np.array(totals, dtype=np.float64), collective.Op.SUM)
    return float(found[0]), float(found[1])


METRICS = ("potential", "accuracy", "correlation")


@dataclass(frozen=True)
class LabeledMetric:
    """How good margins are on the labeled rows of a validation set; unlabeled rows are left out, as a rule.

    Pass ``metric.xgboost`` as ``custom_metric`` to ``xgboost.train``, ``metric.lightgbm`` as ``feval`` to
    ``lightgbm.train``.

    Parameters
    ----------
    name : {"potential", "correlation", "accuracy"}, default="potential"
        "potential" (psi(H) - y H, lower is better) is the one to stop early by; "correlation" is the mean of
        y clip(H, -1, 1) and "accuracy" the share of right signs, for both of which higher is better.
    potential : {"huber", "pseudo_huber"}, default="huber"
        Whose psi.
    stretch : float, default=1.0
        What margins are multiplied by first.
    soft : bool, default=False
        Whether labels are soft, as in the objective.
    unlabeled_weight : float in [0, 1], default=0.0
        As in the objective: unlabeled rows have that part in the psi of the potential, of margins between -1 and 1; at
        1 labeled rows need be no sample of the population, as positives are not.
    """

    name: str = "potential"
    potential: str = "huber"
    stretch: float = 1.0
    soft: bool = False
    unlabeled_weight: float = 0.0

    def __post_init__(self) -> None:
        if self.name not in METRICS:
            raise ValueError(f"name must be one of {list(METRICS)}. Got {self.name!r}.")

    @property
    def higher_is_better(self) -> bool:
        """Whether it is, for this measure."""
        return self.name != "potential"

    def value(self, margin: Any, y: Any, weight: Any = None) -> float:
        """The weighted mean over rows with y = +1 or -1."""
        weight = np.ones_like(margin) if weight is None else weight
        margin, mass = self.stretch * margin, (y != 0) * weight
        if self.name == "potential":
            w = self.unlabeled_weight
            margin = margin if w == 0 else np.clip(margin, -1.0, 1.0)
            psi, rest = POTENTIALS[self.potential].value(margin, 0.0 * y), (y == 0) * weight
            each = (1.0 - w) * psi - y * margin + (w * float((rest * psi).sum() / rest.sum()) if w > 0 else 0.0)
        elif self.name == "correlation":
            each = y * np.clip(margin, -1.0, 1.0)
        else:
            each = (margin >= 0.0) == (y > 0.0)
        return float((mass * each).sum() / mass.sum())

    def xgboost(self, margin: Any, data: Any) -> tuple[str, float]:
        """The measure as ``xgboost.train`` wants it: its name and value."""
        return f"labeled_{self.name}", self.value(np.asarray(margin, dtype=np.float64), *_rows_of(data, self.soft))

    def lightgbm(self, margin: Any, data: Any) -> tuple[str, float, bool]:
        """The measure as ``lightgbm.train`` wants it: its name, its value, and whether higher is better."""
        return (*self.xgboost(margin, data), self.higher_is_better)
