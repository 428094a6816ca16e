"""From options of ``agnoboost fit`` to a classifier. What was not given is left to the classifier."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from ..basics.suggestions import did_you_mean
from ..estimators import AgnosticBoostingClassifier, FewLabelClassifier, TableClassifier
from .console import UserError


class Classifier(StrEnum):
    """Which of our classifiers."""

    table = "table"
    boosting = "boosting"
    few_labels = "few-labels"  # the first name of table


class Effort(StrEnum):
    """How much work ``table`` may be."""

    full = "full"
    fast = "fast"


FLAGS = {"n_rounds": "--rounds"}  # where option and parameter have different names


def make_classifier(
    kind: Classifier, common: dict[str, Any], effort: Effort | None, boosting: Mapping[str, Any], jobs: int
) -> Any:
    """The classifier with what was given; an option of another classifier is refused."""
    given = {name: value for name, value in boosting.items() if value is not None}
    if kind is Classifier.boosting:
        if effort is not None:
            raise UserError("--effort is for --classifier table. Leave it out; --rounds limits the work of boosting.")
        return AgnosticBoostingClassifier(**_read(given), n_jobs=jobs, **common)
    for name in given:
        option = FLAGS.get(name, "--" + name.replace("_", "-"))
        raise UserError(f"{option} is for --classifier boosting. Leave it out, or choose that classifier.")
    if effort is not None:
        common = {**common, "effort": effort.value}
    made = TableClassifier if kind is Classifier.table else FewLabelClassifier
    return made(n_jobs=None if jobs < 0 else jobs, **common)


def by_class(texts: Iterable[str], classes: Iterable[Any], option: str) -> dict[Any, float]:
    """A number for each class, as in ``--cost fraud=20``; 1 for those that are not named.

    >>> by_class(["1=20"], [0, 1], "--cost")
    {0: 1.0, 1: 20.0}
    """
    names = {str(name): name for name in classes}
    numbers = dict.fromkeys(names.values(), 1.0)
    given: dict[str, str] = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        if name in given:
            raise UserError(f"{option} must name each class once. Got {given[name]} and {text}. Leave one of them out.")
        given[name] = text
        if name not in names:
            near = did_you_mean(name, names)
            raise UserError(f"{option} must be CLASS=NUMBER, with a class of {', '.join(names)}. Got {text!r}.{near}")
        try:
            numbers[names[name]] = float(number)
        except ValueError:
            raise UserError(f"{option} must be CLASS=NUMBER, such as {name}=20. Got {text!r}.") from None
    return numbers


def class_weights(texts: list[str], classes: Iterable[Any]) -> Any:
    """balanced, or a weight for each class; None if nothing was given."""
    if not texts:
        return None
    if texts == ["balanced"]:
        return "balanced"
    if all("=" not in text for text in texts):
        near = did_you_mean(texts[0], ["balanced"])
        raise UserError(f"--class-weight must be balanced or CLASS=NUMBER. Got {texts[0]!r}.{near}")
    weights = by_class(texts, classes, "--class-weight")
    for name, weight in weights.items():
        if not (0.0 < weight < float("inf")):
            raise UserError(
                f"--class-weight must be a number above 0. Got {weight:g} for {name}. To leave a class out, leave out "
                "its rows."
            )
    return weights


def _read(given: dict[str, Any]) -> dict[str, Any]:
    """Values as the classifier knows them: options that may be words or numbers come as text."""
    readers = {"batch_size": _batch, "step_size": _step, "unlabeled_weight": _weight, "shift": _shift}
    return {name: readers[name](value) if name in readers else value for name, value in given.items()}


def check_jobs(jobs: int) -> None:
    """Complain before any work."""
    if jobs < 1 and jobs != -1:
        raise UserError(f"--jobs must be a whole number of at least 1, or -1 for all cores. Got {jobs}.")


def check_threshold_options(tuned: bool, cost: list[str], class_weight: list[str], classes: int) -> None:
    """What the library would refuse later, in the words of the command line."""
    if cost and tuned:
        raise UserError("--cost and --tune-threshold both place the threshold. Leave one of them out.")
    option = "--cost" if cost else "--tune-threshold"
    if (tuned or cost) and classes > 2:
        instead = " ".join(f"--class-weight {one}" for one in cost) or "--class-weight balanced"
        raise UserError(f"{option} is for two classes. Got {classes}. Use {instead}.")
    if cost and class_weight:
        raise UserError("--cost and --class-weight both weigh the classes. Leave one of them out.")


def _batch(text: str) -> int | str | None:
    if text in ("all", "bootstrap"):
        return None if text == "all" else text
    if not text.isdecimal() or int(text) == 0:
        raise UserError(f"--batch-size must be bootstrap, all, or a whole number of rows. Got {text!r}.")
    return int(text)


def _weight(text: str) -> float | str:
    return _number_or_auto(text, "--unlabeled-weight", "a number from 0 to 1")


def _step(text: str) -> float | str:
    return _number_or_auto(text, "--step-size", "a positive number")


def _shift(text: str) -> float | str:
    return _number_or_auto(text, "--shift", "a number of at least 1")


def _number_or_auto(text: str, option: str, expected: str) -> float | str:
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise UserError(f"{option} must be auto or {expected}. Got {text!r}.") from None
