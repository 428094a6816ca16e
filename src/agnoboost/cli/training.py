"""``agnoboost fit``: a model, and how good it is."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer

from ..basics.stages import Stages, heard_by
from ..estimators import TableClassifier
from ..estimators.boosting.parameters import ALGORITHMS
from ..evaluation.by_class import quiet_about_classes, warnings_of
from ..evaluation.held_out import HeldOutPredictions, cross_evaluate
from ..labels import SoftLabels
from ..tables.files import check_place, same_columns, take_column
from .classifiers import Classifier, Effort, make_classifier, read_costs
from .console import UserError, progress, say
from .label_models import HELP as LABEL_MODEL_HELP
from .label_models import is_judged_by_labels, label_column, read_label_model
from .models import weights_by_class
from .reading import Decimal, Encoding, Sep, Sheet, table_reader, text_columns


class ClassWeight(StrEnum):
    """How classes are weighed."""

    balanced = "balanced"


RARE = 0.2  # share of a class below which an accuracy says too little


def _boosting(text: str, *names: str) -> Any:
    return typer.Option(*names, help=text, rich_help_panel="Options of --classifier boosting")


def fit(
    data: Annotated[
        Path,
        typer.Argument(help="A table (CSV, Parquet, Excel, JSON lines); rows without label have an empty target cell."),
    ],
    target: Annotated[str, typer.Option(help="The column with the labels.")],
    out_path: Annotated[Path, typer.Option("--out", help="Where to write the model.")] = Path("model.agno"),
    unlabeled: Annotated[
        list[Path] | None, typer.Option(help="More unlabeled rows; may be given several times.")
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(metavar="A,B", help="Columns to leave out, such as identifiers.")
    ] = None,
    sep: Sep = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    sheet: Sheet = None,
    report: Annotated[Path | None, typer.Option(help="Write an HTML report here.")] = None,
    classifier: Annotated[
        Classifier, typer.Option(help="table, from some 30 labels to a million; boosting, the paper's estimator.")
    ] = Classifier.table,
    effort: Annotated[
        Effort | None, typer.Option(help="fast: a few times quicker than full, a little less accurate.")
    ] = None,
    label_model_name: Annotated[str | None, typer.Option("--label-model", help=LABEL_MODEL_HELP)] = None,
    missing_label: Annotated[str | None, typer.Option(help="A mark of unlabeled rows, besides empty cells.")] = None,
    folds: Annotated[int, typer.Option(min=0, help="Folds for the honest estimate; 0 leaves it out.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed: the same seed gives the same model.")] = 0,
    jobs: Annotated[int, typer.Option(help="Runs or folds at a time; -1 for all cores.")] = -1,
    class_weight: Annotated[
        ClassWeight | None, typer.Option(help="balanced: all classes count the same, however rare.")
    ] = None,
    tune_threshold: Annotated[
        bool, typer.Option("--tune-threshold", help="Two classes: predict so that both are found equally well.")
    ] = False,
    cost: Annotated[
        list[str] | None,
        typer.Option(metavar="CLASS=NUMBER", help="Two classes: the cost of missing a row of this one."),
    ] = None,
    algorithm: Annotated[str | None, _boosting(f"Which booster: {', '.join(ALGORITHMS)}.")] = None,
    weak_learner: Annotated[str | None, _boosting("tree, or stump (easier to explain).")] = None,
    n_rounds: Annotated[int | None, _boosting("The most rounds.", "--rounds")] = None,
    step_size: Annotated[str | None, _boosting("How far a round moves: auto, or a number.")] = None,
    batch_size: Annotated[
        str | None, _boosting("Rows of a round: bootstrap, a number, or all (by far the fastest with stumps).")
    ] = None,
    unlabeled_weight: Annotated[str | None, _boosting("auto, or a number from 0 (ignore) to 1 (the paper's).")] = None,
    shift: Annotated[
        str | None, _boosting("For algorithm3: bound on the shift between labeled and unlabeled rows, or auto.")
    ] = None,
    checkpoint: Annotated[
        Path | None, _boosting("Keep the state of a long run here; the same command goes on from it.")
    ] = None,
) -> None:
    """Train a model and say honestly how good it is."""
    for place in [out_path] if report is None else [out_path, report]:
        check_place(place)
    label_model = read_label_model(label_model_name)
    read = table_reader(sep, encoding, decimal, sheet)
    with progress() as show:
        Stages(show=show).begin(f"reading {data}")
        table = read(data, target, drop=drop or [], missing_label=missing_label)
        X, column = take_column(table, target, data)
        if not X.shape[1]:
            raise UserError(f"{data} has no columns left to learn from.")
        y = label_column(column, target, label_model, missing_label)
        extra = _more_rows(unlabeled or [], X, read)
    known = np.array([value is not None for value in y])
    rows = int((~known).sum()) + (0 if extra is None else len(extra))
    counts = pd.Series(y[known]).value_counts()
    soft = isinstance(label_model, SoftLabels)
    classes = "soft" if soft else ", ".join(f"{name}: {count}" for name, count in counts.items())
    say(f"{known.sum()} labeled rows ({classes}), {rows} unlabeled rows, {X.shape[1]} columns.")
    common = {
        "missing_label": None,
        "label_model": label_model,
        "random_state": seed,
        "class_weight": None if class_weight is None else class_weight.value,
        "tune_threshold": read_costs(cost, counts.index) if cost else tune_threshold,
    }
    options_of_boosting = {
        "algorithm": algorithm,
        "weak_learner": weak_learner,
        "n_rounds": n_rounds,
        "step_size": step_size,
        "batch_size": batch_size,
        "unlabeled_weight": unlabeled_weight,
        "shift": shift,
        "checkpoint": checkpoint,
    }
    model = make_classifier(classifier, common, effort, options_of_boosting, jobs)
    compared = classifier is Classifier.boosting  # elsewhere unlabeled rows do too little to be worth the time
    judgeable = is_judged_by_labels(label_model)
    wanted, folds = folds, min(folds, int(counts.min())) if len(counts) > 1 and judgeable else 0
    judged = _train(model, X, y, extra, folds, compared, out_path, jobs)
    _say_what_was_chosen(model)
    if judged is not None:
        _say_how_good(judged)
        if label_model is not None:
            say("That is against the labels as they are, flipped ones included; the true figure is higher.")
        if rows and not compared:
            say("Unlabeled rows only place bins and ranks here, so there is no comparison without them.")
    elif not judgeable:
        say("No estimate of the accuracy: these labels cannot judge a model. Use evaluate on rows with true labels.")
    elif wanted >= 2:
        say(f"No estimate of the accuracy: class {counts.idxmin()} has only {counts.min()} labeled row.")
    say(f"Model written to {out_path}")
    if report is not None:
        from ..report import write_report

        write_report(report, model, X, y, judged, target=target, source=data.name)
        say(f"Report written to {report}")


def _train(
    model: Any, X: Any, y: Any, extra: Any, folds: int, compared: bool, out_path: Path, jobs: int
) -> HeldOutPredictions | None:
    """Train, save and evaluate the model, and show how far it is."""
    unlabeled = extra is not None or any(value is None for value in y)
    fits = folds * (2 if compared and unlabeled else 1) if folds >= 2 else 0
    evaluations = [f"evaluation {number + 1} of {fits}" for number in range(fits)]
    with progress() as show:
        stages = Stages(show=show)
        stages.plan(["training", *evaluations])
        stages.begin("training")
        with heard_by(stages.inside), quiet_about_classes():
            model.fit(X, y, X_unlabeled=extra)
        model.save(out_path)  # now: whatever happens below must not cost the model
        if not evaluations:
            return None
        coming = iter([*evaluations, evaluations[-1]])
        stages.begin(next(coming))
        # Fits of a table are quick, and use all cores themselves; others go to processes.
        side_by_side = 1 if isinstance(model, TableClassifier) else jobs
        return cross_evaluate(model, X, y, extra, folds, lambda: stages.begin(next(coming)), side_by_side, compared)


def _more_rows(paths: list[Path], X: pd.DataFrame, read: Callable[..., pd.DataFrame]) -> pd.DataFrame | None:
    names, text = list(X.columns), text_columns(X)
    tables = [same_columns(read(path, columns=names, text=text), names, path) for path in paths]
    return pd.concat(tables, ignore_index=True) if tables else None


def _say_what_was_chosen(model: Any) -> None:
    if isinstance(model, TableClassifier):
        for of, weights in weights_by_class(model):
            say(f"Weights of the members{of}: {weights}")
        return
    if model.shift_estimate_ is not None:
        say(f"{model.shift_estimate_}\nUsed C_X = {model.shift_:.2f}.")
    choice = model.history_.choice
    say(f"Chose {model.n_rounds_} rounds and unlabeled weight {choice.unlabeled_weight:g}: {choice.reason}.")
    if model.n_unlabeled_ and choice.unlabeled_weight == 0:
        say("So the unlabeled rows were not used to train, only to place thresholds: nothing showed that they help.")


def _say_how_good(judged: HeldOutPredictions) -> None:
    share, low, high = judged.accuracy
    say(
        f"Accuracy on held-out labels: {share:.3f} (about 95% interval {low:.3f} to {high:.3f}; {judged.folds}-fold "
        "cross-validation, every choice made inside the folds)."
    )
    figures = judged.by_class
    if min(one.share for one in figures) < RARE or warnings_of(figures):
        for one in figures:
            say(f"  {one}")
        for warning in warnings_of(figures, "--class-weight balanced", "--tune-threshold"):
            say(warning)
    if judged.without_unlabeled is not None:
        alone, difference, half = judged.without_unlabeled
        verdict = "no clear difference"
        if abs(difference) > half:
            verdict = "unlabeled rows help" if difference > 0 else "unlabeled rows hurt"
        say(f"Without the unlabeled rows: {alone:.3f} (difference {difference:+.3f} +- {half:.3f}: {verdict}).")
