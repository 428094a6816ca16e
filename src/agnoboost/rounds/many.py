"""Many models in one call: folds, grids, noise levels, classes, bags."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from ..basics.checks import check_count
from ..basics.typing import Rng
from ..core.booster import Booster
from ..core.callbacks import Callback
from ..core.learners.base import WeakLearner
from ..kernels.dispatch import cores
from .boosting import Run, run_booster
from .engine import Settings, Together


def boost_many(
    boosters: Sequence[Booster],
    learner: WeakLearner,
    *,
    rounds: int | Sequence[int],
    rng: Rng | int | Sequence[Rng | int] | None = None,
    callbacks: Sequence[Iterable[Callback]] | None = None,
    n_jobs: int | None = None,
    engine: str = "auto",
) -> list[Run]:
    """Run many boosters with one weak learner; each run is the one that :func:`~agnoboost.boost` gives.

    Ctrl-C ends all of them and raises KeyboardInterrupt: half a batch is of no use.

    With histogram stumps every :class:`~agnoboost.Pool` is binned once, however many boosters share it, and the runs
    are spread over the cores. Every run draws from copies of the sources, which are left as they were.

    Parameters
    ----------
    boosters : sequence of Booster
        What to run.
    learner : WeakLearner
        The same for all of them.
    rounds : int, or one for each booster
        T, the number of calls to the weak learner.
    rng : seed or Generator, or one for each booster
        A single seed is used for every run; a single Generator is not possible.
    callbacks : one iterable of callables for each booster, optional
        As in :func:`~agnoboost.boost`.
    n_jobs : int or None
        How many runs go on at once; None for all cores. The results do not depend on it.
    engine : str
        As in :func:`~agnoboost.boost`.

    Returns
    -------
    list of Run
        In the order of the boosters.
    """
    boosters = list(boosters)
    lengths = _each(rounds, len(boosters), "rounds")
    generators = _each(rng.tolist() if isinstance(rng, np.ndarray) else rng, len(boosters), "rng")
    shared = [id(one) for one in generators if hasattr(one, "bit_generator")]
    if len(set(shared)) < len(shared):
        raise ValueError(
            "rng must be a seed, or one seed or Generator for each booster: runs that go on at once cannot share a "
            f"Generator. Got {type(rng).__name__}. Pass for example rng=rng.spawn({len(boosters)})."
        )
    watchers = [()] * len(boosters) if callbacks is None else _each(list(callbacks), len(boosters), "callbacks")
    sources = [source for booster in boosters for source in booster.sampler.sources]
    tables = {id(source.X): source.X for source in sources if source.whole() is not None and source.X is not None}
    together = Together(len(boosters), tuple(tables.values()))
    settings = Settings(engine, threads=1, together=together)
    workers = min(len(boosters), cores() if n_jobs is None else check_count(n_jobs, "n_jobs"))

    def run(place: int) -> Run:
        booster = replace(boosters[place], sampler=boosters[place].sampler.with_own_sources())
        return run_booster(booster, learner, lengths[place], generators[place], watchers[place], settings)

    with ThreadPoolExecutor(max(1, workers)) as pool:  # also for one at a time: this thread hears Ctrl-C
        try:
            return list(pool.map(run, range(len(boosters))))
        except BaseException:  # one of them failed, or Ctrl-C: the others need not go on
            together.stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def _each(value: Any, count: int, name: str) -> list[Any]:
    """One value for each booster."""
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise ValueError(f"{name} must be one for all, or one for each of the {count} boosters. Got {len(value)}.")
    return list(value)
