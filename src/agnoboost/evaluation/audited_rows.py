"""What an audit looks at: predictions, gold labels with gaps, machine labels and weights, on one list of classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.suggestions import same_but_for_case
from ..basics.typing import Bools, Floats, Ints
from ..labels.machine import check_class_columns, class_shares, is_other_code, of_other_code
from ..labels.reading import UNLABELED, as_column, known_rows, mark_beside, refuse_empty_text, rows_said, shown
from .machine_gaps import without_chance_gaps
from .unchecked_rows import tell_of_unchecked


@dataclass(frozen=True, eq=False)  # arrays have no single answer
class Predictions:
    """Of a classifier: a class for each row, and a probability for each of ``classes``, or None."""

    said: npt.NDArray[Any]
    probabilities: Floats | None
    classes: list[Any]


@dataclass(frozen=True, eq=False)
class AuditedRows:
    """Rows with classes as numbers.

    Attributes
    ----------
    classes : list
        Those of the model, then others that gold or machine labels have.
    known_classes : int
        How many of them the model knows.
    said, gold : array of int
        What the model says, and gold labels, -1 where there is none.
    probabilities : array of shape (rows, classes), or None
        Of the model.
    machine : array of shape (rows, classes)
        What the machine says, as probabilities.
    spoken : array of bool
        Where it says something itself; elsewhere the model speaks for it, or its mean.
    weight : array
        For how many rows each gold row stands, with sum the number of rows; 0 for others.
    equal_weights : bool
        Whether all gold rows were equally likely to be drawn.
    machine_unused : bool
        Whether the model speaks for the machine on all rows, since gaps of the machine go along with gold labels.
    """

    classes: list[Any]
    known_classes: int
    said: Ints
    gold: Ints
    probabilities: Floats | None
    machine: Floats
    spoken: Bools
    weight: Floats
    equal_weights: bool
    machine_unused: bool = False

    @property
    def known(self) -> Bools:
        return np.asarray(self.gold != UNLABELED)


def predictions_of(model: Any, X: Any) -> Predictions:
    """What a fitted classifier says."""
    said = np.asarray(model.predict(X))
    p = np.asarray(model.predict_proba(X), dtype=np.float64) if hasattr(model, "predict_proba") else None
    return checked(said, p, getattr(model, "classes_", None))


def checked(said: Any, probabilities: Any, classes: Any) -> Predictions:
    """Predictions whose shapes fit together; without ``classes`` they are those that were said."""
    column = as_column(said)
    if column.ndim != 1 or not len(column):
        raise ValueError(f"predicted must hold a class for each row. Got shape {column.shape}.")
    known = np.unique(column) if classes is None else as_column(classes)
    names = _plain(np.atleast_1d(known))
    if known.ndim != 1 or len(set(names)) < len(names):
        raise ValueError(f"classes must be a list of different names, one for each class. Got {classes!r}.")
    if strangers := _others(_plain(column), names):
        raise ValueError(f"predicted must hold classes of {names}. Got {shown(strangers[0])}. Pass all as classes.")
    if probabilities is None:
        return Predictions(column, None, names)
    p = np.asarray(probabilities, dtype=np.float64)
    p = np.column_stack([1.0 - p, p]) if p.ndim == 1 and len(names) == 2 else p
    if p.shape != (len(column), len(names)) or not _are_probabilities(p):
        raise ValueError(
            f"probabilities must have a row for each of {len(column)} predictions and a column for each class "
            f"({names}), and sum to 1. Got shape {p.shape}. Pass the names of the columns as classes."
        )
    return Predictions(column, p, names)


def read_audited(
    predictions: Predictions, y: Any, machine_labels: Any, sampling_probability: Any, missing_label: Any
) -> AuditedRows:
    """All that is known of the rows, or a sentence on what does not fit."""
    rows, names = len(predictions.said), predictions.classes
    column, known = gold_column(y, predictions, missing_label)
    if not known.any():
        raise ValueError(f"y must hold gold labels. Got none among {rows} rows. Have some rows checked first.")
    golden = _plain(column[known])
    strangers = _others(golden, names)
    _refuse_other_letters("y", strangers, names)
    if len(strangers) == len(set(golden)):
        raise ValueError(
            f"y must hold classes that the model knows ({_listed(names)}). Got only others, such as "
            f"{shown(strangers[0])}. Are they of another type?"
        )
    if (fraction := _fraction(strangers, names)) is not None:
        raise ValueError(
            f"y must hold classes that the model knows ({_listed(names)}). Got {fraction!r} beside them. Gold labels "
            "are classes, not probabilities."
        )
    found = rows_without_gold(predictions, machine_labels, strangers, missing_label)
    gold = np.full(rows, UNLABELED)
    gold[known] = _codes(golden, found.classes)
    weight = _weights(sampling_probability, known)
    equal = bool(np.ptp(weight[known]) <= 1e-9 * weight.max())
    machine = without_chance_gaps(found.machine, found.spoken, weight, equal, found.probabilities)
    unused = machine is found.probabilities  # themselves: what was filled in is a copy
    return replace(found, gold=gold, machine=machine, machine_unused=unused, weight=weight, equal_weights=equal)


def gold_column(y: Any, predictions: Predictions, missing_label: Any) -> tuple[npt.NDArray[Any], Bools]:
    """Gold labels, and which rows have one."""
    column = _one_for_each(y, len(predictions.said), "y", "a gold label, or NaN,")
    return column, known_rows(column, mark_beside(predictions.classes, missing_label))


def rows_without_gold(
    predictions: Predictions, machine_labels: Any, more: Sequence[Any] = (), missing_label: Any = "auto"
) -> AuditedRows:
    """What model and machine say; ``more`` are classes that the model does not know."""
    machine, others = _read_machine(machine_labels, predictions, [*predictions.classes, *more], missing_label)
    classes = [*predictions.classes, *more, *others]
    own, rows = predictions.probabilities, len(predictions.said)
    return AuditedRows(
        classes,
        len(predictions.classes),
        _codes(_plain(predictions.said), classes),
        np.full(rows, UNLABELED),
        None if own is None else _with_columns(own, len(classes)),
        _filled(_with_columns(machine, len(classes)), own),
        np.asarray(~np.isnan(machine).any(axis=1)),
        np.zeros(rows),
        True,
    )


def _read_machine(
    given: Any, predictions: Predictions, classes: list[Any], missing_label: Any
) -> tuple[Floats, list[Any]]:
    """Machine labels as probabilities, NaN where there are none, and classes that only the machine has."""
    own = predictions.probabilities
    if given is None:
        if own is None:
            raise ValueError(
                "machine_labels must be given for a model without predict_proba. Got None. Pass what a machine says "
                "of each row, or the model's probabilities."
            )
        return own, []
    if isinstance(given, Mapping):
        raise ValueError(
            f"machine_labels must be those of one machine: a column, or a probability for each class. Got "
            f"{type(given).__name__} of {len(given)}. Pass the column of one, then that of another."
        )
    rows, table = len(predictions.said), as_column(given)
    if table.ndim == 2:
        return _soft_table(given, rows, predictions.classes), []
    column = _one_for_each(table, rows, "machine_labels", "a label, a probability, or NaN,")
    here = rows_said(column, classes, missing_label)
    if not here.any():
        raise ValueError("machine_labels must hold labels. Got none. Leave them out to use the model's probabilities.")
    refuse_empty_text(column[here], "machine_labels")
    values = _plain(column[here])
    others = _others(values, classes)
    if others and len(predictions.classes) == 2 and _are_shares(values):
        if is_other_code(values, predictions.classes):
            raise ValueError(f"machine_labels: {of_other_code(predictions.classes)}")
        second = np.full(rows, np.nan)
        second[here] = values
        return np.column_stack([1.0 - second, second]), []
    _refuse_other_letters("machine_labels", others, classes)
    fraction = _fraction(others, classes)
    if len(others) == len(set(values)) or fraction is not None:
        raise ValueError(
            f"machine_labels must hold classes ({_listed(classes)}), or a probability for each class, between 0 and 1. "
            + (f"Got only others, such as {shown(others[0])}. Are they of another type?" if fraction is None else "")
            + ("" if fraction is None else f"Got {fraction!r} beside numbers that are no probabilities.")
        )
    hard = np.full((rows, len(classes) + len(others)), np.nan)
    hard[here] = np.eye(len(classes) + len(others))[_codes(values, [*classes, *others])]
    return hard, others


def _soft_table(given: Any, rows: int, classes: list[Any]) -> Floats:
    """Probabilities of all classes; columns of a frame must bear the names of the classes."""
    names = np.array(classes)
    check_class_columns(given, names)
    try:
        soft = class_shares(given, names)
    except (TypeError, ValueError):
        soft = np.full((rows, 0), np.nan)  # texts
    here = ~np.isnan(soft).any(axis=1)
    if soft.shape != (rows, len(classes)) or not here.any() or not _are_probabilities(soft[here]):
        raise ValueError(
            f"machine_labels of several columns must have a probability for each of {rows} rows and {len(classes)} "
            f"classes, which sum to 1. Got shape {np.shape(given)}. Pass its columns in the order of the model's "
            f"classes, {_listed(classes)}, or a single column of labels."
        )
    return soft


def _filled(machine: Floats, own: Floats | None) -> Floats:
    """Where the machine is silent the model speaks, or the machine's mean."""
    gaps = np.isnan(machine).any(axis=1)
    filled = machine.copy()
    filled[gaps] = machine[~gaps].mean(axis=0) if own is None else _with_columns(own, machine.shape[1])[gaps]
    return filled


def _weights(sampling_probability: Any, known: Bools) -> Floats:
    """1/probability for gold rows, scaled to the number of rows."""
    weight = np.zeros(len(known))
    if sampling_probability is None:
        weight[known] = 1.0
    else:
        chance = chances_of(sampling_probability, len(known))
        drawn = chance[known]
        if (wrong := drawn[~((drawn > 0.0) & (drawn <= 1.0))]).size:
            raise ValueError(
                "sampling_probability must be above 0 and at most 1 for every row with a gold label: it is the "
                f"probability to be chosen for the audit. Got {shown(wrong[0])}."
            )
        tell_of_unchecked(chance, known)
        weight[known] = 1.0 / drawn
    return np.asarray(weight * (len(known) / weight.sum()))


def chances_of(sampling_probability: Any, rows: int) -> Floats:
    """A number for each row, NaN where there is none."""
    chance = _one_for_each(sampling_probability, rows, "sampling_probability", "a probability, or NaN,")
    try:
        return np.array([np.nan if value is None else value for value in chance], dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"sampling_probability must hold numbers. Got values such as {shown(chance[0])}.") from None


def _one_for_each(values: Any, rows: int, name: str, what: str) -> npt.NDArray[Any]:
    column = as_column(values)
    if column.shape != (rows,):
        raise ValueError(f"{name} must hold {what} for each of the {rows} rows. Got shape {column.shape}.")
    return column


def _plain(values: npt.NDArray[Any]) -> list[Any]:
    """Labels as Python has them, so that 1 and 1.0 are the same."""
    return list(values.tolist())


def _others(values: Iterable[Any], known: list[Any]) -> list[Any]:
    """Labels that are not known, in the order in which they come."""
    return [value for value in dict.fromkeys(values) if value not in known]


def _refuse_other_letters(name: str, strangers: list[Any], known: list[Any]) -> None:
    """``Yes`` beside ``yes`` would be one more class, and make every figure wrong."""
    if hint := same_but_for_case(strangers, known):
        raise ValueError(f"{name} must hold classes ({_listed(known)}). Got {_listed(strangers[:5])}.{hint}")


def _fraction(strangers: list[Any], classes: list[Any]) -> float | None:
    """A number that looks like a probability and not like one more class, if there is one."""
    if any(isinstance(name, float) and not name.is_integer() for name in classes):
        return None
    return next((one for one in strangers if isinstance(one, float) and not one.is_integer()), None)


def _listed(classes: list[Any]) -> str:
    return ", ".join(map(shown, classes))


def _codes(values: list[Any], classes: list[Any]) -> Ints:
    place = {name: number for number, name in enumerate(classes)}
    return np.array([place[value] for value in values], dtype=np.int64)


def _with_columns(p: Floats, count: int) -> Floats:
    """With columns of zeros for further classes."""
    return np.pad(p, ((0, 0), (0, count - p.shape[1])))


def _are_probabilities(p: Floats) -> bool:
    return bool((p >= 0.0).all() and np.allclose(p.sum(axis=1), 1.0, atol=1e-4))


def _are_shares(values: list[Any]) -> bool:
    return all(isinstance(value, (int, float)) and 0.0 <= value <= 1.0 for value in values)
