"""``agnoboost fit``: a model, and how good it is."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer

from ..estimators import AgnosticBoostingClassifier, FewLabelClassifier
from ..estimators.boosting.parameters import ALGORITHMS
from ..evaluation.by_class import warnings_of
from ..evaluation.held_out import HeldOutPredictions, cross_evaluate
from ..labels import SoftLabels
from ..tables.files import check_place, read_table, same_columns, take_column
from .console import UserError, is_given, progress_bar, say
from .label_models import HELP as LABEL_MODEL_HELP
from .label_models import is_judged_by_labels, label_column, read_label_model


class Classifier(StrEnum):
    """Which of our classifiers."""

    boosting = "boosting"
    few_labels = "few-labels"


class ClassWeight(StrEnum):
    """How classes are weighed."""

    balanced = "balanced"


RARE = 0.2  # share of a class below which an accuracy says too little


def fit(
    context: typer.Context,
    data: Annotated[Path, typer.Argument(help="CSV or Parquet file; rows without label have an empty target cell.")],
    target: Annotated[str, typer.Option(help="The column with the labels.")],
    out_path: Annotated[Path, typer.Option("--out", help="Where to write the model.")] = Path("model.agno"),
    unlabeled: Annotated[
        list[Path] | None, typer.Option(help="More unlabeled rows; may be given several times.")
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(help="A column to leave out, such as an identifier.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write an HTML report here.")] = None,
    classifier: Annotated[
        Classifier, typer.Option(help="few-labels is best for 50 to 500 labels; boosting has all the other options.")
    ] = Classifier.boosting,
    label_model_name: Annotated[str | None, typer.Option("--label-model", help=LABEL_MODEL_HELP)] = None,
    algorithm: Annotated[str, typer.Option(help=f"Which booster: {', '.join(ALGORITHMS)}.")] = "algorithm1",
    weak_learner: Annotated[str, typer.Option(help="tree, or stump (easier to explain).")] = "tree",
    n_rounds: Annotated[int, typer.Option("--rounds", help="The most rounds.")] = 500,
    step_size: Annotated[str, typer.Option(help="How far a round moves: auto, or a number.")] = "auto",
    batch_size: Annotated[
        str, typer.Option(help="Rows of a round: bootstrap, a number, or all (by far the fastest with stumps).")
    ] = "bootstrap",
    unlabeled_weight: Annotated[
        str, typer.Option(help="auto, or a number from 0 (ignore) to 1 (the paper's).")
    ] = "auto",
    shift: Annotated[
        str, typer.Option(help="For algorithm3: bound on the shift between labeled and unlabeled rows, or auto.")
    ] = "1",
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
    checkpoint: Annotated[
        Path | None, typer.Option(help="Keep the state of a long run here; the same command goes on from it.")
    ] = None,
) -> None:
    """Train a model and say honestly how good it is."""
    for place in [out_path] if report is None else [out_path, report]:
        check_place(place)
    label_model = read_label_model(label_model_name)
    X, column = take_column(read_table(data, target), target, data)
    X = _without(X, drop or [], data)
    y = label_column(column, target, label_model, missing_label)
    extra = _more_rows(unlabeled or [], list(X.columns))
    known = np.array([value is not None for value in y])
    rows = int((~known).sum()) + (0 if extra is None else len(extra))
    counts = pd.Series(y[known]).value_counts()
    soft = isinstance(label_model, SoftLabels)
    classes = "soft" if soft else ", ".join(f"{name}: {count}" for name, count in counts.items())
    say(f"{known.sum()} labeled rows ({classes}), {rows} unlabeled rows, {X.shape[1]} columns.")
    common: dict[str, Any] = {"missing_label": None, "label_model": label_model, "random_state": seed}
    common |= {"class_weight": None if class_weight is None else class_weight.value, "tune_threshold": tune_threshold}
    model: Any
    if classifier is Classifier.few_labels:
        _refuse_options_of_boosting(context)
        model = FewLabelClassifier(**common)
    else:
        model = AgnosticBoostingClassifier(
            algorithm,
            weak_learner,
            n_rounds=n_rounds,
            step_size=_number_or_auto(step_size, "--step-size", "a positive number"),
            batch_size=_batch(batch_size),
            unlabeled_weight=_number_or_auto(unlabeled_weight, "--unlabeled-weight", "a number from 0 to 1"),
            shift=_number_or_auto(shift, "--shift", "a number of at least 1"),
            n_jobs=jobs,
            checkpoint=checkpoint,
            **common,
        )
    judgeable = is_judged_by_labels(label_model)
    wanted, folds = folds, min(folds, int(counts.min())) if len(counts) > 1 and judgeable else 0
    with progress_bar() as bar:
        task = bar.add_task("training", total=1 + (folds * (2 if rows else 1) if folds >= 2 else 0))
        model.fit(X, y, X_unlabeled=extra)
        model.save(out_path)  # now: whatever happens below must not cost the model
        bar.advance(task)
        judged = None
        if folds >= 2:
            judged = cross_evaluate(model, X, y, extra, folds, lambda: bar.advance(task), jobs)
    _say_what_was_chosen(model)
    if judged is not None:
        _say_how_good(judged)
        if label_model is not None:
            say("That is against the labels as they are, flipped ones included; the true figure is higher.")
    elif not judgeable:
        say("No estimate of the accuracy: these labels cannot judge a model. Use evaluate on rows with true labels.")
    elif wanted >= 2:
        say(f"No estimate of the accuracy: class {counts.idxmin()} has only {counts.min()} labeled row.")
    say(f"Model written to {out_path}")
    if report is not None:
        from ..report import write_report

        write_report(report, model, X, y, judged, target=target, source=data.name)
        say(f"Report written to {report}")


def _without(X: pd.DataFrame, columns: list[str], path: Path) -> pd.DataFrame:
    for column in columns:
        X, _ = take_column(X, column, path)
    if not X.shape[1]:
        raise UserError(f"{path} has no columns left to learn from.")
    return X


def _more_rows(paths: list[Path], names: list[str]) -> pd.DataFrame | None:
    tables = [same_columns(read_table(path), names, path) for path in paths]
    return pd.concat(tables, ignore_index=True) if tables else None


def _batch(text: str) -> int | str | None:
    if text in ("all", "bootstrap"):
        return None if text == "all" else text
    if not text.isdecimal() or int(text) == 0:
        raise UserError(f"--batch-size must be bootstrap, all, or a whole number of rows. Got {text!r}.")
    return int(text)


def _number_or_auto(text: str, option: str, expected: str) -> float | str:
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise UserError(f"{option} must be auto or {expected}. Got {text!r}.") from None


def _refuse_options_of_boosting(context: typer.Context) -> None:
    names = ("algorithm", "weak_learner", "n_rounds", "step_size", "batch_size", "unlabeled_weight", "shift")
    for name in (*names, "checkpoint"):
        if is_given(context, name):
            option = "--rounds" if name == "n_rounds" else "--" + name.replace("_", "-")
            raise UserError(f"{option} is for --classifier boosting. Leave it out, or choose that classifier.")


def _say_what_was_chosen(model: Any) -> None:
    if isinstance(model, FewLabelClassifier):
        for weights in model.weights_:
            say("Weights of the members: " + ", ".join(f"{name} {weight:.2f}" for name, weight in weights.items()))
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
