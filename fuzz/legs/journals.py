"""Journals of studies: no damage changes a result; what is lost is run again."""

import json
import secrets
import warnings
from collections.abc import Iterator
from pathlib import Path
from random import Random

from agnoboost_experiments.journal import Journal

from ..byte_damage import damaged
from ..leg import Leg, Recipe, put
from ..outcomes import Outcome, Verdict, is_told_by_us, of_exception

FACTS = {
    "study": "fuzz",
    "command": "python -m fuzz",
    "settings": {"seed": 0, "sizes": [1, 2]},
    "versions": {"numpy": "2.0"},
}
RESULTS = {f"task {number}": {"value": number / 7, "list": [number, None, "ä"]} for number in range(12)}


class Journals(Leg):
    name = "journals"
    what = "journals of studies"
    share = 0.4
    kernels = False

    def start(self, folder: Path) -> None:
        self._place = folder / f"{secrets.token_hex(8)}.journal"
        journal = Journal(self._place, FACTS)
        journal.read()
        for name, result in RESULTS.items():
            journal.append({"name": name}, result)
        self._whole = self._place.read_bytes()

    def recipe(self, dice: Random) -> Recipe:
        return {"depth": "raw", "changes": [dice.getrandbits(32) for _ in range(dice.choice((1, 1, 2, 4)))]}

    def run(self, recipe: Recipe) -> Verdict:
        content = self._whole
        for number in recipe["changes"]:
            content = damaged(content, Random(number))
        put(self._place, content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = {json.loads(key)["name"]: result for key, result in Journal(self._place, FACTS).read().items()}
            except Exception as error:
                return Verdict(Outcome.REFUSED) if is_told_by_us(error) else of_exception(error, ())
        if any(RESULTS.get(name) != result for name, result in found.items()):
            return Verdict(Outcome.WRONG, "a result has changed")
        return Verdict(Outcome.SAME)

    def smaller(self, recipe: Recipe) -> Iterator[Recipe]:
        for place in range(len(recipe["changes"]) if len(recipe["changes"]) > 1 else 0):
            yield {**recipe, "changes": recipe["changes"][:place] + recipe["changes"][place + 1 :]}
