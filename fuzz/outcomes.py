"""What may come of a case, and how it is found out."""

import traceback
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

LIBRARY = ("agnoboost", "agnoboost_experiments")
CHECKS = "/sklearn/utils/"  # its sentences are meant for users too, and its conventions ask for some of them


class Outcome(StrEnum):
    """The last five are findings."""

    SAME = "same answer"
    OTHER = "another valid answer"  # what a valid file of another content, or another table, gives
    REFUSED = "refused by us"
    WRONG = "wrong answer"
    FOREIGN = "foreign exception"
    MEMORY = "too much memory"
    HANG = "hang"
    CRASH = "crash"

    @property
    def is_finding(self) -> bool:
        return self in (Outcome.WRONG, Outcome.FOREIGN, Outcome.MEMORY, Outcome.HANG, Outcome.CRASH)


@dataclass(frozen=True)
class Verdict:
    """An outcome; ``kind`` groups cases in the table, ``kills`` counts processes that were killed on the way."""

    outcome: Outcome
    detail: str = ""
    kind: str = ""
    kills: int = 0


def of_exception(error: BaseException, ours: tuple[type[BaseException], ...]) -> Verdict:
    """A refusal if the error is one of ours; else a finding."""
    if isinstance(error, ours):
        return Verdict(Outcome.REFUSED, f"{type(error).__name__}: {error}")
    where = traceback.extract_tb(error.__traceback__)
    frame = next((f for f in reversed(where) if any(f"/{name}/" in f.filename for name in LIBRARY)), where[-1])
    place = f"{Path(frame.filename).name}:{frame.lineno} {frame.name}"
    kind = Outcome.MEMORY if isinstance(error, MemoryError) else Outcome.FOREIGN
    return Verdict(kind, f"{type(error).__name__} in {place}: {error}"[:300])


def is_told_by_us(error: BaseException) -> bool:
    """Whether a ValueError or TypeError is a sentence of ours, or of the checks that we share with scikit-learn."""
    if not isinstance(error, (ValueError, TypeError)):
        return False
    last = traceback.extract_tb(error.__traceback__)[-1].filename
    return CHECKS in last or any(f"/{name}/" in last for name in LIBRARY)
