"""``agnoboost predict``, ``evaluate`` and ``inspect``: what a model file is good for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from rich.markup import escape
from rich.table import Table
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, roc_auc_score

from ..basics.intervals import wilson
from ..estimators import TableClassifier
from ..evaluation.by_class import by_class, warnings_of
from ..files import load
from ..tables.files import check_place, same_columns, take_column, write_table
from .console import UserError, out, say
from .label_models import plain_labels
from .reading import Decimal, Encoding, Sep, Sheet, table_reader, text_columns_of

ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="A model written by fit.")]
AllowUnknown = Annotated[bool, typer.Option(help="Treat categories not seen in training as missing.")]


def predict(
    model_path: ModelPath,
    data: Annotated[Path, typer.Argument(help="A table (CSV, Parquet, Excel, JSON lines) with the model's columns.")],
    out_path: Annotated[Path, typer.Option("--out", help="Where to write the predictions.")] = Path("predictions.csv"),
    keep: Annotated[
        list[str] | None, typer.Option(help="A column to copy to the output, such as an identifier.")
    ] = None,
    allow_unknown: AllowUnknown = False,
    sep: Sep = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    sheet: Sheet = None,
) -> None:
    """Write a prediction and the probability of each class for every row."""
    check_place(out_path)
    if out_path.exists() and data.exists() and out_path.samefile(data):
        raise UserError(f"--out must not be the input, {data}: it would be overwritten.")
    model, read = _load(model_path), table_reader(sep, encoding, decimal, sheet)
    names, kept_names = model._column_names, keep or []
    as_they_are = [name for name in kept_names if name not in names]
    table = read(data, columns=[*names, *kept_names], text=[*text_columns_of(model), *as_they_are])
    X = _columns_of(model, table, data, allow_unknown)
    columns: dict[str, Any] = {"prediction": model.predict(X)}
    columns |= {f"p_{name}": p for name, p in zip(model.classes_, model.predict_proba(X).T, strict=True)}
    kept = {name: take_column(table, name, data)[1] for name in kept_names}
    if taken := sorted(set(kept) & set(columns)):
        raise UserError(f"--keep {taken[0]} would collide with a column of the output. Rename it first.")
    result = pd.DataFrame({**kept, **columns}, index=table.index)
    write_table(result, out_path)
    counts = ", ".join(f"{name}: {count}" for name, count in result["prediction"].value_counts().items())
    say(f"{len(result)} predictions ({counts}) written to {out_path}")


def evaluate(
    model_path: ModelPath,
    data: Annotated[Path, typer.Argument(help="Labeled rows that the model was not trained on.")],
    target: Annotated[str, typer.Option(help="The column with the labels; rows without label are left out.")],
    allow_unknown: AllowUnknown = False,
    sep: Sep = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    sheet: Sheet = None,
) -> None:
    """Accuracy and other figures on labeled rows."""
    model, read = _load(model_path), table_reader(sep, encoding, decimal, sheet)
    table = read(data, target, columns=model._column_names, text=text_columns_of(model))
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
    classes = Table("class", "rows", "found (recall)", "right (precision)", "average precision", "by chance")
    found = by_class(truth, predicted, proba, list(names))
    for one in found:
        right = "never predicted" if one.right is None else f"{one.right:.3f}"
        shares = (f"{one.found:.3f}", right, f"{one.ranking:.3f}", f"{one.share:.3f}")
        classes.add_row(escape(str(one.name)), str(one.rows), *shares)
    out.print(classes)
    for warning in warnings_of(found):
        say(warning)
    confusion = Table("true \\ predicted", *map(escape, names))
    for name, row in zip(names, confusion_matrix(truth, predicted, labels=names), strict=True):
        confusion.add_row(escape(name), *map(str, row))
    out.print(confusion)


def inspect(model_path: ModelPath, top: Annotated[int, typer.Option(help="How many columns to show.")] = 15) -> None:
    """What a model file holds."""
    model = _load(model_path)
    facts = Table("fact", "value")
    facts.add_row("classifier", type(model).__name__)
    facts.add_row("classes", escape(", ".join(map(str, model.classes_))))
    facts.add_row("trained on", f"{model.n_labeled_} labeled and {model.n_unlabeled_} unlabeled rows")
    if model.label_model is not None:
        facts.add_row("labels", escape(str(model.label_model)))
    if isinstance(model, TableClassifier):
        facts.add_row("effort", model.effort)
        for of, weights in weights_by_class(model):
            facts.add_row(f"weights of the members{escape(of)}", weights)
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
    importances, names = model.feature_importances_, model._column_names
    for place in np.argsort(-importances, kind="stable")[:top]:
        columns.add_row(escape(names[place]), f"{importances[place]:.3f}")
    out.print(columns)


def weights_by_class(model: TableClassifier) -> list[tuple[str, str]]:
    """Of which class (nothing for two classes), and what each member counts."""
    several = len(model.weights_) > 1
    return [
        (f", {name}" if several else "", ", ".join(f"{member} {weight:.2f}" for member, weight in weights.items()))
        for name, weights in zip(model.classes_, model.weights_, strict=False)
    ]


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
