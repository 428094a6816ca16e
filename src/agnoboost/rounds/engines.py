"""All ways of running rounds, and the choice among them."""

from __future__ import annotations

from ..core.booster import Booster
from ..core.learners.base import WeakLearner
from .engine import Engine
from .parities import Parities
from .plain import Plain
from .stumps.compiled import IncrementalStumps, RebuiltStumps
from .stumps.in_numpy import NumpyStumps
from .stumps.sampled import SampledStumps

# The plain loop covers everything. A new engine is a line here; agnoboost.testing.check_rounds then compares it.
ENGINES: dict[str, type[Engine]] = {
    engine.name: engine for engine in (Plain, NumpyStumps, IncrementalStumps, RebuiltStumps, SampledStumps, Parities)
}


def pick(name: str, booster: Booster, learner: WeakLearner, rounds: int, runs: int = 1) -> type[Engine]:
    """The engine of this name; for "auto" the one that takes the least time, in a fresh process."""
    if name == "auto":
        able = [engine for engine in ENGINES.values() if engine.covers(booster, learner, rounds) is None]
        return min(able, key=lambda engine: engine.seconds(booster, learner, rounds, runs))
    if name not in ENGINES:
        known = ", ".join(map(repr, ("auto", *ENGINES)))
        raise ValueError(f"engine must be one of {known}. Got {name!r}.")
    if why := ENGINES[name].covers(booster, learner, rounds):
        raise ValueError(
            f"engine={name!r} cannot run this booster: {why}. Use engine='auto', which takes the loop where it must."
        )
    return ENGINES[name]
