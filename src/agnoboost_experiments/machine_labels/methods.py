"""What can be done with few gold labels and many machine labels. Every method gives P(y = 1) on the test rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from agnoboost.basics.typing import Bools, Floats, Matrix
from agnoboost.estimators import TableClassifier
from agnoboost.labels import FlipRates, LabelModel, SoftLabels
from agnoboost.labels.models import Evidence

from ..few_labels import methods as gold_methods
from ..splits import RowSplit
from .draws import Seen

GOLD_WEIGHTS = (1.0, 10.0, 60.0)  # how much a gold label may count beside a machine's
FOLDS = 5
SAYS_NOTHING = 0.95  # flip rates of which the sum is larger are not undone


@dataclass(frozen=True)
class Way:
    """How to predict, what it asks for, the package that it needs, and whether our classifier is under it."""

    predict: Callable[[Seen, int], Floats]
    asks_gold: bool = True
    asks_machine: bool = True
    package: str = "agnoboost"
    on_ours: bool = True

    @property
    def installed(self) -> bool:
        return find_spec(self.package) is not None

    @property
    def version(self) -> str:
        """What its results depend on."""
        packages = dict.fromkeys([self.package, *(["agnoboost"] if self.on_ours else [])])
        return ", ".join(gold_methods.made_by(package) for package in packages)


def _classifier(seen: Seen, seed: int, **options: Any) -> Any:
    return TableClassifier(categorical_features=list(seen.categorical) or None, random_state=seed, n_jobs=1, **options)


def _learned(seen: Seen, seed: int, labels: Floats, weight: Floats | None = None, **options: Any) -> Any:
    """Our classifier on these labels of the pool (NaN: none), at face value or as probabilities."""
    known = labels[~np.isnan(labels)]
    if not options.get("label_model") and not np.isin(known, (0.0, 1.0)).all():
        options["label_model"] = SoftLabels()
    return _classifier(seen, seed, **options).fit(seen.X, labels, sample_weight=weight)


def _predicted(seen: Seen, seed: int, labels: Floats, weight: Floats | None = None, **options: Any) -> Floats:
    """The same, on the test rows; labels of one class only can teach nothing but that class."""
    known = labels[~np.isnan(labels)]
    if known.min() == known.max():
        return np.full(len(seen.test), known[0])
    return np.asarray(_learned(seen, seed, labels, weight, **options).predict_proba(seen.test)[:, 1])


def both(seen: Seen, seed: int) -> Floats:
    """Ours: gold labels, and the machine's beside them."""
    model = _classifier(seen, seed).fit(seen.X, seen.gold, machine_labels=seen.said)
    return np.asarray(model.predict_proba(seen.test)[:, 1])


def gold_only(seen: Seen, seed: int) -> Floats:
    """Our classifier without the machine; the other rows are unlabeled ones."""
    return _predicted(seen, seed, seen.gold)


def _peer(name: str, seen: Seen, seed: int) -> Floats:
    """A peer of the few-label study on the gold labels."""
    labels = np.where(seen.gold[seen.is_gold] > 0, 1.0, -1.0)
    split = RowSplit(
        (seen.X[seen.is_gold], labels), None, seen.X[~seen.is_gold], (seen.test, np.zeros(0, int)), seen.categorical
    )
    return gold_methods.probabilities(name, split, seed)


def machine_only(seen: Seen, seed: int) -> Floats:
    """All machine labels at face value."""
    return _predicted(seen, seed, seen.said)


def _united(seen: Seen) -> Floats:
    """The gold label where there is one, the machine's elsewhere."""
    return np.where(seen.is_gold, seen.gold, seen.said)


def union(seen: Seen, seed: int) -> Floats:
    """All labels count the same."""
    return _predicted(seen, seed, _united(seen))


def tuned_union(seen: Seen, seed: int) -> Floats:
    """The weight of gold labels by cross-validation on them (fast fits); one choice is to ignore the machine."""
    places = np.flatnonzero(seen.is_gold)
    y = seen.gold[places]
    found: dict[float | None, Floats] = {weight: np.zeros(len(y)) for weight in (*GOLD_WEIGHTS, None)}
    folds = StratifiedKFold(min(FOLDS, int(min(y.sum(), (1 - y).sum()))), shuffle=True, random_state=seed)
    for _, left_out in folds.split(places, y):
        hidden = places[left_out]
        kept = np.setdiff1d(np.arange(len(seen.X)), hidden)
        part = Seen(seen.X[kept], seen.gold[kept], seen.said[kept], seen.X[hidden], seen.categorical)
        for weight, column in found.items():
            column[left_out] = _weighted(part, seed, weight, effort="fast")
    best = min(found, key=lambda weight: float(log_loss(y, np.clip(found[weight], 1e-3, 1 - 1e-3), labels=[0, 1])))
    return _weighted(seen, seed, best)


def _weighted(seen: Seen, seed: int, weight: float | None, **options: Any) -> Floats:
    if weight is None:
        return _predicted(seen, seed, seen.gold, **options)
    return _predicted(seen, seed, _united(seen), np.where(seen.is_gold, weight, 1.0), **options)


def _without(seen: Seen, seed: int, wrong: Bools) -> Floats:
    """The union without machine labels that are called wrong."""
    return _predicted(seen, seed, np.where(wrong & ~seen.is_gold, np.nan, _united(seen)))


def _called_wrong(labels: Floats, probability: Floats) -> Bools:
    """cleanlab's verdict on labels, given out-of-sample probabilities of class 1."""
    from cleanlab.filter import find_label_issues

    codes = (labels >= 0.5).astype(int)
    if len(np.unique(codes)) == 1:  # nothing to compare
        return np.zeros(len(labels), dtype=bool)
    table = np.column_stack([1.0 - probability, probability])
    return np.asarray(find_label_issues(codes, table, n_jobs=1))


def cleaned(seen: Seen, seed: int) -> Floats:
    """cleanlab as its documentation has it: probabilities by cross-validation on the given labels (fast fits)."""
    labels = _united(seen)
    codes = (labels >= 0.5).astype(int)
    if min(np.bincount(codes, minlength=2)) < FOLDS:  # nothing to compare
        return _predicted(seen, seed, labels)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    model = _classifier(seen, seed, effort="fast")
    table = cross_val_predict(model, seen.X, codes, cv=folds, method="predict_proba")
    return _without(seen, seed, _called_wrong(labels, table[:, 1]))


def cleaned_by_gold(seen: Seen, seed: int) -> Floats:
    """cleanlab with the probabilities of the model of the gold labels: who is trusted says what is wrong."""
    probability = _learned(seen, seed, seen.gold).predict_proba(seen.X)[:, 1]
    return _without(seen, seed, _called_wrong(_united(seen), probability))


def _wider(seen: Seen, column: Callable[[Matrix], Floats]) -> Seen:
    X, test = (np.column_stack([rows, column(rows)]) for rows in (seen.X, seen.test))
    return Seen(X, seen.gold, seen.machine, test, seen.categorical)


def stacked(seen: Seen, seed: int) -> Floats:
    """A model of the machine's labels, on rows without gold ones; what it says of a row is one more column for gold."""
    said = np.where(seen.is_gold, np.nan, seen.said)
    known = said[~seen.is_gold]
    if known.min() == known.max():
        return gold_only(seen, seed)
    student = _learned(seen, seed, said)
    return gold_only(_wider(seen, lambda rows: student.decision_function(rows)), seed)


@dataclass(frozen=True)
class StandIns(LabelModel):
    """Numbers as they are, whose means are those of labels in {-1, +1}."""

    def read(self, y: Any, rows: int, missing_label: Any = "auto", caller: str = "The label model") -> Evidence:
        values = np.asarray(y, dtype=np.float64)
        known = ~np.isnan(values)
        codes = (values[known] > 0).astype(np.int64)
        return Evidence(np.array([0, 1]), known, codes, values[known][:, None])


def flip_rates(seen: Seen, seed: int) -> Floats:
    """Machine labels with the flip rates of the gold confusion matrix undone, gold ones as they are.

    Rates are those of one more row of each kind. A machine that says nothing, by them, is ignored.
    """
    y = seen.gold[seen.is_gold] > 0
    hard = seen.said >= 0.5
    wrong = hard[seen.is_gold] != y
    positive, negative = ((np.sum(wrong[y == own]) + 1) / (np.sum(y == own) + 2) for own in (True, False))
    if positive + negative > SAYS_NOTHING or hard.all() or not hard.any():
        return gold_only(seen, seed)
    machine = FlipRates(positive=positive, negative=negative).read(hard.astype(int), len(hard)).targets[:, 0]
    labels = np.where(seen.is_gold, np.where(seen.gold > 0, 1.0, -1.0), machine)
    return _predicted(seen, seed, labels, label_model=StandIns())


MAIN, BASE, MACHINE = "gold and machine (ours)", "gold only", "machine only"
PEERS = ("CatBoost", "LightGBM", "random forest, leaf 5")
METHODS: dict[str, Way] = {
    MAIN: Way(both),
    BASE: Way(gold_only, asks_machine=False),
    **{
        f"gold only, {name}": Way(
            partial(_peer, name), asks_machine=False, package=gold_methods.METHODS[name].package, on_ours=False
        )
        for name in PEERS
    },
    MACHINE: Way(machine_only, asks_gold=False),
    "union": Way(union),
    "union, weights tuned or ignored": Way(tuned_union),
    "cleanlab, cross-validated": Way(cleaned, package="cleanlab"),
    "cleanlab, by the gold model": Way(cleaned_by_gold, package="cleanlab"),
    "stacking": Way(stacked),
    "flip rates of the gold rows": Way(flip_rates),
}


def probabilities(name: str, seen: Seen, seed: int) -> Floats:
    """P(y = 1 | x) on the test rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the rivals: a user gets them too
        return np.clip(np.asarray(METHODS[name].predict(seen, seed), dtype=np.float64), 0.0, 1.0)
