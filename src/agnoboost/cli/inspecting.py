"""``agnoboost inspect``: what a model file holds."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Column, Table

from ..basics.places import STANDARD
from ..estimators import TableClassifier
from ..estimators.threshold import written
from ..explain.column_shares import column_shares
from ..files import fingerprint
from .console import Facts, cell, out, say
from .model_rows import ModelPath, load_model

MOST_PARTS = 6  # of a column that are named


def inspect(model_path: ModelPath, top: Annotated[int, typer.Option(help="How many columns to show.")] = 15) -> Facts:
    """What a model file holds."""
    model = load_model(model_path)
    facts = {
        **model_facts(model),
        "features": model._encoder.names,
        "label_model": None if model.label_model is None else str(model.label_model),
        "fingerprint": None if model_path == STANDARD else fingerprint(model_path),
    }
    rows = [
        ("classifier", facts["classifier"]),
        ("classes", ", ".join(map(str, model.classes_))),
        ("trained on", f"{model.n_labeled_} labeled and {model.n_unlabeled_} unlabeled rows"),
    ]
    if model.label_model is not None:
        rows.append(("labels", facts["label_model"]))
    if model.threshold_ is not None:
        rows.append(("threshold", f"{model.classes_[1]} from a probability of {written(model.threshold_)} on"))
    if model._encoder.left_out:
        rows.append(("columns that are not used", ", ".join(model._encoder.left_out)))
    rows += _several(model)
    more, parts = _of_table(model) if isinstance(model, TableClassifier) else _of_boosting(model)
    _show("fact", "value", [*rows, *parts])
    if facts["fingerprint"] is not None:
        say(f"fingerprint (SHA-256): {facts['fingerprint']}")  # in one piece, however narrow the terminal is
    found = column_shares(model)
    if found is None:  # files of earlier versions
        return facts | more
    order = np.argsort(-found.shares, kind="stable")
    shares = {model._column_names[place]: found.shares[place] for place in order}  # the largest first
    _show("column", f"share of {found.of}", [(name, f"{share:.3f}") for name, share in list(shares.items())[:top]])
    return facts | more | {"column_shares": shares}


def _several(model: Any) -> list[tuple[str, str]]:
    """Columns of which several features were made."""
    found: dict[int, list[str]] = {}
    for source, name in zip(model._encoder.sources, model._encoder.names, strict=True):
        found.setdefault(source, []).append(name)
    rows = []
    for source, names in found.items():
        if len(names) > 1:
            column = model._column_names[source]
            parts = [name.removeprefix(f"{column}: ") for name in names]
            more = f", ... ({len(parts)} in all)" if len(parts) > MOST_PARTS else ""
            rows.append((f"made of {column}", ", ".join(parts[:MOST_PARTS]) + more))
    return rows


def _of_table(model: TableClassifier) -> tuple[Facts, list[tuple[str, str]]]:
    parts = [("effort", model.effort), *((f"a blend of{of}", weights) for of, weights in weights_by_class(model))]
    if (machines := model.machines_) is not None:
        parts += [
            (f"machine labels: {one.name}", " ".join(one.sentences(machines.classes))) for one in machines.machines
        ]
        said = [machines.no_gains] if machines.no_gains else map(str, machines.gains)
        parts += [("worth of machine labels", one) for one in said]
    return {"effort": model.effort, "blend": blend_facts(model)}, parts


def _of_boosting(model: Any) -> tuple[Facts, list[tuple[str, str]]]:
    steps = sum(map(len, model.tape_ if isinstance(model.tape_, list) else [model.tape_]))
    shrunk = int(sum((run["branch"] == "B").sum() for run in model.history_.runs))
    choice = model.history_.choice
    facts = {
        "algorithm": model.algorithm,
        "weak_learner": model.weak_learner,
        "rounds": model.n_rounds_,
        "unlabeled_weight": choice.unlabeled_weight,
        "reason": choice.reason,
    }
    parts = [
        ("algorithm, weak learner", f"{model.algorithm}, {model.weak_learner}"),
        ("rounds", f"{model.n_rounds_} ({shrunk} of {steps} steps made all scores smaller instead of adding to them)"),
        ("weight of unlabeled rows", f"{choice.unlabeled_weight:g}"),
        ("why", choice.reason),
    ]
    return facts, parts


def _show(first: str, second: str, rows: list[tuple[str, str]]) -> None:
    table = Table(Column(first, overflow="fold"), Column(second, overflow="fold"))  # nothing is cut off
    for name, value in rows:
        table.add_row(cell(name), cell(value))
    out.print(table)


def model_facts(model: Any) -> Facts:
    """What every model says of itself to programs."""
    return {
        "classifier": type(model).__name__,
        "classes": model.classes_.tolist(),
        "labeled_rows": model.n_labeled_,
        "unlabeled_rows": model.n_unlabeled_,
        "columns": list(model._column_names),
        "left_out": model._encoder.left_out,
        "threshold": model.threshold_,
        "machines": None if (machines := getattr(model, "machines_", None)) is None else machines.facts(),
    }


def weights_by_class(model: TableClassifier) -> list[tuple[str, str]]:
    """Of which class (nothing for two classes), and what each part of the blend counts."""
    several = len(model.weights_) > 1
    return [
        (f", {name}" if several else "", ", ".join(f"{part} {weight:.2f}" for part, weight in weights.items()))
        for name, weights in zip(model.classes_, model.weights_, strict=False)
    ]


def blend_facts(model: TableClassifier) -> list[Facts]:
    """What each part of the blend counts, for every class; of two classes for the second alone."""
    names = model.classes_.tolist() if len(model.weights_) > 1 else model.classes_.tolist()[1:]
    return [{"class": name, "weights": weights} for name, weights in zip(names, model.weights_, strict=True)]
