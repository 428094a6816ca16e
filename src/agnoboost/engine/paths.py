"""The way a run takes: which part of the engine serves a booster, or the plain loop."""

from __future__ import annotations

from typing import Protocol

from .._typing import Rng
from ..batch import Realize
from ..kernels.dispatch import cores, worth_compiling
from ..learners.base import WeakLearner
from ..rules import Rule
from ..samplers import Sampler
from ..tape import Tape
from .problem import NotCovered, Problem, describe
from .reference import NumpyFullBatch, Rounds

ENGINES = ("auto", "loop", "numpy", "incremental", "rebuild", "sampled")
CACHE_BYTES = 64 * 2**20

_ROUND_IN_NUMPY = 20_000  # what a round of numpy calls costs beside its cells, in visits of a cell
_ROUND_OF_LOOP = 200_000  # the same for a round of the plain loop


class Path(Protocol):
    """Runs rounds."""

    @property
    def name(self) -> str:
        """What :attr:`agnoboost.boosting.Run.engine` says."""

    @property
    def potential(self) -> float:
        """What must be carried over to go on later, beside the tape."""

    def restore(self, tape: Tape, potential: float) -> None:
        """Go on after the steps of ``tape``."""

    def advance(self, most: int) -> Rounds:
        """The next rounds: at least one, at most ``most``."""


def find_path(
    sampler: Sampler,
    rule: Rule,
    realize: Realize,
    learner: WeakLearner,
    rounds: int,
    rng: Rng,
    *,
    engine: str = "auto",
    threads: int | None = None,
    cache_bytes: int = CACHE_BYTES,
    sharing: int = 1,
) -> Path | None:
    """The engine's path for a booster, or None for the loop. ``sharing`` runs of this kind are to come."""
    if engine not in ENGINES:
        raise ValueError(f"engine must be one of {', '.join(map(repr, ENGINES))}. Got {engine!r}.")
    if engine == "loop":
        return None
    try:
        problem = describe(sampler, rule, realize, learner, rounds)
        return _path(problem, rng, engine, cores(threads), cache_bytes, sharing)
    except NotCovered as why:
        if engine == "auto":
            return None
        raise ValueError(
            f"engine={engine!r} cannot run this booster: {why}. Use engine='auto', which takes the loop where it must."
        ) from None


def _path(problem: Problem, rng: Rng, engine: str, threads: int, cache_bytes: int, sharing: int) -> Path | None:
    cells = sum(table.size for table in problem.tables)
    rounds = problem.rounds * sharing
    if problem.sample_size is not None:
        if engine not in ("auto", "sampled"):
            raise NotCovered("it draws rows at random, which only engine='sampled' does")
        if engine == "auto" and not worth_compiling(rounds * (_ROUND_OF_LOOP + cells / 10), "sampled"):
            return None
        from .sampled import Sampled

        return Sampled(problem, rng)
    if engine == "sampled":
        raise NotCovered("it takes all rows in each round")
    if engine == "incremental" and not problem.incremental:
        raise NotCovered(f"psi' of {type(problem.potential).__name__} is not piecewise linear; 'rebuild' can")
    if engine == "numpy" or (
        engine == "auto" and not worth_compiling(rounds * (_ROUND_IN_NUMPY + cells), "full batch")
    ):
        return NumpyFullBatch(problem)
    from .full_batch import CompiledFullBatch

    return CompiledFullBatch(problem, threads=threads, cache_bytes=cache_bytes, always_rebuild=engine == "rebuild")
