"""The commands."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from rich.markup import escape
from rich.table import Table
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, roc_auc_score

from .. import __version__, load
from ..basics.intervals import wilson
from ..estimators import AgnosticBoostingClassifier
from ..estimators.few_labels import FewLabelClassifier
from ..evaluation.held_out import HeldOutPredictions, cross_evaluate
from ..labels import SoftLabels
from ..planner import compare as compare_costs
from ..planner import plan as make_plan
from ..tables.files import check_place, read_table, same_columns, take_column, write_table
from .console import UserError, out, progress_bar, say, shows_errors
from .label_models import HELP as LABEL_MODEL_HELP
from .label_models import is_judged_by_labels, label_column, plain_labels, read_label_model
from .reproduce import app as reproduce

app = typer.Typer(
    help="Learn from a table in which few rows are labeled, and some labels are wrong.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(reproduce, name="reproduce")


ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="A model written by fit.")]
AllowUnknown = Annotated[bool, typer.Option(help="Treat categories not seen in training as missing.")]


class Algorithm(StrEnum):
    """The boosters that have a name."""

    algorithm1 = "algorithm1"
    algorithm2 = "algorithm2"
    algorithm3 = "algorithm3"
    pab = "pab"
    gs24 = "gs24"


class Classifier(StrEnum):
    """Which of our classifiers."""

    boosting = "boosting"
    few_labels = "few-labels"


class Learner(StrEnum):
    """The weak learners that have a name."""

    tree = "tree"
    stump = "stump"


def _version(wanted: bool) -> None:
    if wanted:
        out.print(f"agnoboost {__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Learn from a table in which few rows are labeled, and some labels are wrong."""


@app.command()
@shows_errors
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
    algorithm: Annotated[Algorithm, typer.Option(help="Which booster.")] = Algorithm.algorithm1,
    weak_learner: Annotated[Learner, typer.Option(help="tree (default) or stump (easier to explain).")] = Learner.tree,
    n_rounds: Annotated[int, typer.Option("--rounds", help="The most rounds.")] = 500,
    step_size: Annotated[float, typer.Option(help="How far a round moves.")] = 0.01,
    batch_size: Annotated[
        str, typer.Option(help="Rows of a round: bootstrap, a number, or all (by far the fastest with stumps).")
    ] = "bootstrap",
    unlabeled_weight: Annotated[
        str, typer.Option(help="auto, or a number from 0 (ignore) to 1 (the paper's).")
    ] = "auto",
    shift: Annotated[
        str,
        typer.Option(help="For algorithm3: bound on the shift between labeled and unlabeled rows, or auto."),
    ] = "1",
    missing_label: Annotated[str | None, typer.Option(help="A mark of unlabeled rows, besides empty cells.")] = None,
    folds: Annotated[int, typer.Option(min=0, help="Folds for the honest estimate; 0 leaves it out.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed: the same seed gives the same model.")] = 0,
    jobs: Annotated[int, typer.Option(help="Processes to use; -1 for all cores.")] = -1,
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
    model: Any
    if classifier is Classifier.few_labels:
        _refuse_options_of_boosting(context)
        model = FewLabelClassifier(**common)
    else:
        model = AgnosticBoostingClassifier(
            algorithm.value,
            weak_learner.value,
            n_rounds=n_rounds,
            step_size=step_size,
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


@app.command()
@shows_errors
def predict(
    model_path: ModelPath,
    data: Annotated[Path, typer.Argument(help="CSV or Parquet file with the model's columns.")],
    out_path: Annotated[Path, typer.Option("--out", help="Where to write the predictions.")] = Path("predictions.csv"),
    keep: Annotated[
        list[str] | None, typer.Option(help="A column to copy to the output, such as an identifier.")
    ] = None,
    allow_unknown: AllowUnknown = False,
) -> None:
    """Write a prediction and the probability of each class for every row."""
    check_place(out_path)
    if out_path.exists() and data.exists() and out_path.samefile(data):
        raise UserError(f"--out must not be the input, {data}: it would be overwritten.")
    model, table = _load(model_path), read_table(data)
    X = _columns_of(model, table, data, allow_unknown)
    columns: dict[str, Any] = {"prediction": model.predict(X)}
    columns |= {f"p_{name}": p for name, p in zip(model.classes_, model.predict_proba(X).T, strict=True)}
    kept = {name: take_column(table, name, data)[1] for name in keep or []}
    if taken := sorted(set(kept) & set(columns)):
        raise UserError(f"--keep {taken[0]} would collide with a column of the output. Rename it first.")
    result = pd.DataFrame({**kept, **columns}, index=table.index)
    write_table(result, out_path)
    counts = ", ".join(f"{name}: {count}" for name, count in result["prediction"].value_counts().items())
    say(f"{len(result)} predictions ({counts}) written to {out_path}")


@app.command()
@shows_errors
def evaluate(
    model_path: ModelPath,
    data: Annotated[Path, typer.Argument(help="Labeled rows that the model was not trained on.")],
    target: Annotated[str, typer.Option(help="The column with the labels; rows without label are left out.")],
    allow_unknown: AllowUnknown = False,
) -> None:
    """Accuracy and other figures on labeled rows."""
    model, table = _load(model_path), read_table(data, target)
    y = plain_labels(take_column(table, target, data)[1])
    known = np.array([value is not None for value in y])
    if not known.any():
        raise UserError(f"The column {target!r} of {data} has no labels.")
    strangers = sorted({str(value) for value in y[known]} - {str(value) for value in model.classes_})
    if strangers:
        raise UserError(f"{data} has classes that the model does not know: {', '.join(strangers)}.")
    X = _columns_of(model, table, data, allow_unknown)[known]
    truth = np.array([str(value) for value in y[known]])
    predicted = model.predict(X).astype(str)
    names = model.classes_.astype(str)
    share, low, high = wilson(predicted == truth)
    say(f"{known.sum()} labeled rows; they must not be among the rows that the model was trained on.")
    figures = Table("figure", "value")
    figures.add_row("accuracy (95% interval)", f"{share:.3f} ({low:.3f} to {high:.3f})")
    figures.add_row("balanced accuracy", f"{balanced_accuracy_score(truth, predicted):.3f}")
    proba = model.predict_proba(X)
    hits = (truth[:, None] == names).astype(float)
    figures.add_row("Brier score", f"{np.mean(np.sum((proba - hits) ** 2, axis=1)):.3f}")
    if len(names) == 2 and len(set(truth)) == 2:
        figures.add_row("area under the ROC curve", f"{roc_auc_score(hits[:, 1], proba[:, 1]):.3f}")
    out.print(figures)
    confusion = Table("true \\ predicted", *map(escape, names))
    for name, row in zip(names, confusion_matrix(truth, predicted, labels=names), strict=True):
        confusion.add_row(escape(name), *map(str, row))
    out.print(confusion)


@app.command()
@shows_errors
def plan(
    theorem: Annotated[str, typer.Argument(help="theorem1, theorem2, theorem3, shift or rl.")] = "theorem1",
    epsilon: Annotated[float, typer.Option(help="Excess correlation (twice the excess error).")] = 0.1,
    delta: Annotated[float, typer.Option(help="Probability of failing.")] = 0.05,
    gamma: Annotated[float, typer.Option(help="Edge of the weak learner.")] = 0.5,
    vc: Annotated[float | None, typer.Option(help="VC dimension of the base class.")] = None,
    log_size: Annotated[float | None, typer.Option(help="Logarithm of the size of the base class.")] = None,
    shift: Annotated[float, typer.Option(help="For shift: C_X.")] = 1.0,
    epsilon0: Annotated[float, typer.Option(help="Additive error of the weak learner.")] = 0.0,
    constant: Annotated[float, typer.Option(help="The universal constant that the paper leaves open.")] = 1.0,
    beta: Annotated[float | None, typer.Option(help="For rl: discount factor.")] = None,
) -> None:
    """The settings and sample sizes under which a theorem guarantees its result."""
    settings: dict[str, Any] = {
        "epsilon": epsilon,
        "delta": delta,
        "gamma": gamma,
        "vc": vc,
        "log_size": log_size,
        "shift": shift,
        "epsilon0": epsilon0,
        "constant": constant,
    }
    out.print(str(make_plan(theorem, beta=beta, **settings)), highlight=False, markup=False)
    if theorem != "rl":
        out.print(f"\nThe same excess elsewhere:\n{compare_costs(theorem, **settings)}", highlight=False, markup=False)


@app.command()
@shows_errors
def inspect(
    model_path: ModelPath,
    top: Annotated[int, typer.Option(help="How many columns to show.")] = 15,
) -> None:
    """What a model file holds."""
    model = _load(model_path)
    facts = Table("fact", "value")
    facts.add_row("classifier", type(model).__name__)
    facts.add_row("classes", escape(", ".join(map(str, model.classes_))))
    facts.add_row("trained on", f"{model.n_labeled_} labeled and {model.n_unlabeled_} unlabeled rows")
    if model.label_model is not None:
        facts.add_row("labels", escape(str(model.label_model)))
    if isinstance(model, FewLabelClassifier):
        for number, weights in enumerate(model.weights_):
            of = "" if len(model.weights_) == 1 else f", {model.classes_[number]}"
            facts.add_row(f"weights of the members{escape(of)}", ", ".join(f"{k} {v:.2f}" for k, v in weights.items()))
        out.print(facts)
        return
    tapes = model.tape_ if isinstance(model.tape_, list) else [model.tape_]
    facts.add_row("algorithm, weak learner", f"{model.algorithm}, {model.weak_learner}")
    shrinks = sum((run["branch"] == "B").sum() for run in model.history_.runs)
    facts.add_row("rounds", f"{model.n_rounds_} (case B: {shrinks} of {sum(map(len, tapes))} steps)")
    facts.add_row("weight of unlabeled rows", f"{model.history_.choice.unlabeled_weight:g}")
    facts.add_row("chosen by", model.history_.choice.reason)
    out.print(facts)
    columns = Table("column", "share of the steps")
    importances = model.feature_importances_
    names = model._column_names
    for place in np.argsort(-importances, kind="stable")[:top]:
        columns.add_row(escape(names[place]), f"{importances[place]:.3f}")
    out.print(columns)


def _load(path: Path) -> Any:
    if not path.exists():
        raise UserError(f"There is no file {path}. Train a model with: agnoboost fit data.csv --target label")
    return load(path)


def _columns_of(model: Any, table: pd.DataFrame, path: Path, allow_unknown: bool) -> pd.DataFrame:
    names = model._column_names
    X = same_columns(table, names, path)
    unknown = model._encoder.unknown(X)
    if unknown and not allow_unknown:
        parts = "; ".join(f"{names[c]}: {', '.join(map(repr, values[:5]))}" for c, values in unknown.items())
        raise UserError(
            f"{path} has categories that were not in the training data ({parts}). "
            "Correct them, or pass --allow-unknown to treat them as missing."
        )
    return X


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
        if getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE":
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
    if judged.without_unlabeled is not None:
        alone, difference, half = judged.without_unlabeled
        verdict = "no clear difference"
        if abs(difference) > half:
            verdict = "unlabeled rows help" if difference > 0 else "unlabeled rows hurt"
        say(f"Without the unlabeled rows: {alone:.3f} (difference {difference:+.3f} +- {half:.3f}: {verdict}).")
