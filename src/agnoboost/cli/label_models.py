"""Label models, as they are written on the command line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..basics.suggestions import did_you_mean, same_but_for_case
from ..labels import (
    ComplementaryLabels,
    CrowdVotes,
    FlipRates,
    LabelChannel,
    LabelModel,
    NoiseMatrix,
    PositiveUnlabeled,
    RandomisedResponse,
    SoftLabels,
)
from ..labels.machine import is_other_code, of_other_code
from ..labels.reading import check_come_again, read_labels
from ..tables.label_marks import LabelMarks, is_marked, label_marks
from .console import UserError

HELP = (
    "What labels stand for, if not for themselves: probability, signed (soft labels), flips:RATE, "
    "flips:POSITIVE,NEGATIVE (known flip rates), matrix:ROW;ROW (chances of each label, a row for each true class), "
    "private:EPSILON (randomised on purpose), not-class (a label says what a row is not), positives:SHARE (one class "
    "and rows without label, of which this share is of the class), positives:SHARE,together (the same, where SHARE is "
    "that of all rows, labeled ones included); majority (with --votes)."
)
TOGETHER = ",together"
TRUTHS = {"0": False, "false": False, "1": True, "true": True}
NAMES = ("probability", "signed", "flips", "matrix", "private", "not-class", "positives")


def read_label_model(text: str | None, votes: bool = False) -> LabelModel | None:
    """What was written on the command line; ``votes`` says that labels come from several annotators.

    >>> read_label_model("flips:0.3,0.1")
    FlipRates(rate=None, positive=0.3, negative=0.1)
    """
    if votes:
        return _votes_model(text)
    if text is None:
        return None
    name, _, numbers = text.partition(":")
    if name == "positives" and numbers.endswith(TOGETHER):
        return _made(PositiveUnlabeled, text, prior=_number(numbers.removesuffix(TOGETHER)), together=True)
    try:
        table = [[float(number) for number in row.split(",")] for row in numbers.split(";")] if numbers else [[]]
    except ValueError:
        table = [[np.nan] * 9]
    if name == "matrix" and numbers:
        return _matrix(text, table)
    values = table[0] if len(table) == 1 else []
    if name in ("probability", "signed") and not values:
        return SoftLabels(name)
    if name == "flips" and len(values) == 1:
        return _made(FlipRates, text, rate=values[0])
    if name == "flips" and len(values) == 2:
        return _made(FlipRates, text, positive=values[0], negative=values[1])
    if name == "private" and len(values) == 1:
        return _made(RandomisedResponse, text, epsilon=values[0])
    if name == "not-class" and not numbers:
        return ComplementaryLabels()
    if name == "positives" and len(values) == 1:
        return _made(PositiveUnlabeled, text, prior=values[0])
    raise UserError(
        "--label-model must be probability, signed, flips:RATE, flips:POSITIVE,NEGATIVE, matrix:ROW;ROW, "
        "private:EPSILON, not-class, positives:SHARE or positives:SHARE,together. "
        f"Got {text!r}.{'' if name in NAMES else did_you_mean(name, NAMES)}"
    )


def _number(text: str) -> float | str:
    """Or the text, which is then refused."""
    try:
        return float(text)
    except ValueError:
        return text


def _made(kind: type[LabelModel], text: str, **values: Any) -> LabelModel:
    """The label model, or what is wrong with its numbers, before anything is read."""
    try:
        return kind(**values)
    except ValueError as error:
        raise UserError(f"--label-model {text}: {error}") from None


def _matrix(text: str, table: list[list[float]]) -> LabelModel:
    """Rows and columns are the classes in sorted order."""
    if len({len(table), *map(len, table)}) > 1 or np.isnan(table).any():
        raise UserError(
            "--label-model matrix must have a row for each true class and a number for each label in it, both in "
            f"sorted order, such as matrix:0.9,0.1;0.3,0.7. Got {text!r}."
        )
    return _made(NoiseMatrix, text, chances_of=table)


def _votes_model(text: str | None) -> LabelModel:
    if text not in (None, "majority"):
        raise UserError(
            "With --votes annotators are weighed by how well they agree with the others; --label-model may only be "
            f"majority, which counts all the same. Got {text!r}."
        )
    return CrowdVotes() if text is None else CrowdVotes("majority")


def is_judged_by_labels(model: LabelModel | None) -> bool:
    """Whether held-out labels, as they are or as most annotators have it, can say how good a model is."""
    return model is None or isinstance(model, CrowdVotes) or (isinstance(model, LabelChannel) and model.names_classes)


def plain_labels(column: pd.Series) -> npt.NDArray[Any]:
    """Labels as they were meant: whole numbers that gaps have turned into floats become whole again."""
    values = column.to_numpy(dtype=object, copy=True)
    gaps = column.isna().to_numpy()
    if column.dtype.kind in "iuf" and all(float(v).is_integer() for v in values[~gaps]):
        values = np.array([None if gap else int(v) for v, gap in zip(values, gaps, strict=True)], dtype=object)
    values[gaps] = None
    return np.asarray(values)


def without_marks(column: pd.Series, missing_label: LabelMarks) -> pd.Series:
    """The column with gaps where the user's marks stand."""
    return column.where(~is_marked(column, missing_label))


def label_column(
    column: pd.Series, name: str, label_model: LabelModel | None, missing_label: LabelMarks
) -> npt.NDArray[Any]:
    """Labels with None for every unlabeled row, by the estimator's conventions or by marks of the user's."""
    if isinstance(label_model, SoftLabels):
        return _soft_column(column, name)
    y = plain_labels(column)
    if marks := label_marks(missing_label):
        found = np.array([None if value is None or str(value) in marks else value for value in y], dtype=object)
        check_come_again(list(Counter(value for value in found if value is not None).values()))
        return found
    if isinstance(label_model, PositiveUnlabeled):
        return y
    labels = read_labels(y)
    found = labels.classes.astype(object)[labels.codes]
    found[~labels.known] = None
    return np.asarray(found)


def vote_columns(columns: list[pd.Series], missing_label: LabelMarks) -> pd.DataFrame:
    """A column for each annotator, under his name, with None where one has not voted."""
    votes = np.column_stack([plain_labels(column) for column in columns])
    votes[np.isin(votes.astype(str), label_marks(missing_label))] = None
    if not any(vote is not None for vote in votes.flat):
        raise UserError("The columns of --votes must hold votes. All their cells are empty.")
    return pd.DataFrame(votes, columns=[column.name for column in columns], dtype=object)


def as_classes(values: list[Any], classes: list[Any]) -> list[Any]:
    """Values as the classes that they name: the same text, or the same truth value in whatever letters."""
    written = {str(name): name for name in classes}
    truths = {TRUTHS.get(text.lower()): name for text, name in written.items()}
    if set(truths) != {False, True}:
        truths = {}
    return [
        None if one is None else written.get(str(one), truths.get(TRUTHS.get(str(one).lower()), one)) for one in values
    ]


def machine_column(
    column: pd.Series,
    name: str,
    classes: list[Any],
    missing_label: LabelMarks,
    whose: str = "the label column",
    more: Sequence[Any] = (),
) -> npt.NDArray[Any]:
    """What a machine says of the rows, as classes or as probabilities of the second of two; None where nothing.

    In a column of texts a class may stand as text that is a number or a truth value in the column of labels. ``more``
    are further classes that it may name.
    """
    found = as_classes(plain_labels(without_marks(column, missing_label)).tolist(), classes)
    found = as_classes(found, [*classes, *more]) if more else found
    known = {value for value in found if value is not None}
    if -1 in known and -1 not in classes:  # as in the column of labels
        known, found = known - {-1}, [None if value == -1 else value for value in found]
    if not known:
        raise UserError(f"The column {name!r} of --machine-column must hold labels. All its cells are empty.")
    strange = Counter(str(value) for value in found if value is not None and value not in [*classes, *more])
    shares = len(classes) == 2 and all(isinstance(value, (int, float)) and 0 <= value <= 1 for value in known)
    if strange and shares and is_other_code(known, classes):
        raise UserError(f"The column {name!r} of --machine-column: {of_other_code(classes)}")
    if strange and not shares:
        raise UserError(
            f"The column {name!r} of --machine-column must hold the classes of {whose}, "
            f"{', '.join(map(str, classes))}{f', or probabilities of {classes[1]}' if len(classes) == 2 else ''}. Got "
            f"{', '.join(f'{value} ({count:,} rows)' for value, count in strange.most_common(8))}."
            f"{same_but_for_case(strange, map(str, classes))} Write them alike, and leave cells without an answer "
            "empty, or name their mark: --missing-label unsure. A class without any checked row needs one: check a row "
            "that is of it, or empty these cells."
        )
    return np.array(found, dtype=object)


def _soft_column(column: pd.Series, name: str) -> npt.NDArray[Any]:
    """Soft labels, with None for empty cells."""
    try:
        values = pd.to_numeric(column)
    except (TypeError, ValueError):
        found = column.dropna().iloc[0]
        raise UserError(f"The column {name!r} must hold numbers, being soft labels. Got {found!r}.") from None
    return np.array([None if pd.isna(value) else float(value) for value in values], dtype=object)
