"""All that the sections of a report speak of, worked out once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.gaps import is_gap
from ..basics.typing import Ints
from ..evaluation.goal import Goal
from ..evaluation.held_out import HeldOutPredictions
from ..evaluation.machine_worth import MachineWorth
from ..evaluation.suspicious import SuspiciousLabels, suspicious_labels, unweighted
from ..labels import PositiveUnlabeled
from ..tables.reading.grid import as_text
from .alternatives import Alternative, alternatives
from .checks import DataChecks, checks
from .learned import Learned, learned
from .scores import CalibrationBin, OneClass, calibration

FEWEST = 50  # labels: below, probabilities say too little of single ones
USUAL = 0.5  # the threshold for two classes that nobody has moved


@dataclass(frozen=True)
class Case:
    """A model, the table and the labels it learned from (None for rows without), and how it was judged."""

    model: Any
    X: Any
    y: npt.NDArray[Any]
    judged: HeldOutPredictions | None
    target: str
    source: str
    model_file: str = "model.agno"  # what commands in the advice call it

    @cached_property
    def labeled(self) -> Ints:
        """The numbers of the labeled rows."""
        return np.flatnonzero([not is_gap(value) for value in self.y])

    @cached_property
    def judged_rows(self) -> Ints:
        """The numbers of the rows by which the model was judged: labeled ones, but those of classes with very few."""
        names = set() if self.judged is None else {as_text(name) for name in set(self.judged.y.tolist())}
        return np.array([row for row in self.labeled.tolist() if as_text(self.y[row]) in names], dtype=np.int64)

    @property
    def without_label(self) -> int:
        """Rows without label, in the table and beside it. Positives may count as unlabeled, too: they have one."""
        known = getattr(self.model, "label_model", None)
        both = isinstance(known, PositiveUnlabeled) and known.together
        return int(self.model.n_unlabeled_) - both * len(self.labeled)

    @cached_property
    def names(self) -> list[str]:
        """Classes as the model knows them; gaps beside whole numbers make 1.0 of 1, which is "1" all the same."""
        return [as_text(name) for name in self.model.classes_.tolist()]

    @property
    def label_counts(self) -> Counter[str]:
        """How often each label occurs."""
        return Counter(as_text(self.y[row]) for row in self.labeled)

    @property
    def not_used(self) -> list[str]:
        """Columns that the model left out by itself."""
        encoder = getattr(self.model, "_encoder", None)
        return [] if encoder is None else encoder.left_out

    def may_be_categories(self, name: str) -> bool:
        """Whether the model reads a column as categories; True where that is not known."""
        readers = getattr(getattr(self.model, "_encoder", None), "readers", None)
        if not readers:
            return True
        names = [column.name for column in self.checks.columns]
        return bool(readers[names.index(name)].categories)

    @property
    def machines(self) -> MachineWorth | None:
        """What machine labels were worth, if the model learned from some."""
        return getattr(self.model, "machines_", None)

    @cached_property
    def classes(self) -> list[OneClass]:
        """Every class among judged rows, against the rest."""
        if self.judged is None:
            return []
        names = sorted(set(self.judged.y.tolist()))
        return [
            OneClass(as_text(name), np.asarray(self.judged.y == name), self.judged.probabilities[:, place])
            for place, name in enumerate(names)
        ]

    @cached_property
    def focus(self) -> OneClass:
        """The class that one would look for: the rarest."""
        return min(reversed(self.classes), key=lambda one: int(one.own.sum()))

    @cached_property
    def calibration(self) -> list[CalibrationBin]:
        """Of the class in focus if there are two, else of the predicted class."""
        assert self.judged is not None
        if len(self.classes) == 2:
            return calibration(self.focus.probability, self.focus.own)
        return calibration(self.judged.probabilities.max(axis=1), self.judged.right)

    @cached_property
    def alternatives(self) -> list[Alternative]:
        if self.judged is None:
            return []
        return alternatives(self.X, self.y, self.judged_rows, self.judged, self.goal)

    @cached_property
    def goal(self) -> Goal:
        """What the model was asked to be good at."""
        return Goal.of(self.model)

    @property
    def best_alternative(self) -> Alternative:
        """The simple one that is best at that."""
        best = min if self.goal.is_cost else max
        return best(self.alternatives, key=lambda one: one.figure[0])

    @property
    def threshold(self) -> float | None:
        """From which probability on the second of two classes is predicted; None with more classes."""
        if len(self.model.classes_) != 2:
            return None
        tuned = getattr(self.model, "threshold_", None)
        return USUAL if tuned is None else tuned

    @cached_property
    def learned(self) -> Learned:
        return learned(self.model, self.X)

    @cached_property
    def suspects(self) -> SuspiciousLabels | None:
        """Labels, the most suspicious first; with very few of them, or with a label model, nobody can say."""
        if self.judged is None or len(self.judged.y) < FEWEST or self.has_label_model:
            return None
        if (own := self._suspects_of_model) is not None:
            return own
        names, codes = np.unique(self.judged.y.tolist(), return_inverse=True)
        weights = getattr(self.model, "_class_weights", None)
        if weights is not None:
            weights = weights[[self.model.classes_.tolist().index(name) for name in names.tolist()]]
        return suspicious_labels(unweighted(self.judged.probabilities, weights), codes, names, self.judged_rows)

    @property
    def _suspects_of_model(self) -> SuspiciousLabels | None:
        """Its own list, if it is of these labels: so that nobody finds two."""
        found = getattr(self.model, "suspicious_labels_", None)  # an error where it does not know its labels any more
        same = found is not None and len(found) == len(self.labeled) and (self.y[found.row] == found.given).all()
        return found if same else None

    @property
    def has_label_model(self) -> bool:
        """Whether labels stand for something else than themselves."""
        return getattr(self.model, "label_model", None) is not None

    @cached_property
    def checks(self) -> DataChecks:
        return checks(self.X, self.y, self.labeled)
