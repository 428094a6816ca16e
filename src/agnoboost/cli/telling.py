"""What ``agnoboost fit`` tells of a model: what was chosen, and how good it is."""

from __future__ import annotations

import shlex
from typing import Any

from ..estimators import TableClassifier
from ..estimators.threshold import written
from ..evaluation.by_class import warnings_of
from ..evaluation.goal import ACCURACY, Goal
from ..evaluation.held_out import HeldOutPredictions
from ..evaluation.ranking import no_help
from ..labels import CrowdVotes, LabelChannel
from ..labels.annotators import best_first
from ..tables.reading.findings import counted, listed
from .console import Facts, say
from .inspecting import blend_facts, model_facts, weights_by_class
from .label_models import is_judged_by_labels
from .scores import class_facts, interval
from .training_rows import TrainingRows

RARE = 0.2  # share of a class below which an accuracy says too little
LIKE_ERRORS = 2  # labeled rows of a class: so few may be mistyped labels


def say_what_was_chosen(model: Any) -> None:
    """In a few sentences."""
    if model.annotators_:
        say("Annotators, by how well their votes agree with those of the others:")
        for one in best_first(model.annotators_):
            say(f"  {one}")
    if isinstance(model, TableClassifier):
        for of, weights in weights_by_class(model):
            say(f"The model is a blend{of}: {weights}")
        if model.n_unlabeled_used_ < model.n_unlabeled_:
            say(f"{model.n_unlabeled_used_:,} rows stand for all {model.n_unlabeled_:,} that count as unlabeled.")
        return
    if model.shift_estimate_ is not None:
        say(f"{model.shift_estimate_}\nUsed {model.shift_:.2f} as the bound on the shift.")
    choice = model.history_.choice
    free = model.unlabeled_weight == "auto"
    weight = f"unlabeled weight {choice.unlabeled_weight:g}{'' if free else ' (as given)'}"
    say(f"Chose {model.n_rounds_} rounds and {weight}: {choice.reason}.")
    if model.n_unlabeled_ and choice.unlabeled_weight == 0:
        why = "nothing showed that they help" if free else "as --unlabeled-weight 0 asks"
        say(f"So the unlabeled rows were not used to train, only to place thresholds: {why}.")


def say_the_threshold(model: Any) -> None:
    """Where a tuned one has come to lie."""
    if model.threshold_ is not None:
        say(f"Threshold: {model.classes_[1]} is predicted from a probability of {written(model.threshold_)} on.")


def say_what_machines_were_worth(model: Any) -> None:
    """If there were any: how often each is right, where it errs, and what the model gained."""
    if (machines := getattr(model, "machines_", None)) is not None:
        say(str(machines))


def say_what_was_left_out(model: Any) -> None:
    """In the words of the command line: the warning of the library speaks of Python."""
    if names := model._encoder.left_out:
        how = shlex.quote(",".join(names))
        say(
            f"Not used, since every row has another value there, as in identifiers: {', '.join(names)}. "
            f"To use them all the same: --categorical {how}"
        )


def chosen_facts(model: Any) -> Facts:
    """The same as :func:`say_what_was_chosen`, for programs."""
    annotators = [
        {"name": one.name, "votes": one.votes, "right": one.right if one.votes else None} for one in model.annotators_
    ]
    facts = {**model_facts(model), "annotators": annotators}
    if isinstance(model, TableClassifier):
        return {**facts, "blend": blend_facts(model)}
    choice = model.history_.choice
    return {**facts, "rounds": model.n_rounds_, "unlabeled_weight": choice.unlabeled_weight, "reason": choice.reason}


def say_how_good(model: Any, judged: HeldOutPredictions | None, rows: TrainingRows, folds: int, compared: bool) -> None:
    """The estimate on labels left out, or why there is none; ``folds`` is how many were asked for."""
    if isinstance(model.label_model, LabelChannel):
        worth = model.label_model.worth(len(model.classes_)) * model.n_labeled_
        say(f"For their noise these {model.n_labeled_} labels are worth at best about {worth:.0f} clean ones.")
    if judged is not None:
        _say_figures(judged, Goal.of(model))
        _say_who_is_not_judged(judged, rows, folds)
        if isinstance(model.label_model, CrowdVotes):
            say("That is against the likelier class by the votes of each row, which may be wrong itself.")
        elif model.label_model is not None:
            say("That is against the labels as they are, flipped ones included; the true figure is mostly higher.")
        if getattr(model, "machines_", None) is not None:
            say(
                "Rows left out were left out with their machine labels, in other parts than above: "
                "so the two figures differ a little."
            )
        elif model.n_unlabeled_ and not compared:
            say("Unlabeled rows only show how values are spread here, so there is no comparison without them.")
    elif not is_judged_by_labels(model.label_model):
        say("No estimate of the accuracy: these labels cannot judge a model. Use evaluate on rows with true labels.")
    elif folds >= 2:
        counts = rows.counts
        few = f"class {counts.idxmin()} has only {counts.min()} labeled row"
        say(f"No estimate of the accuracy: {few if len(counts) > 1 else 'by the votes all rows are of one class'}.")


def _not_judged(judged: HeldOutPredictions, rows: TrainingRows) -> dict[Any, int]:
    """Classes without any judged row, and how many labeled rows they have."""
    names = set(judged.y.tolist())
    return {name: int(count) for name, count in rows.counts.items() if name not in names}


def _say_who_is_not_judged(judged: HeldOutPredictions, rows: TrainingRows, asked: int) -> None:
    if judged.folds < asked:
        say(f"{judged.folds} folds in place of {asked}: fewer than two classes have {asked} labeled rows.")
    if few := _not_judged(judged, rows):
        have = listed(f"class {name} has {counted(count, 'labeled row')}" for name, count in few.items())
        typed = "; a typing error?" if min(few.values()) <= LIKE_ERRORS else "."
        say(f"{have[0].upper()}{have[1:]}: learned, but too few to judge{typed}")


def good_facts(judged: HeldOutPredictions | None, rows: TrainingRows, goal: Goal) -> Facts:
    """The same for programs; null where there is no estimate."""
    names = ("accuracy", "tuned_for", "folds", "by_class", "not_judged", "without_unlabeled")
    if judged is None:
        return dict.fromkeys(names)
    alone = judged.without_unlabeled
    without = None if alone is None else dict(zip(("accuracy", "gain", "half_interval"), alone, strict=True))
    figures = [class_facts(one, one.name) for one in judged.by_class]
    few = [{"name": name, "rows": count} for name, count in _not_judged(judged, rows).items()]
    tuned = goal.name != ACCURACY
    tuned_for = {"figure": goal.name, **interval(goal.figure(judged.y, judged.right))} if tuned else None
    found = (interval(judged.accuracy), tuned_for, judged.folds, figures, few, without)
    return dict(zip(names, found, strict=True))


def _say_figures(judged: HeldOutPredictions, goal: Goal) -> None:
    """First the figure that the model was tuned for."""
    if not judged.knows_something:
        say(no_help(judged.y))
    if goal.name != ACCURACY:
        value, least, most = goal.figure(judged.y, judged.right)
        name = f"{goal.name[0].upper()}{goal.name[1:]}"
        say(f"{name} on labels left out: {value:.3f} (about 95% interval {least:.3f} to {most:.3f}).")
    share, low, high = judged.accuracy
    say(
        f"Accuracy on labels left out: {share:.3f} (about 95% interval {low:.3f} to {high:.3f}; {judged.folds}-fold "
        "cross-validation, every choice made inside the folds)."
    )
    figures = judged.by_class
    if min(one.share for one in figures) < RARE or warnings_of(figures):
        for one in figures:
            say(f"  {one}")
        move = "--tune-threshold" if len(figures) == 2 else ""
        for warning in warnings_of(figures, "--class-weight balanced", move):
            say(warning)
    if judged.without_unlabeled is not None:
        alone, difference, half = judged.without_unlabeled
        verdict = "no clear difference"
        if abs(difference) > half:
            verdict = "unlabeled rows help" if difference > 0 else "unlabeled rows hurt"
        say(f"Without the unlabeled rows: {alone:.3f} (difference {difference:+.3f} +- {half:.3f}: {verdict}).")
