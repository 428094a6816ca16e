"""Running a booster: the list of engines and the choice among them, callbacks, checkpoints, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from os import PathLike

import numpy as np
import numpy.typing as npt

from ..basics.checks import check_count
from ..basics.device_arrays import on_device
from ..basics.errors import RowsLostError
from ..basics.typing import Rng
from ..basics.user_warnings import tell
from ..core.booster import Booster
from ..core.callbacks import Callback, ProgressBar
from ..core.history import History, Progress
from ..core.learners.base import WeakLearner
from ..core.selection import Selection, select
from ..core.sources import SourceExhausted
from ..core.tape import Step, Tape
from .checkpoint import Checkpoint
from .engine import CACHE_BYTES, Engine, Settings
from .far.engine import FarStumps
from .parities import Parities
from .plain import Plain
from .stumps.compiled import IncrementalStumps, RebuiltStumps
from .stumps.gpu import GpuStumps
from .stumps.in_numpy import NumpyStumps
from .stumps.sampled import SampledStumps
from .trees import CompiledTrees

# The plain loop covers everything. A new engine is a line here; agnoboost.testing.check_rounds then compares it.
ENGINES: dict[str, type[Engine]] = {
    engine.name: engine
    for engine in (
        *(Plain, NumpyStumps, IncrementalStumps, RebuiltStumps, GpuStumps, FarStumps, SampledStumps),
        *(CompiledTrees, Parities),
    )
}


def pick(name: str, booster: Booster, learner: WeakLearner, rounds: int, runs: int = 1) -> type[Engine]:
    """The engine of this name; for "auto" the one that takes the least time, in a fresh process.

    Parameters
    ----------
    name : str
        A name in :data:`ENGINES`, or "auto".
    booster : Booster
        What is to be run.
    learner : WeakLearner
        The weak learner of the run.
    rounds : int
        For how many rounds.
    runs : int, default=1
        How many such runs there are: loading compiled code pays sooner with many.

    Returns
    -------
    type of Engine
        One that covers the booster; a name that does not is refused, with its reason.
    """
    there = any(on_device(source.X) for source in booster.sampler.sources)
    if name == "auto":
        whys = {
            engine: engine.covers(booster, learner, rounds) for engine in ENGINES.values() if engine.on_device == there
        }
        able = [engine for engine, why in whys.items() if why is None]
        if not able:  # the loop covers all rows of the host
            said = "; ".join(f"engine={engine.name!r} cannot: {why}" for engine, why in whys.items())
            raise ValueError(f"These rounds cannot be run on rows that lie on a GPU. {said}. {_BRING_BACK}")
        return min(able, key=lambda engine: engine.seconds(booster, learner, rounds, runs))
    if name not in ENGINES:
        known = ", ".join(map(repr, ("auto", *ENGINES)))
        raise ValueError(f"engine must be one of {known}. Got {name!r}.")
    if there and not ENGINES[name].on_device:
        raise ValueError(f"engine={name!r} works on the host. Got rows that lie on a GPU. {_BRING_BACK}")
    if why := ENGINES[name].covers(booster, learner, rounds):
        raise ValueError(
            f"engine={name!r} cannot run this booster: {why}. Use engine='auto', which takes the loop where it must."
        )
    return ENGINES[name]


_BRING_BACK = "Pass them as arrays of the host, for example cupy.asnumpy(X)."


@dataclass(frozen=True)
class Run:
    """A finished run: the tape H_1, H_2, ... and what happened in each round.

    Attributes
    ----------
    tape : Tape
        The ensemble.
    history : History
        A record of each round.
    engine : str
        How the rounds were run: one of :data:`agnoboost.rounds.ENGINES`.
    interrupted : bool
        Whether Ctrl-C cut the run short.
    questions : dict
        How often whoever keeps the rows was asked what: each is a pass over the rows, and on a cluster a moment at
        which all workers wait for each other.
    """

    tape: Tape
    history: History
    engine: str = "loop"
    interrupted: bool = False
    questions: Mapping[str, int] = field(default_factory=dict)

    def select(self, X: npt.ArrayLike, y: npt.ArrayLike, mass: npt.ArrayLike | None = None) -> Selection:
        """Choose the iterate of largest correlation on labels that the run has not seen: see :func:`select`."""
        return select(self.tape, X, y, mass)


def boost(
    booster: Booster,
    learner: WeakLearner,
    *,
    rounds: int,
    rng: Rng | int | None = None,
    callbacks: Iterable[Callback] = (),
    progress: bool = False,
    engine: str = "auto",
    threads: int | None = None,
    cache_bytes: int = CACHE_BYTES,
    checkpoint: str | PathLike[str] | None = None,
    checkpoint_every: float = 60.0,
) -> Run:
    """Run ``rounds`` rounds: draw a batch, call the weak learner, take a step.

    Ctrl-C ends the run early: what came of the rounds so far is returned, with a warning and ``interrupted=True``.

    Parameters
    ----------
    booster : Booster
        From a recipe (:func:`agnoboost.algorithm1` and others), or put together by hand.
    learner : WeakLearner
        Finds a hypothesis of large correlation with each batch.
    rounds : int
        T, the number of calls to the weak learner.
    rng : Generator, int or None
        The only source of randomness: the same seed gives the same tape.
    callbacks : iterable of callables
        Called with a :class:`~agnoboost.core.history.Progress` after each round; one that returns True ends the run.
    progress : bool
        Show a progress bar.
    engine : {"auto", "loop", "numpy", "incremental", "rebuild", "gpu", "far", "sampled", "trees", "walsh"}
        How the rounds are run. "auto" takes what is fastest for this much work in a fresh process (``run.engine`` says
        what it took), and "gpu" only where rows lie on a GPU already. Stump engines add whole numbers where the loop
        adds floats: they choose the same stumps, unless two scores agree to about 1e-12 (1e-7 with different weights
        and odd steps). "trees" grows the loop's histogram trees without Python between rounds. Parities have an engine
        of their own, "walsh", which keeps correlations instead of rows (samplers that reuse rows need ``tolerance=0``
        for it).
    threads : int or None
        How many threads the engine may use; None for all cores. The result does not depend on it.
    cache_bytes : int
        Memory for the engine's Gram columns; the least recently used make room.
    checkpoint : path, optional
        A file to which the state is written every ``checkpoint_every`` seconds, and at the end. If it is there at the
        start, the run goes on from it, to the same result as a run that was never stopped. ``rng`` must be the same.
        The place is tried before the first round; if a write fails later there is a warning, and the run goes on.
    checkpoint_every : float, default=60.0
        Seconds between two writes.

    Returns
    -------
    Run
        The tape, and what happened in each round.
    """
    return run_booster(
        booster,
        learner,
        rounds,
        rng,
        callbacks,
        Settings(engine, threads, cache_bytes),
        progress=progress,
        checkpoint=checkpoint,
        checkpoint_every=checkpoint_every,
    )


def run_booster(
    booster: Booster,
    learner: WeakLearner,
    rounds: int,
    rng: Rng | int | None,
    callbacks: Iterable[Callback],
    settings: Settings,
    *,
    progress: bool = False,
    checkpoint: str | PathLike[str] | None = None,
    checkpoint_every: float = 60.0,
) -> Run:
    """:func:`boost`, with settings that may be shared between runs."""
    check_count(rounds, "rounds")
    if checkpoint is not None and rng is None:
        raise ValueError(
            "checkpoint needs a seed: without one no two runs are the same, and none could go on. Got rng=None. "
            "Pass for example rng=0."
        )
    rng = np.random.default_rng(rng)
    learner = learner.seeing([source.X for source in booster.sampler.sources if source.X is not None])
    saved, done = None, 0
    if checkpoint is not None:
        saved = Checkpoint(checkpoint, checkpoint_every, booster, learner, settings.engine, rng)
        done = saved.rounds_done()
        settings = saved.settled(
            settings, lambda name: name in ENGINES and ENGINES[name].covers(booster, learner, rounds) is None
        )
    _check_parts(booster, learner, rounds - done)
    with ExitStack() as stack:
        watchers = [*callbacks]
        if progress:
            watchers.append(stack.enter_context(ProgressBar()))
        return _rounds(booster, learner, rounds, rng, watchers, saved, settings)


_WATCHED = 32  # rounds that are run before callbacks hear of them: what a stop may waste


def _rounds(
    booster: Booster,
    learner: WeakLearner,
    rounds: int,
    rng: Rng,
    watchers: list[Callback],
    saved: Checkpoint | None,
    settings: Settings,
) -> Run:
    engine = pick(settings.engine, booster, learner, rounds, settings.together.runs)
    loop = engine(booster, learner, rounds, rng, settings)
    known = (source.n_features for source in booster.sampler.sources if source.n_features is not None)
    tape, history, stop = Tape(booster.rule.unit(learner.binary), next(known, None)), History(), False
    interrupted = False
    try:
        if saved is not None:
            done, past = saved.resume(loop, rng, tape, rounds)
            tape, stop = _reported(watchers, tape, done.steps, past, rounds)  # what callbacks know is not in the file
            history = past.first(len(tape))
        while not stop and len(tape) < rounds and not settings.together.stop.is_set():
            left = rounds - len(tape)
            steps, records = loop.advance(tape, min(left, _WATCHED) if watchers else left)
            tape, stop = _reported(watchers, tape, steps, records, rounds)
            history.extend(records.first(len(tape) - len(history)))
            if saved is not None and not stop:
                saved.write_if_due(loop, rng, tape, history)
        interrupted = settings.together.stop.is_set()
        if saved is not None and not stop:
            saved.write(loop, rng, tape, history)
    except RowsLostError:
        if saved is not None and len(history):
            saved.write(loop, rng, tape, history)
        raise
    except KeyboardInterrupt:
        if not len(history):
            raise
        tape, interrupted = tape.prefix(len(history)), True
        tell(
            f"Stopped by Ctrl-C after {len(tape)} of {rounds} rounds; the model of these rounds is kept.",
            RuntimeWarning,
        )
    return Run(tape, history, loop.name, interrupted, loop.questions)


def _reported(
    watchers: list[Callback], tape: Tape, steps: list[Step], records: History, rounds: int
) -> tuple[Tape, bool]:
    """The tape with further steps, after callbacks have heard of each; up to the step at which one stops the run."""
    if not watchers:
        return tape.extend(steps), False
    for step, record in zip(steps, records, strict=True):
        tape = tape.append(step)
        report = Progress(record, tape, rounds)
        answers = [watcher(report) for watcher in watchers]  # all are told, even if the first one stops
        if any(isinstance(answer, (bool, np.bool_)) and answer for answer in answers):
            return tape, True
    return tape, False


def _check_parts(booster: Booster, learner: WeakLearner, rounds: int) -> None:
    """Mismatches between the parts, found before any work."""
    limit = booster.max_rounds
    if limit is not None and rounds > limit:
        raise SourceExhausted(
            f"The data last for {limit} rounds: each round needs rows that no earlier one has seen. Got "
            f"rounds={rounds}. Use rounds={limit} (booster.max_rounds), or fewer rows a round."
        )
    if learner.needs_hard_labels and not booster.realize.hard_labels:
        raise ValueError(
            f"{learner!r} takes no sample_weight, so it needs labels -1 and +1 on rows of equal mass. Got a booster "
            "whose batches have weights or fractional labels. Pass realize=bernoulli(m), which draws m rows with "
            "random labels: to the recipe, or with dataclasses.replace(booster, realize=...)."
        )
    for source in booster.sampler.sources:
        if source.X is not None:  # streams have no rows to check before they are drawn
            learner.check(source.X)
