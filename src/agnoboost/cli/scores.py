"""How good predictions are on labeled rows: as facts, and as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.table import Table
from sklearn.metrics import confusion_matrix, log_loss, roc_auc_score

from ..basics.intervals import wilson
from ..basics.typing import Floats
from ..evaluation.by_class import ClassFigures, by_class
from .console import Facts, cell, out


def scores(
    truth: npt.NDArray[Any], predicted: npt.NDArray[Any], proba: Floats, names: Sequence[Any]
) -> tuple[Facts, list[ClassFigures]]:
    """All figures; ``truth`` and ``predicted`` hold names as text, ``proba`` a column for each name."""
    texts = np.array([str(name) for name in names])
    hits = truth[:, None] == texts
    found = by_class(truth, predicted, proba, list(texts))
    kinds = dict(zip(texts.tolist(), names, strict=True))
    facts = {
        "rows": len(truth),
        "accuracy": interval(wilson(predicted == truth)),
        "balanced_accuracy": np.mean([one.found for one in found]),
        "log_loss": log_loss(hits.argmax(axis=1), proba, labels=np.arange(len(names))),
        "brier_score": brier_score(hits, proba),
        "roc_auc": _ranked(hits, proba),
        "average_precision": _precision(found, texts),
        "classes": [class_facts(one, kinds[one.name]) for one in found],
        "confusion": {"classes": list(names), "counts": confusion_matrix(truth, predicted, labels=texts)},
    }
    return facts, found


def brier_score(hits: npt.NDArray[Any], proba: Floats) -> float:
    """As scikit-learn has it: of two classes the squared error of one, else the sum over classes."""
    errors = np.mean((proba - hits) ** 2, axis=0)
    return float(errors[1] if len(errors) == 2 else errors.sum())


def interval(figures: tuple[float, float, float]) -> Facts:
    """A share with its interval."""
    return dict(zip(("value", "low", "high"), figures, strict=True))


def class_facts(one: ClassFigures, name: Any) -> Facts:
    """How well one class is found."""
    return {
        "name": name,
        "rows": one.rows,
        "share": one.share,
        "recall": one.found,
        "precision": one.right,
        "average_precision": one.ranking,
    }


def _ranked(hits: npt.NDArray[Any], proba: Floats) -> float | None:
    """The area under the ROC curve; with several classes the mean over them, each against the rest."""
    if not hits.any(axis=0).all():
        return None
    columns = [1] if hits.shape[1] == 2 else range(hits.shape[1])
    return float(np.mean([roc_auc_score(hits[:, column], proba[:, column]) for column in columns]))


def _precision(found: list[ClassFigures], texts: npt.NDArray[Any]) -> float | None:
    """The area under the curve of precision against recall: of the second of two classes, or the mean over classes."""
    if len(found) < len(texts):
        return None
    return found[1].ranking if len(texts) == 2 else float(np.mean([one.ranking for one in found]))


def show(facts: Facts) -> None:
    """Three tables: figures of all rows, of each class, and who is taken for whom."""
    several = len(facts["confusion"]["classes"]) > 2
    mean = ", mean over classes" if several else ""
    figures = Table("figure", "value")
    share = facts["accuracy"]
    figures.add_row("accuracy (95% interval)", f"{share['value']:.3f} ({share['low']:.3f} to {share['high']:.3f})")
    for name, text in (
        ("balanced_accuracy", "balanced accuracy (mean recall)"),
        ("log_loss", "log loss (lower is better)"),
        ("brier_score", "Brier score (lower is better)"),
        ("roc_auc", f"area under the ROC curve{mean}"),
        ("average_precision", f"average precision (PR-AUC){mean}"),
    ):
        if facts[name] is not None:
            figures.add_row(text, f"{facts[name]:.3f}")
    out.print(figures)
    classes = Table("class", "rows", "found (recall)", "right (precision)", "average precision", "by chance")
    for one in facts["classes"]:
        right = "never predicted" if one["precision"] is None else f"{one['precision']:.3f}"
        shares = (f"{one['recall']:.3f}", right, f"{one['average_precision']:.3f}", f"{one['share']:.3f}")
        classes.add_row(cell(one["name"]), str(one["rows"]), *shares)
    out.print(classes)
    names = [cell(name) for name in facts["confusion"]["classes"]]
    confusion = Table("true \\ predicted", *names)
    for name, row in zip(names, facts["confusion"]["counts"], strict=True):
        confusion.add_row(name, *map(str, row))
    out.print(confusion)
