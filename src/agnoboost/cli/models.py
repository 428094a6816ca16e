"""``agnoboost predict`` and ``evaluate``: what a model file is good for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import typer

from ..basics.stages import Stages
from ..basics.typing import Floats
from ..estimators.threshold import written
from ..evaluation.by_class import warnings_of
from ..tables.files import check_kind, take_column
from . import scores
from .console import Facts, UserError, progress, say
from .label_models import plain_labels
from .model_rows import AllowUnknown, Keep, ModelPath, check_classes, columns_of, kept_beside, load_model, table_for
from .places import check_places, spoken
from .reading import Reader, reads_tables
from .writing import EscapeFormulas, say_formulas, write_cells

USUAL = 0.5  # the threshold of models that have none of their own
Threshold = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        max=1.0,
        help="Two classes: predict the second one from this probability on, such as 0.3. inspect shows their order.",
    ),
]


@reads_tables
def predict(
    read: Reader,
    model_path: ModelPath,
    data: Annotated[
        Path,
        typer.Argument(
            help="A table (CSV, Parquet, Excel, JSON lines) with the model's columns; - for standard input."
        ),
    ],
    out_path: Annotated[
        Path, typer.Option("--out", help="Where to write the predictions; - for standard output.")
    ] = Path("predictions.csv"),
    keep: Keep = None,
    allow_unknown: AllowUnknown = False,
    threshold: Threshold = None,
    escape_formulas: EscapeFormulas = False,
) -> Facts:
    """Write a prediction and the probability of each class for every row."""
    check_places([model_path, data], {"--out": out_path})
    check_kind(out_path)
    with progress() as show:
        stages = Stages(show=show)
        stages.plan(["reading", "predicting", "writing"])
        stages.begin("reading")
        model = load_model(model_path, data)
        check_threshold(model, threshold)
        table = table_for(read, model, data, also=keep or [])
        outputs = ["prediction", *(f"p_{name}" for name in model.classes_)]
        kept = kept_beside(table, keep or [], outputs, data)
        X = columns_of(model, table, data, allow_unknown)
        stages.begin("predicting")
        predicted, proba = predictions(model, X, threshold)
        columns = dict(zip(outputs, (predicted, *proba.T), strict=True))
        result = pd.DataFrame({**kept, **columns}, index=table.index)
        stages.begin("writing")
        written = write_cells(result, out_path, escape_formulas)
    counts = result["prediction"].value_counts()
    shown = ", ".join(f"{name}: {count}" for name, count in counts.items())
    say(f"{len(result)} predictions ({shown}) written to {spoken(out_path)}")
    say_formulas(written)
    return {
        "out": out_path,
        "rows": len(result),
        "threshold": threshold_used(model, threshold),
        "predictions": dict(counts.items()),
        **written,
    }


@reads_tables
def evaluate(
    read: Reader,
    model_path: ModelPath,
    data: Annotated[Path, typer.Argument(help="Labeled rows that the model was not trained on; - for standard input.")],
    target: Annotated[str, typer.Option(help="The column with the labels; rows without label are left out.")],
    allow_unknown: AllowUnknown = False,
    threshold: Threshold = None,
) -> Facts:
    """Accuracy, precision, recall and other figures on labeled rows."""
    check_places([model_path, data], {})
    with progress() as show:
        stages = Stages(show=show)
        stages.plan(["reading", "predicting"])
        stages.begin("reading")
        model = load_model(model_path, data)
        check_threshold(model, threshold)
        table = table_for(read, model, data, target)
        y = plain_labels(take_column(table, target, data)[1])
        known = np.array([value is not None for value in y])
        if not known.any():
            raise UserError(f"The column {target!r} of {data} has no labels.")
        check_classes(y, model, data)
        X = columns_of(model, table, data, allow_unknown)[known]
        stages.begin("predicting")
        predicted, proba = predictions(model, X, threshold)
    truth = np.array([str(value) for value in y[known]])
    facts, found = scores.scores(truth, predicted.astype(str), proba, model.classes_.tolist())
    say(f"{known.sum()} labeled rows; they must not be among the rows that the model was trained on.")
    used = threshold_used(model, threshold)
    if used is not None:
        why = _why(model, threshold)
        say(f"Threshold: {model.classes_[1]} is predicted from a probability of {written(used)} on ({why}).")
    scores.show(facts)
    move = "--threshold" if len(model.classes_) == 2 else ""
    moved = threshold is not None or model.threshold_ is not None
    warnings = warnings_of(found, "fit --class-weight balanced", move, moved=moved)
    for warning in warnings:
        say(warning)
    return {"threshold": used, **facts, "warnings": warnings}


def check_threshold(model: Any, threshold: float | None) -> None:
    """A threshold is for two classes."""
    if threshold is not None and len(model.classes_) != 2:
        raise UserError(f"--threshold is for two classes. The model has {len(model.classes_)}. Leave it out.")


def threshold_used(model: Any, threshold: float | None) -> float | None:
    """From which probability on the second of two classes is predicted; None with more classes."""
    if len(model.classes_) != 2:
        return None
    tuned = USUAL if model.threshold_ is None else model.threshold_
    return tuned if threshold is None else threshold


def _why(model: Any, threshold: float | None) -> str:
    if threshold is not None:
        return "as --threshold asks"
    return "the usual one" if model.threshold_ is None else "tuned when the model was trained"


def predictions(model: Any, X: pd.DataFrame, threshold: float | None) -> tuple[npt.NDArray[Any], Floats]:
    """Classes and probabilities; with a threshold the second class is said from that probability on."""
    proba = model.predict_proba(X)
    if threshold is None:
        return model.predict(X), proba
    return model.classes_[(proba[:, 1] >= threshold).astype(int)], proba
