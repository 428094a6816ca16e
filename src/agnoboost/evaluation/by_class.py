"""How well each class is found: what an accuracy does not say where one class is rare."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import average_precision_score

from ..basics.typing import Floats
from ..labels.machine import MachineLeftOutWarning
from ..tables.encoder import LeftOutWarning

FEWEST_RANKED = 3  # rows of a class from which on its average precision says something


class NeverPredictedWarning(UserWarning):
    """A class that rows left out have, and that none of them is taken for."""


@contextmanager
def quiet_fits(of_classes: bool = True) -> Iterator[None]:
    """For fits whose decisions are not used, or of which classes, columns and machines are told in another way.

    Without ``of_classes`` it is said that a class is never predicted.
    """
    with warnings.catch_warnings():
        if of_classes:
            warnings.simplefilter("ignore", NeverPredictedWarning)
        warnings.simplefilter("ignore", LeftOutWarning)
        warnings.simplefilter("ignore", MachineLeftOutWarning)
        yield


@dataclass(frozen=True)
class ClassFigures:
    """One class among judged rows.

    ``found`` is the share of its rows that are predicted to be it (recall), ``right`` the share of its predictions that
    are right (precision), None where it is never predicted. ``ranking`` is the average precision of its probability
    (the area under the curve of precision against recall), to be held against ``share``, what a coin would get.
    """

    name: Any
    rows: int
    share: float
    found: float
    right: float | None
    ranking: float

    def __str__(self) -> str:
        right = "never predicted" if self.right is None else f"{self.right:.0%} of its predictions right"
        return (
            f"{self.name}: {self.rows} of the rows, {self.found:.0%} of them found, {right}; average precision "
            f"{self.ranking:.3f} (by chance {self.share:.3f})"
        )


def by_class(
    truth: npt.NDArray[Any], predicted: npt.NDArray[Any], probabilities: Floats, names: Sequence[Any]
) -> list[ClassFigures]:
    """Figures of every class that occurs among the rows; ``probabilities`` has a column for each of ``names``."""
    found = []
    for place, name in enumerate(names):
        own, said = np.asarray(truth == name), np.asarray(predicted == name)
        if own.any():
            right = float(np.mean(own[said])) if said.any() else None
            ranking = float(average_precision_score(own, probabilities[:, place])) if not own.all() else 1.0
            figures = (int(own.sum()), float(own.mean()), float(np.mean(said[own])), right, ranking)
            found.append(ClassFigures(name, *figures))
    return found


def warnings_of(
    figures: Sequence[ClassFigures],
    weigh: str = "class_weight='balanced'",
    move: str = "tune_threshold=True",
    *,
    moved: bool = False,
) -> list[str]:
    """What to say of classes that occur among the rows and that no row was predicted to be, and what to do about it.

    ``move`` is how to move the threshold; empty where there is none to move. ``moved`` says that it was moved: then no
    likeliest class has decided.
    """
    reason = "no row is on its side of the threshold" if moved else "no row is likelier of it than of another"
    ways = [*([] if moved else [f"weigh the classes ({weigh})"]), *([f"move the threshold ({move})"] if move else [])]
    return [
        f"Class {one.name} is never predicted, though {one.rows} of the rows ({_percent(one.share)}) are of it: "
        f"{reason}. {_what_helps(one, ' or '.join(ways))}"
        for one in figures
        if one.right is None
    ]


def _what_helps(one: ClassFigures, ways: str) -> str:
    found = f"(average precision {one.ranking:.3f}, by chance {one.share:.3f})"
    if one.rows < FEWEST_RANKED:
        return "These are too few to say more: label more of it."
    if one.ranking <= one.share:
        return f"Nor do its probabilities rank rows {found}: more labels of it may help, or columns that tell of it."
    return f"Its probabilities may still rank rows {found}." + (f" To find more of it, {ways}." if ways else "")


def _percent(share: float) -> str:
    """With one digit that counts, however small.

    >>> _percent(0.25), _percent(0.034), _percent(0.00012)
    ('25%', '3%', '0.01%')
    """
    return f"{share:.0%}" if share >= 0.01 else f"{100.0 * share:.1g}%"
