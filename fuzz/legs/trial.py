"""Cases that go wrong on purpose: whether the campaign notices, and makes them small."""

import os
import time
from collections.abc import Callable, Iterator
from random import Random

from ..leg import Leg, Recipe
from ..outcomes import Outcome, Verdict, of_exception


def _raise(error: BaseException) -> None:
    raise error


def _loop() -> None:
    while True:
        time.sleep(0.01)


FAULTS: dict[str, Callable[[], object]] = {
    "none": lambda: None,
    "refused": lambda: _raise(ValueError("no")),
    "foreign": lambda: _raise(KeyError("what")),
    "memory": lambda: bytearray(10**12),
    "hang": _loop,
    "abort": os.abort,
    "exit": lambda: os._exit(3),
}


class Trial(Leg):
    name = "trial"
    what = "cases that go wrong on purpose"
    share = 0.0
    kernels = False
    seconds = waiting = 0.3
    cases = 2 * len(FAULTS)

    def numbered(self, seed: int, number: int) -> Recipe:
        return {"fault": list(FAULTS)[number % len(FAULTS)], "ballast": [seed, number]}

    def recipe(self, dice: Random) -> Recipe:
        return {"fault": dice.choice(list(FAULTS)), "ballast": []}

    def run(self, recipe: Recipe) -> Verdict:
        try:
            FAULTS[recipe["fault"]]()
        except Exception as error:
            return of_exception(error, (ValueError,))
        return Verdict(Outcome.SAME)

    def smaller(self, recipe: Recipe) -> Iterator[Recipe]:
        if recipe["ballast"]:
            yield {**recipe, "ballast": recipe["ballast"][1:]}
