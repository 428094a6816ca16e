"""``agnoboost fit``: a model, and how good it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..basics.places import STANDARD
from ..basics.stages import Stages, heard_by
from ..estimators import TableClassifier
from ..estimators.boosting.parameters import ALGORITHMS
from ..evaluation.by_class import quiet_fits
from ..evaluation.goal import Goal
from ..evaluation.held_out import HeldOutPredictions, cross_evaluate, possible_folds
from .classifiers import (
    Classifier,
    Effort,
    by_class,
    check_jobs,
    check_threshold_options,
    class_weights,
    make_classifier,
)
from .console import Facts, UserError, as_typed, is_given, progress, say
from .forgotten_machines import note_forgotten_machines
from .label_models import HELP as LABEL_MODEL_HELP
from .label_models import is_judged_by_labels, read_label_model
from .labeled_table import Categorical, DataPath, Drop, MachineColumn, MissingLabel, Seed
from .large_files import check_options, fit_large, is_too_large
from .places import check_not_for_reading, check_places, source_of, spoken
from .reading import Reader, reads_tables
from .telling import (
    chosen_facts,
    good_facts,
    say_how_good,
    say_the_threshold,
    say_what_machines_were_worth,
    say_what_was_chosen,
    say_what_was_left_out,
)
from .training_rows import TrainingRows, more_rows, read_training_rows


def _boosting(text: str, *names: str) -> Any:
    return typer.Option(*names, help=text, rich_help_panel="Options of --classifier boosting")


@reads_tables
def fit(
    read: Reader,
    context: typer.Context,
    data: DataPath,
    target: Annotated[str | None, typer.Option(help="The column with the labels.")] = None,
    votes: Annotated[
        str | None,
        typer.Option(metavar="COLUMN,COLUMN,...", help="Instead of --target: columns with the labels of annotators."),
    ] = None,
    out_path: Annotated[Path, typer.Option("--out", help="Where to write the model; - for standard output.")] = Path(
        "model.agno"
    ),
    unlabeled: Annotated[
        list[Path] | None, typer.Option(help="More unlabeled rows; may be given several times.")
    ] = None,
    machine_column: MachineColumn = None,
    drop: Drop = None,
    categorical: Categorical = None,
    report: Annotated[Path | None, typer.Option(help="Write an HTML report here; - for standard output.")] = None,
    classifier: Annotated[
        Classifier, typer.Option(help="table, from some 30 labels to a million; boosting, the paper's estimator.")
    ] = Classifier.table,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Parquet files that need more, such as 4GB, stay on the disk (as with boosting and stumps); by "
            "default what is free.",
        ),
    ] = None,
    effort: Annotated[
        Effort | None, typer.Option(help="fast: about twice as quick as full, a little less accurate.")
    ] = None,
    label_model_name: Annotated[str | None, typer.Option("--label-model", help=LABEL_MODEL_HELP)] = None,
    missing_label: MissingLabel = None,
    folds: Annotated[
        int, typer.Option(min=0, help="Parts for the estimate on labels left out; 0 leaves the estimate out.")
    ] = 5,
    seed: Seed = 0,
    jobs: Annotated[int, typer.Option(help="Runs or folds at a time; -1 for all cores.")] = -1,
    class_weight: Annotated[
        list[str] | None,
        typer.Option(
            metavar="balanced|CLASS=NUMBER",
            help="balanced: all classes count the same, however rare; or how much the rows of a class count.",
        ),
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
) -> Facts:
    """Train a model and say honestly how good it is."""
    check_places([data, *(unlabeled or [])], {"--out": out_path, "--report": report, "--checkpoint": checkpoint})
    check_not_for_reading(out_path, "--out")
    if folds == 1:
        raise UserError("--folds must be at least 2, or 0 for no estimate. Got 1: no row would be left to learn from.")
    check_jobs(jobs)
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
    if target is not None and is_too_large(data, memory):
        check_options(
            {
                "--classifier table": is_given(context, "classifier") and classifier is not Classifier.boosting,
                "--votes": votes,
                "--unlabeled": unlabeled,
                "--machine-column": machine_column,
                "--report": report,
                "--effort": effort,
                "--label-model": label_model_name,
                "--class-weight": class_weight,
                "--cost": cost,
            }
        )
        common = {"random_state": seed, "tune_threshold": tune_threshold, **_columns(categorical)}
        large = fit_large(data, target, common, options_of_boosting, drop or [], missing_label, folds, out_path, jobs)
        say(f"{large.model.n_labeled_:,} labeled rows, {large.model.n_unlabeled_:,} unlabeled rows.")
        facts = _told(large.model, large.judged, large.rows, folds, True, out_path, None)
        if large.judged is not None and large.rows.known.sum() < large.model.n_labeled_:
            say(f"The accuracy is that of models with {large.rows.known.sum():,} of {large.model.n_labeled_:,} labels.")
        return facts
    label_model = read_label_model(label_model_name, votes is not None)
    machines = machine_column or []
    if machines and classifier is Classifier.boosting:
        raise UserError("--machine-column is for --classifier table. Leave one of the two options out.")
    with progress() as show:
        Stages(show=show).begin(f"reading {data}")
        rows = read_training_rows(
            read, data, target, votes, drop or [], label_model, missing_label, categorical or [], machines
        )
        extra = more_rows(read, unlabeled or [], rows)
    check_threshold_options(tune_threshold, cost or [], class_weight or [], len(rows.counts))
    say(rows.described(0 if extra is None else len(extra)))
    note_forgotten_machines(rows)
    common = {
        "missing_label": None,
        "label_model": label_model,
        "random_state": seed,
        "class_weight": class_weights(class_weight or [], rows.counts.index),
        "tune_threshold": by_class(cost, rows.counts.index, "--cost") if cost else tune_threshold,
        **rows.settings,
    }
    model = make_classifier(classifier, common, effort, options_of_boosting, jobs)
    compared = classifier is Classifier.boosting  # elsewhere unlabeled rows do too little to be worth the time
    parts = possible_folds(rows.counts, folds) if is_judged_by_labels(label_model) else 0
    judged = _train(model, rows, extra, parts, compared, out_path, jobs)
    facts = _told(model, judged, rows, folds, compared, out_path, report)
    if report is not None:
        from ..report import write_report

        told = {"target": rows.name, "source": source_of(data), "command": as_typed(context)}
        told |= {} if out_path == STANDARD else {"model_file": str(out_path)}
        with progress() as show:
            Stages(show=show).begin("writing the report")
            write_report(report, model, rows.X, rows.truth, judged, **told)
        say(f"Report written to {spoken(report)}")
    return facts


def _columns(categorical: list[str] | None) -> dict[str, Any]:
    """What was said of columns, for a classifier."""
    names = [name.strip() for text in categorical or [] for name in text.split(",")]
    return {"categorical_features": names} if names else {}


def _told(
    model: Any,
    judged: HeldOutPredictions | None,
    rows: TrainingRows,
    folds: int,
    compared: bool,
    out_path: Path,
    report: Path | None,
) -> Facts:
    """Say what came of it; the same for programs."""
    say_what_was_left_out(model)
    say_what_was_chosen(model)
    say_the_threshold(model)
    say_what_machines_were_worth(model)
    say_how_good(model, judged, rows, folds, compared)
    say(f"Model written to {spoken(out_path)}")
    return {"model": out_path, "report": report, **chosen_facts(model), **good_facts(judged, rows, Goal.of(model))}


def _train(
    model: Any, rows: TrainingRows, extra: Any, folds: int, compared: bool, out_path: Path, jobs: int
) -> HeldOutPredictions | None:
    """Train, save and evaluate the model, and show how far it is."""
    unlabeled = extra is not None or not rows.known.all()
    fits = folds * (2 if compared and unlabeled else 1)
    evaluations = [f"evaluation {number + 1} of {fits}" for number in range(fits)]
    with progress() as show:
        stages = Stages(show=show)
        stages.plan(["training", *evaluations])
        stages.begin("training")
        with heard_by(stages.inside), quiet_fits(of_classes=bool(evaluations)):  # figures by class follow
            model.fit(rows.X, rows.y, X_unlabeled=extra, **rows.beside)
        model._encoder.decimal = rows.decimal  # for files with rows that do not show it
        model.save(out_path)  # now: whatever happens below must not cost the model
        if not evaluations:
            return None
        coming = iter([*evaluations, evaluations[-1]])
        stages.begin(next(coming))
        # Fits of a table are quick, and use all cores themselves; others go to processes.
        side_by_side = 1 if isinstance(model, TableClassifier) else jobs
        return cross_evaluate(
            model,
            rows.X,
            rows.y,
            extra,
            folds,
            lambda: stages.begin(next(coming)),
            side_by_side,
            compared,
            rows.truth,
            **rows.beside,
        )
