"""Doors to the report: from predictions that are at hand, or from a model alone."""

from __future__ import annotations

from collections import Counter
from datetime import date as calendar
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from ..basics.atomic import write_text
from ..basics.checks import check_count
from ..evaluation.held_out import HeldOutPredictions, cross_evaluate, possible_folds
from ..labels import LabelChannel
from ..labels.machine import MachineLabels, read_machines
from ..labels.reading import as_column, read_labels
from ..tables.cells import is_frame
from ..tables.rows import row_count
from .case import Case
from .page import page


def write_report(
    path: str | Path,
    model: Any,
    X: Any,
    y: npt.NDArray[Any],
    judged: HeldOutPredictions | None,
    *,
    target: str,
    source: str,
    date: str | None = None,
    command: str | None = None,
    model_file: str = "model.agno",
) -> None:
    """Write the page to ``path``; it needs no other file and no network.

    Parameters
    ----------
    path : str or Path
        Where to write.
    model : classifier
        A fitted one of agnoboost.
    X, y : table and labels
        What it was fitted on, None for rows without label.
    judged : HeldOutPredictions or None
        Predictions for the labeled rows by models that have not seen them.
    target, source : str
        Names of the label column and of the table.
    date : text, optional
        What the page says of when it was made; today by default.
    command : text, optional
        How it was made.
    model_file : text, optional
        What the commands on the page call the file of the model.
    """
    case = Case(model, X, y, judged, target, source, model_file)
    write_text(path, page(case, date or calendar.today().isoformat(), command))


def write(
    model: Any,
    X: Any,
    y: Any,
    path: str | Path,
    *,
    X_unlabeled: Any = None,
    machine_labels: Any = None,
    folds: int = 5,
    target: str | None = None,
    source: str = "a table",
    date: str | None = None,
    command: str | None = None,
) -> None:
    """Judge a fitted classifier honestly, and write a report about it.

    The model is trained again on each of several folds, without the rows by which it is then judged.

    Parameters
    ----------
    model : classifier
        A fitted one of agnoboost.
    X, y : table and labels
        What it was fitted on; unlabeled rows are marked as for ``fit``.
    path : str or Path
        Where to write the page.
    X_unlabeled : table, optional
        The same further unlabeled rows that the model was fitted with.
    machine_labels : optional
        The same machine labels that the model was fitted with.
    folds : int, default=5
        Fewer where fewer than two classes have as many labels; classes with fewer are not judged. 0 leaves the
        estimate out.
    target : text, optional
        The name of what is predicted; the name of ``y`` by default.
    source, date, command
        What the page says of where the data came from, when and how it was made; the date is today by default.

    Examples
    --------
    >>> import tempfile
    >>> from agnoboost import TableClassifier, report
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(60, random_state=0)
    >>> model = TableClassifier("fast", members=["linear"], random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report.write(model, X, y, f"{folder}/report.html", folds=2)
    """
    check_is_fitted(model, "_cut")
    check_count(folds, "folds", least=0)
    X = X if is_frame(X) else np.asarray(X)
    name = target or getattr(y, "name", None) or "the label"
    labels = plain_labels(model, y)
    counts = Counter(label for label in labels if label is not None) if _says_classes(model) else Counter()
    folds = possible_folds(counts.values(), folds)
    _check_machines(model, row_count(X), machine_labels, folds)
    told = {"compare": False, "machine_labels": machine_labels}
    judged = cross_evaluate(model, X, labels, X_unlabeled, folds, **told) if folds else None
    write_report(path, model, X, labels, judged, target=str(name), source=source, date=date, command=command)


def _check_machines(model: Any, rows: int, machine_labels: Any, folds: int) -> None:
    """Refuse machine labels that the model was not fitted with, and an estimate without those that it was."""
    known = getattr(model, "machines_", None)
    if machine_labels is None:
        if folds and known is not None:
            raise ValueError(
                "The model must be judged with all that it was fitted with. Got none of its machine labels. Pass "
                "machine_labels, too, or folds=0 for a report without the estimate."
            )
        return
    if known is None:
        raise ValueError(
            "The model must be judged as it was fitted, which was without machine labels. Got machine_labels, with "
            "which another model would be judged. Leave them out, or fit with them."
        )
    given = read_machines(machine_labels, rows, model.classes_, model.missing_label)
    fitted, came = (sorted(counts) for counts in ([one.rows for one in known.machines], [_labeled(m) for m in given]))
    if fitted != came:
        raise ValueError(
            "machine_labels must be those that the model was fitted with, which labeled "
            f"{_listed(fitted)} rows. Got machine labels of {_listed(came)} rows. Pass the same ones, or fit again."
        )


def _labeled(machine: MachineLabels) -> int:
    return int(machine.known.sum())


def _listed(counts: list[int]) -> str:
    return " and ".join(f"{count:,}" for count in counts)


def _says_classes(model: Any) -> bool:
    """Whether its labels name classes, and so can judge it: flipped ones do on average, soft ones and votes do not."""
    labels = model.label_model
    return labels is None or (isinstance(labels, LabelChannel) and labels.names_classes)


def plain_labels(model: Any, y: Any) -> npt.NDArray[Any]:
    """Labels with None for every row without one; what label models read is left as it came."""
    column = as_column(y).astype(object)
    if not _says_classes(model):
        return column
    read = read_labels(column, model.missing_label)
    found = read.classes.astype(object)[read.codes]
    found[~read.known] = None
    return np.asarray(found)
