"""One protocol for all ways of running rounds.

An engine runs the rounds of one booster with one weak learner. All of them give the tape of the plain loop
(:mod:`agnoboost.rounds.plain`), which covers everything; the others cover less and are faster. They are entries of one
list (:mod:`agnoboost.rounds.boosting`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Any, ClassVar

from ..basics.checks import check_count
from ..basics.typing import Arrays, Matrix, Rng
from ..core.booster import Booster
from ..core.history import History
from ..core.learners.base import WeakLearner
from ..core.tape import Step, Tape

CACHE_BYTES = 64 * 2**20


class Together:
    """What runs that are made at once share: all their ``tables``, and what engines work out from them."""

    def __init__(self, runs: int = 1, tables: tuple[Matrix, ...] = ()):
        self.runs, self.tables = runs, tables
        self.stop = Event()  # ends all of them early
        self._made: dict[Hashable, Any] = {}
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """What ``make`` gives, made once."""
        with self._lock:
            if key not in self._made:
                self._made[key] = make()
            return self._made[key]


@dataclass(frozen=True)
class Settings:
    """How a run may use the machine."""

    engine: str = "auto"
    threads: int | None = None
    cache_bytes: int = CACHE_BYTES
    together: Together = field(default_factory=Together)

    def __post_init__(self) -> None:
        check_count(self.cache_bytes, "cache_bytes")
        if self.threads is not None:
            check_count(self.threads, "threads")


class Engine(ABC):
    """Runs the rounds of one booster; ``name`` is what ``run.engine`` says.

    ``on_device`` says that it works on a GPU: it takes rows that lie there, and nobody else does; "auto" takes it for
    no others.

    Parameters
    ----------
    booster : Booster
        What is run.
    learner : WeakLearner
        The weak learner of the run.
    rounds : int
        How many rounds were asked for.
    rng : Generator
        The only source of randomness.
    settings : Settings
        Threads, and bytes for the cache.
    """

    name: ClassVar[str]
    on_device: ClassVar[bool] = False

    def __init__(self, booster: Booster, learner: WeakLearner, rounds: int, rng: Rng, settings: Settings):
        self.booster, self.learner, self.rng = booster, learner, rng
        self.start = booster.sampler.drawn  # rows that were drawn before this run

    @property
    def questions(self) -> dict[str, int]:
        """How often whoever keeps the rows was asked what; nothing where rows are at hand."""
        return {}

    @classmethod
    @abstractmethod
    def covers(cls, booster: Booster, learner: WeakLearner, rounds: int) -> str | None:
        """Why these rounds cannot be run here; None if they can."""

    @classmethod
    @abstractmethod
    def seconds(cls, booster: Booster, learner: WeakLearner, rounds: int, runs: int) -> float:
        """About how long ``runs`` such runs take in a fresh process: what "auto" chooses by.

        A function of the work alone: what a process has done before must not decide.
        """

    @abstractmethod
    def advance(self, tape: Tape, most: int) -> tuple[list[Step], History]:
        """The next rounds, at least one and at most ``most``: their steps and their records."""

    @abstractmethod
    def pack(self) -> tuple[dict[str, Any], Arrays]:
        """What must be kept, beside the tape, to go on later: plain facts, and arrays."""

    @abstractmethod
    def restore(self, tape: Tape, facts: dict[str, Any], arrays: Arrays) -> None:
        """Go on after the steps of ``tape``, from what :meth:`pack` gave."""
