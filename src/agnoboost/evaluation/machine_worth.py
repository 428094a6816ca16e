"""What machine labels were worth: how often each machine is right, where it errs, and what the model gained by them.

*Checked* labels are those that are believed, the gold ones in ``y``. A machine is compared with them on rows that have
both. The model is judged by parts that have not seen the checked label, once without the machines and once with them:
the difference is paired, row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ..basics.intervals import NORMAL_95, binomial_interval, paired_difference
from ..basics.typing import Bools, Floats, Ints
from .error_regions import ErrorRegion
from .goal import ACCURACY, LESS_IS_BETTER, Goal
from .ranking import roc_area, roc_area_gain

PLAIN = Goal()
USED, INVERTED, NO_USE, LEFT_OUT = "used", "inverted", "no use", "left out"
BETTER, WORSE = "clearly better", "clearly worse"
LITTLE = 0.05  # share of the model below which a machine is said to be of no use
BETWEEN = 0.05  # over sqrt(rows): about how far the gain of the model is from that of models of parts of the rows
FEWEST = 20  # checked rows from which on intervals that are normal ones mean something
FEWEST_OF_A_CLASS = 25  # for an area: models without a row of a rare class rank it too low, and all areas with it
FEW = 200  # checked rows below which only gross errors can be told from chance
TOO_FEW = f"With fewer than {FEWEST} such rows nobody can say what the model gained: check more rows."
NO_PART = (
    "The checked labels do not show that it adds anything to what else is known, so it takes no part. More of them may."
)
ROLES = {
    INVERTED: "It is mistaken as a rule, so that the model takes the opposite of what it says.",
    NO_USE: "By the checked labels it adds nothing of use to what else is known, and the model hardly listens to it.",
    LEFT_OUT: "It is left out: what it says is the same for all rows, or does not seem to go by their columns.",
}


@dataclass(frozen=True)
class MachineRecord:
    """What is known of one machine.

    Attributes
    ----------
    name : str
        Of the column, or as it was passed.
    rows : int
        How many rows it has labeled.
    confusion : list of lists of int
        Of rows that have a checked label as well: a list for each class of the checked label, with how often the
        machine names each class.
    weight : float
        Its share in how far the model's log-odds move from row to row, from 0 to 1.
    role : {"used", "inverted", "no use", "left out"}
        What the model makes of it.
    said, changed : lists of int
        For each class that it names, on rows without a checked label: how many, and of how many the model says
        something else.
    regions : list of ErrorRegion
        Where it errs clearly more often than elsewhere.
    """

    name: str
    rows: int
    confusion: list[list[int]]
    weight: float
    role: str
    said: list[int]
    changed: list[int]
    regions: list[ErrorRegion]

    @property
    def checked(self) -> int:
        """How many of its rows have a checked label as well."""
        return sum(map(sum, self.confusion))

    @property
    def right(self) -> int:
        """On how many of these it agrees with the checked label."""
        return sum(own[place] for place, own in enumerate(self.confusion))

    @property
    def named(self) -> list[int]:
        """How often it names each class."""
        return [int(count) for count in np.sum([self.said, *self.confusion], axis=0)]

    @property
    def accuracy(self) -> tuple[float, float, float] | None:
        """How often it is right, with an exact 95% interval; None if nobody knows."""
        if not self.checked:
            return None
        return self.right / self.checked, *binomial_interval(self.right, self.checked, 0.95)

    def by_itself(self, goal: Goal, classes: list[Any]) -> tuple[float, float, float] | None:
        """How good its own answers are, with a 95% interval; None if nobody knows."""
        if self.accuracy is None or goal.name == ACCURACY:
            return self.accuracy
        counts = np.array(self.confusion)
        return goal.of_counts(classes, counts.diagonal().tolist(), counts.sum(axis=1).tolist())

    @property
    def by_chance(self) -> float:
        """How often it would be right if it named its classes as often, but anywhere."""
        shares = np.array(self.confusion) / max(self.checked, 1)
        return float(shares.sum(axis=0) @ shares.sum(axis=1))

    @property
    def against_chance(self) -> int:
        """1 if it is right clearly more often than by chance, -1 if less often, 0 if nobody can tell."""
        if self.accuracy is None:
            return 0
        _, low, high = self.accuracy
        return int(low > self.by_chance) - int(high < self.by_chance)

    def part(self, classes: Sequence[Any]) -> str:
        """How much the model makes of it, in plain words."""
        if self.role == NO_USE and self.weight == 0.0:
            return NO_PART
        named = [name for name, count in zip(classes, self.named, strict=True) if count]
        if self.role == LEFT_OUT and len(named) == 1:
            return (
                f"{ROLES[LEFT_OUT]} It names {named[0]} only: where it is silent and means another class, write that."
            )
        return ROLES.get(self.role, f"{self.weight:.0%} of the differences between the model's answers come from it.")

    def worst_mistake(self) -> tuple[int, int] | None:
        """The numbers of the class that it mistakes most often, and of the one that it names instead."""
        wrong = np.array(self.confusion)
        np.fill_diagonal(wrong, 0)
        place = int(wrong.argmax())
        return divmod(place, len(wrong)) if wrong.flat[place] else None

    def sentences(self, classes: Sequence[Any]) -> list[str]:
        """In plain words."""
        classes = [int(name) if isinstance(name, float) and name.is_integer() else name for name in classes]
        found = [f"{self.name} has labeled {self.rows:,} rows, of which {self.checked:,} have a checked label as well."]
        if self.accuracy is not None:
            share, low, high = self.accuracy
            found.append(f"It is right in {share:.1%} of these (95% interval {low:.1%} to {high:.1%}).")
        if (mistake := self.worst_mistake()) is not None:
            true, named = mistake
            count, total = self.confusion[true][named], sum(self.confusion[true])
            found.append(
                f"Its most frequent mistake: {classes[named]} instead of {classes[true]} ({count} of {total})."
            )
        found.append(self.part(classes))
        if self.role == USED and self.checked and self.against_chance <= 0:
            found.append(f"It is not clearly right more often than by chance ({self.by_chance:.1%}): check more rows.")
        found += [f"It errs more often {one}." for one in self.regions]
        if self.checked and not self.regions:
            found.append(f"No column shows where it errs.{few_rows(self.checked)}")
        if sum(self.said) and self.role != LEFT_OUT:
            found.append(f"The model disagrees with it {self._changes(classes)}.")
        return found

    def _changes(self, classes: Sequence[Any]) -> str:
        total, changed = sum(self.said), sum(self.changed)
        pairs = zip(classes, self.said, self.changed, strict=True)
        by_class = ", ".join(f"{name}: {other / count:.1%}" for name, count, other in pairs if count)
        return f"in {changed / total:.1%} of {total:,} rows without a checked label (where it says {by_class})"


@dataclass(frozen=True)
class MachineGain:
    """One figure on checked rows left out, without machines and with them.

    Attributes
    ----------
    measure : str
        "accuracy", or what the model was asked for in its place, "balanced accuracy" or "mean cost"; "Brier score";
        "ROC area".
    alone, together : float
        Of the checked labels alone, and with the machines.
    gain, half : float
        The gain, and half of its 95% interval.
    """

    measure: str
    alone: float
    together: float
    gain: float
    half: float

    @property
    def is_clear(self) -> bool:
        """Whether the interval of the gain leaves 0 out."""
        return abs(self.gain) > self.half

    @property
    def verdict(self) -> str:
        """The gain in plain words."""
        if not self.is_clear:
            return "no clear difference"
        better = self.gain < 0 if self.measure in LESS_IS_BETTER else self.gain > 0
        return BETTER if better else WORSE

    def __str__(self) -> str:
        return (
            f"{self.measure} {self.alone:.3f} by checked labels alone, {self.together:.3f} with machine labels "
            f"(difference {self.gain:+.3f} +- {self.half:.3f}: {self.verdict})"
        )


@dataclass(frozen=True)
class MachineWorth:
    """What machine labels were worth.

    Attributes
    ----------
    classes : list
        The classes, in the order of all counts.
    machines : list of MachineRecord
        One for each machine.
    checked : int
        Checked rows on which models with and without the machines are compared.
    gains : list of MachineGain
        Accuracy (or, of a model that was tuned for another figure, that one), Brier score (lower is better), and of two
        classes the area under the ROC curve. Empty with fewer than 20 rows, and without the area with fewer than 25 of
        a class.
    """

    classes: list[Any]
    machines: list[MachineRecord]
    checked: int
    gains: list[MachineGain]

    @property
    def no_gains(self) -> str:
        """Why nobody can say what the model gained, or nothing if there are ``gains`` to look at."""
        if not any(one.weight for one in self.machines):
            return "No machine takes part: the model is that of the checked labels alone."
        return "" if self.gains else TOO_FEW

    def __str__(self) -> str:
        lines = ["\n  ".join(one.sentences(self.classes)) for one in self.machines]
        if self.no_gains:
            lines.append(self.no_gains)
        else:
            rows = f"On {self.checked:,} rows with checked labels, by models that have not seen these:"
            lines += [rows, *(f"  {one}" for one in self.gains)]
        return "\n".join(lines)

    def facts(self) -> dict[str, Any]:
        """Plain numbers and texts, for programs and files."""
        return asdict(self)

    @classmethod
    def of_facts(cls, facts: dict[str, Any]) -> Self:
        """What :meth:`facts` gave."""
        machines = [
            MachineRecord(**{**one, "regions": [ErrorRegion(**region) for region in one["regions"]]})
            for one in facts["machines"]
        ]
        return cls(facts["classes"], machines, facts["checked"], [MachineGain(**one) for one in facts["gains"]])


def few_rows(checked: int) -> str:
    """A warning that goes with the list of regions."""
    return f" With {checked} rows to compare, only gross errors would show." if checked < FEW else ""


def counted_pairs(first: Ints, second: Ints, classes: int) -> list[list[int]]:
    """How often each pair of classes occurs."""
    counts = np.bincount(first * classes + second, minlength=classes**2).reshape(classes, classes)
    return [[int(count) for count in row] for row in counts]


class Answers(NamedTuple):
    """What a model says of rows: probabilities (shape: rows, classes), and the numbers of the classes that it names."""

    probabilities: Floats
    said: Ints

    @classmethod
    def likeliest(cls, probabilities: Floats) -> Self:
        """The class of the largest probability is named."""
        return cls(probabilities, probabilities.argmax(axis=1))


def machine_gains(truth: Ints, alone: Answers, together: Answers, goal: Goal = PLAIN) -> list[MachineGain]:
    """What answers gain by machines, on rows whose classes have the numbers ``truth``; ``goal`` knows these, too.

    None with few rows: their intervals would be too narrow, and a verdict often mere chance.
    """
    if len(truth) < FEWEST:
        return []
    both = alone.probabilities, together.probabilities
    hits = truth[:, None] == np.arange(both[0].shape[1])
    found = [
        _gain_in(goal, truth, alone.said == truth, together.said == truth),
        _gain("Brier score", *(_squares(hits, p) for p in both)),
    ]
    if hits.shape[1] == 2 and hits.sum(axis=0).min() >= FEWEST_OF_A_CLASS:
        before, after = (roc_area(hits[:, 1], p[:, 1])[0] for p in both)
        gain, half = roc_area_gain(hits[:, 1], *(p[:, 1] for p in both))
        found.append(MachineGain("ROC area", before, after, gain, _widened(half, len(truth))))
    return found


def _gain_in(goal: Goal, truth: Ints, before: Bools, after: Bools) -> MachineGain:
    """In the figure of right answers that the model was asked for."""
    gain, half = goal.gain(truth, after, before)
    classes, rows = np.unique(truth, return_counts=True)
    scale = float(goal.weights(classes.tolist(), rows).sum())  # of costs; that of shares is 1
    alone, together = (goal.figure(truth, right)[0] for right in (before, after))
    return MachineGain(goal.name, alone, together, gain, _widened(half, len(truth), scale))


def _squares(hits: npt.NDArray[np.bool_], p: Floats) -> Floats:
    """As scikit-learn has it: of two classes the squared error of one, else the sum over classes."""
    errors = (p - hits) ** 2
    return np.asarray(errors[:, 1] if p.shape[1] == 2 else errors.sum(axis=1))


def _gain(measure: str, before: npt.NDArray[Any], after: npt.NDArray[Any]) -> MachineGain:
    gain, half = paired_difference(after, before)
    return MachineGain(measure, float(np.mean(before)), float(np.mean(after)), gain, _widened(half, len(before)))


def _widened(half: float, rows: int, scale: float = 1.0) -> float:
    """Rows tell of models that were weighed without them, and these are not quite the one that is kept."""
    return float(np.hypot(half, NORMAL_95 * BETWEEN * scale / np.sqrt(rows)))
