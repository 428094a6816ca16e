"""The smallest budget of labels that suffices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np

from agnoboost.basics.typing import Floats

from ..studies import generator
from .methods import FRESH_LABELS, Family, Setting, erm_excess, excess, excess_by_length

MOST_DOUBLINGS = 21  # two million labels
FEWEST_HALF_DOUBLINGS = 6  # eight labels
STEP_FACTORS = (0.5, 1.0, 2.0, 4.0)  # times the schedule's step, in tuning
LENGTHS = (4, 8, 16, 32, 64, 128, 256, 512)  # rounds, in tuning


def labels_needed(reach: Callable[[int], Floats], epsilon: float) -> dict[str, Any]:
    """The smallest budget at which the median excess is at most epsilon.

    Budgets are doubled, from 1/epsilon^2, until one suffices and sqrt(2) times as many labels do too, so that luck does
    not count; then sqrt(2) times fewer are tried, as long as these suffice. ``needed`` is None where even the largest
    budget does not.
    """
    tried: dict[int, dict[str, Any]] = {}

    def enough(half_doublings: int) -> bool:
        labels = round(2.0 ** (half_doublings / 2.0))
        if labels not in tried:
            found = reach(labels)
            within, median = float(np.mean(found <= epsilon)), float(np.median(found))
            tried[labels] = {"labels": labels, "median_excess": median, "share_within": within}
        return bool(tried[labels]["median_excess"] <= epsilon)

    needed = None
    for budget in range(2 * ceil(2.0 * np.log2(1.0 / epsilon)), 2 * MOST_DOUBLINGS + 1, 2):
        if enough(budget) and enough(budget + 1):
            while budget > FEWEST_HALF_DOUBLINGS and enough(budget - 1):
                budget -= 1
            needed = round(2.0 ** (budget / 2.0))
            break
    return {"needed": needed, "tried": [tried[labels] for labels in sorted(tried)]}


def on_schedule(family: Family, method: str, seed: int, repetitions: int) -> dict[str, Any]:
    """Steps and rounds as the theorem sets them."""

    def reach(labels: int) -> Floats:
        rng = generator(seed, "schedule", family, method, labels)
        if method == "ERM":
            return erm_excess(family, labels, repetitions, rng)
        return excess(family, method, labels, family.schedule(), repetitions, rng)

    return labels_needed(reach, family.epsilon)


def tuned(family: Family, method: str, seed: int, repetitions: int) -> dict[str, Any]:
    """The best step and number of rounds for each budget, found in hindsight on other repetitions.

    No user could tune like that: it needs to know the excess. It shows what is left of the gap.
    """
    chosen: dict[int, Setting] = {}

    def reach(labels: int) -> Floats:
        rng = generator(seed, "tune", family, method, labels)
        trials = _trials(family, method, labels, repetitions, rng)
        chosen[labels] = min(trials, key=lambda setting: (np.median(trials[setting]), np.mean(trials[setting])))
        rng = generator(seed, "tuned", family, method, labels)
        return excess(family, method, labels, chosen[labels], repetitions, rng)

    found = labels_needed(reach, family.epsilon)
    if found["needed"] is not None:
        found |= vars(chosen[found["needed"]])
    return found


def _trials(family: Family, method: str, labels: int, repetitions: int, rng: Any) -> dict[Setting, Floats]:
    schedule = family.schedule()
    trials: dict[Setting, Floats] = {}
    for factor in STEP_FACTORS:
        longest = Setting(factor * schedule.step, LENGTHS[-1])
        settings = [replace(longest, rounds=length) for length in LENGTHS]
        if method in FRESH_LABELS:  # a shorter run sees more labels in each round
            for setting in settings:
                trials[setting] = excess(family, method, labels, setting, repetitions, rng)
        else:
            found = excess_by_length(family, method, labels, longest, LENGTHS, repetitions, rng)
            trials |= dict(zip(settings, found, strict=True))
    return trials
