"""The way a run takes: which part of the engine serves a booster, or the plain loop."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Event
from typing import Protocol

from ..basics.checks import check_count
from ..basics.typing import Rng
from ..core.batch import Realize
from ..core.learners.base import WeakLearner
from ..core.rules import Rule
from ..core.samplers import Sampler
from ..core.tape import Tape
from ..kernels.dispatch import compiler_is_loaded, cores, worth_compiling
from .stumps.encoding import Encoding
from .stumps.problem import NotCovered, Problem, check_table, describe
from .stumps.reference import NumpyFullBatch, Rounds

ENGINES = ("auto", "loop", "numpy", "incremental", "rebuild", "sampled", "walsh")
CACHE_BYTES = 64 * 2**20
SMALL = 50_000  # features times rows up to which numba is not loaded

_ROUND_IN_NUMPY = 20_000  # what a round of numpy calls costs beside its cells, in visits of a cell
_ROUND_OF_LOOP = 200_000  # the same for a round of the plain loop


class Path(Protocol):
    """Runs rounds."""

    @property
    def name(self) -> str:
        """What :attr:`agnoboost.rounds.boosting.Run.engine` says."""

    @property
    def potential(self) -> float:
        """What must be carried over to go on later, beside the tape."""

    def restore(self, tape: Tape, potential: float) -> None:
        """Go on after the steps of ``tape``."""

    def advance(self, most: int) -> Rounds:
        """The next rounds: at least one, at most ``most``."""


@dataclass(frozen=True)
class Settings:
    """How a run may use the machine.

    Runs that are made together have their bins in ``shared``, and all end early when ``stop`` is set.
    """

    engine: str = "auto"
    threads: int | None = None
    cache_bytes: int = CACHE_BYTES
    shared: Encoding | None = None
    stop: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        check_count(self.cache_bytes, "cache_bytes")
        if self.threads is not None:
            check_count(self.threads, "threads")
        if self.engine not in ENGINES:
            raise ValueError(f"engine must be one of {', '.join(map(repr, ENGINES))}. Got {self.engine!r}.")


def find_path(
    sampler: Sampler, rule: Rule, realize: Realize, learner: WeakLearner, rounds: int, rng: Rng, settings: Settings
) -> Path | None:
    """The engine's path for a booster, or None for the loop."""
    if settings.engine == "loop":
        return None
    try:
        problem = describe(sampler, rule, realize, learner, rounds)
        find = _full_batch if problem.sample_size is None else _sampled
        return find(problem, rng, settings)
    except NotCovered as why:
        if settings.engine == "auto":
            return None
        raise ValueError(
            f"engine={settings.engine!r} cannot run this booster: {why}. Use engine='auto', which takes the loop where "
            "it must."
        ) from None


def _full_batch(problem: Problem, rng: Rng, settings: Settings) -> Path:
    if settings.engine == "sampled":
        raise NotCovered("it takes all rows in each round")
    if settings.engine == "incremental" and not problem.incremental:
        raise NotCovered(f"psi' of {type(problem.potential).__name__} is not piecewise linear; 'rebuild' can")
    if settings.engine == "rebuild":
        check_table(problem.furthest)
    encoding = settings.shared or Encoding(problem.learner.bins, problem.tables)
    work = problem.rounds * encoding.runs * (_ROUND_IN_NUMPY + problem.size)
    in_numpy = settings.engine == "auto" and not _worth(problem, work, "full batch")
    if in_numpy or settings.engine == "numpy":
        return NumpyFullBatch(problem, encoding)
    from .stumps.full_batch import CompiledFullBatch

    return CompiledFullBatch(
        problem,
        encoding,
        threads=cores(settings.threads),
        cache_bytes=settings.cache_bytes,
        always_rebuild=settings.engine == "rebuild",
    )


def _worth(problem: Problem, work: float, stage: str) -> bool:
    """Whether compiled code pays; a small table never makes a process load it."""
    return (problem.size >= SMALL or compiler_is_loaded()) and worth_compiling(work, stage)


def _sampled(problem: Problem, rng: Rng, settings: Settings) -> Path | None:
    if settings.engine not in ("auto", "sampled"):
        raise NotCovered("it draws rows at random, which only engine='sampled' does")
    check_table(problem.furthest)
    encoding = settings.shared or Encoding(problem.learner.bins, problem.tables)
    work = problem.rounds * encoding.runs * (_ROUND_OF_LOOP + problem.size / 10)
    if settings.engine == "auto" and not _worth(problem, work, "sampled"):
        return None
    from .stumps.sampled import Sampled

    return Sampled(problem, encoding, rng)
