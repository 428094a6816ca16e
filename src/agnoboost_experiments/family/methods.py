"""Every booster with a small grid of settings; held-out labels choose setting and iterate, the same for all."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from agnoboost.basics.typing import Rng
from agnoboost.core.booster import Booster
from agnoboost.core.earlier_recipes import (
    brukhim_2020,
    feldman_2009,
    ghai_singh_2024,
    kanade_kalai,
    madaboost,
    smooth_boost,
)
from agnoboost.core.recipes import algorithm1, algorithm2, labeled_only
from agnoboost.rounds.relabeled import boost_relabeled

from ..best_booster import choose
from .worlds import World

ROUNDS = 100
STEPS = (0.03, 0.1)
ONCE = (10, 30, 100)  # rounds of boosters that use each label once
DECAYS = (0.1, 0.5)  # GS24's sigma
GAMMAS = (0.1, 0.2)  # SmoothBoost's
LABELING_ROUNDS = 25  # of SmoothBoost, for each labeling
RELABELED = "relabeling (2025)"

Grid = list[tuple[Booster, int]]  # boosters, and for how many rounds each may run


def _once(world: World) -> list[tuple[int, int]]:
    """Rounds, and new labels a round."""
    count = len(world.labeled[1])
    return [(rounds, count // rounds) for rounds in ONCE if count >= rounds]


BOOSTERS: dict[str, Callable[[World], Grid]] = {
    "Algorithm 1": lambda w: [(algorithm1(w.labeled, w.unlabeled, step=step), ROUNDS) for step in STEPS],
    "Algorithm 2": lambda w: [(algorithm2(w.labeled, w.unlabeled, step=step), ROUNDS) for step in STEPS],
    "labeled-only": lambda w: [(labeled_only(w.labeled, step=step), ROUNDS) for step in STEPS],
    "PAB (2009)": lambda w: [(kanade_kalai(w.labeled, rows=rows), rounds) for rounds, rows in _once(w)],
    "GS24 (2024)": lambda w: [
        (ghai_singh_2024(w.labeled, rows=rows, decay=decay), rounds) for rounds, rows in _once(w) for decay in DECAYS
    ],
    "Feldman (2009)": lambda w: [(feldman_2009(w.labeled, step=step), ROUNDS) for step in STEPS],
    "Feldman, unlabeled": lambda w: [(feldman_2009(w.labeled, w.unlabeled, step=step), ROUNDS) for step in STEPS],
    "Brukhim et al. (2020)": lambda w: [
        (brukhim_2020(w.labeled, rounds=rounds, gamma=0.5, rows=rows), rounds) for rounds, rows in _once(w)
    ],
    "Brukhim et al., all labels": lambda w: [
        (brukhim_2020(w.labeled, rounds=ROUNDS, gamma=gamma), ROUNDS) for gamma in (0.25, 0.5)
    ],
    "SmoothBoost (2003)": lambda w: [(smooth_boost(w.labeled, gamma=gamma), ROUNDS) for gamma in GAMMAS],
    "MadaBoost (2000)": lambda w: [(madaboost(w.labeled), ROUNDS)],
}
METHODS = (*BOOSTERS, RELABELED)


def costs(world: World, rng: Rng) -> dict[str, dict[str, Any]]:
    """For every method the excess of its choice, what that run drew and called, and the seconds of a run."""
    found = {}
    for (name, make), own in zip(BOOSTERS.items(), rng.spawn(len(BOOSTERS)), strict=True):
        began = time.perf_counter()
        some, rounds = zip(*make(world), strict=True)
        chosen = choose(some, world.learner, world.chooser, rounds=rounds, rng=own)
        history = chosen.run.history
        found[name] = {
            "excess": world.excess(chosen.selection.predict),
            "unlabeled": int(history["unlabeled_drawn"][-1]),
            "calls": len(history),
            "seconds": (time.perf_counter() - began) / len(some),
        }
    if world.references is not None:
        found[RELABELED] = _relabeled(world, rng)
    return found


def _relabeled(world: World, rng: Rng) -> dict[str, Any]:
    """It splits the labels itself: those that choose for the others are among its own."""
    assert world.references is not None
    X, y = (np.concatenate(parts) for parts in zip(world.labeled, world.chooser, strict=True))
    began = time.perf_counter()
    made = boost_relabeled(X, y, world.references, world.learner, rounds=LABELING_ROUNDS, gamma=GAMMAS[-1], rng=rng)
    return {
        "excess": world.excess(made.predict),
        "unlabeled": 0,
        "calls": made.labelings * LABELING_ROUNDS,
        "seconds": time.perf_counter() - began,
    }
