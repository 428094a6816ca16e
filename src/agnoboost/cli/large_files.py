"""``agnoboost fit`` on Parquet files that are larger than memory: rows stay on a disk, and stumps learn from them."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from ..basics.memory import free_memory, read_size, spoken_size
from ..basics.places import is_standard_output
from ..basics.stages import Stages, heard_by
from ..estimators import AgnosticBoostingClassifier
from ..estimators.boosting.parquet import fit_to_file
from ..estimators.data import Data
from ..evaluation.by_class import quiet_fits
from ..evaluation.held_out import HeldOutPredictions, cross_evaluate, possible_folds
from ..tables.label_marks import LabelMarks
from ..tables.parquet import is_parquet, shape_of
from .classifiers import Classifier, make_classifier
from .console import UserError, note, progress
from .training_rows import TrainingRows

VALUE = 32  # bytes that a value takes where a whole table is read: as it is, as a number, in parts for the folds
ROW = 16  # bytes that a row takes where its values stay on a disk
JUDGED = 20_000  # labeled rows that the estimate rests on, at most


def is_too_large(data: Path, memory: str | None) -> bool:
    """Whether to leave the rows of a file on the disk; says so."""
    if not is_parquet(data):
        return False
    rows, columns = shape_of(data)
    room, needed = free_memory() if memory is None else _memory(memory), VALUE * rows * columns
    if needed <= room:
        return False
    if ROW * rows > room:
        raise UserError(
            f"{data} has {rows:,} rows. Even with their values on a disk they need about "
            f"{spoken_size(ROW * rows)} of memory; there are {spoken_size(room)}"
            f"{'' if memory is None else ' (--memory)'}. Take fewer rows, or a larger machine."
        )
    note(
        f"{data} ({rows:,} rows, {columns} columns) would need about {spoken_size(needed)} of memory, more than the "
        f"{spoken_size(room)} {'that are free' if memory is None else 'of --memory'}. So its rows stay on the disk, "
        "and the paper's estimator with stumps learns from them (as with --classifier boosting --weak-learner stump "
        "--batch-size all)."
    )
    return True


def _memory(text: str) -> int:
    try:
        return read_size(text)
    except ValueError:
        raise UserError(f"--memory must be a number of bytes, such as 500MB or 4GB. Got {text!r}.") from None


def check_options(given: Mapping[str, Any]) -> None:
    """Refuse options that need all rows in memory; ``given`` has their values."""
    for option, value in given.items():
        if value:
            raise UserError(
                f"{option} needs all rows in memory. Leave it out, or let the table be read in full: --memory with a "
                "size that suffices."
            )


@dataclass(frozen=True)
class LargeFit:
    """What came of a fit: the model, the labeled rows that judge it, and how good it is by these."""

    model: AgnosticBoostingClassifier
    rows: TrainingRows
    judged: HeldOutPredictions | None


def fit_large(
    data: Path,
    target: str,
    common: dict[str, Any],
    boosting: dict[str, Any],
    drop: list[str],
    missing_label: LabelMarks,
    folds: int,
    out_path: Path,
    jobs: int,
) -> LargeFit:
    """Train, save and evaluate a model, and show how far it is."""
    fixed = {"weak_learner": "stump", "batch_size": "all"}
    for name, value in fixed.items():
        if boosting.get(name) not in (None, value):
            option = "--" + name.replace("_", "-")
            raise UserError(
                f"{option} must be {value} where rows stay on the disk. Got {boosting[name]}. Leave it out, or let the "
                "table be read in full: --memory with a size that suffices."
            )
    model = make_classifier(Classifier.boosting, common, None, {**boosting, **fixed}, jobs)
    folder = Path(tempfile.gettempdir()) if is_standard_output(out_path) else out_path.absolute().parent
    with progress() as show:
        stages = Stages(show=show)
        stages.plan(["training", "evaluation"])
        stages.begin("training")
        with heard_by(stages.inside), quiet_fits():
            chosen_by = fit_to_file(
                model, data, target, drop=drop, missing_label=missing_label, folder=folder, tell=note
            )
        model.save(out_path)  # now: whatever happens below must not cost the model
        rows = _rows(model, chosen_by, target)
        folds = possible_folds(rows.counts, folds)
        if not folds:
            return LargeFit(model, rows, None)
        stages.begin("evaluation")
        judge = clone(model).set_params(categorical_features=model._encoder.categorical or None, missing_label=None)
        X = rows.X.to_numpy()
        return LargeFit(model, rows, cross_evaluate(judge, X, rows.y, None, folds, jobs=jobs, truth=rows.truth))


def _rows(model: AgnosticBoostingClassifier, chosen_by: Data, target: str) -> TrainingRows:
    """The rows that were chosen by, or some of them, as they judge."""
    judges = np.sort(np.random.default_rng(0).permutation(len(chosen_by.codes))[:JUDGED])
    X, codes = chosen_by.X[judges], chosen_by.codes[judges]
    others = np.empty((0, X.shape[1])) if chosen_by.unlabeled is None else chosen_by.unlabeled.X[: 2 * len(X)]
    truth = np.append(model.classes_[codes].astype(object), np.full(len(others), None))
    return TrainingRows(pd.DataFrame(np.concatenate([X, others])), truth, truth, target)
