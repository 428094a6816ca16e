"""Random tables through the classifiers: refused with a sentence, or a model that is sound."""

import secrets
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import agnoboost as ab

from ..leg import Leg, Recipe
from ..outcomes import Outcome, Verdict, is_told_by_us, of_exception
from ..random_tables import made, table_recipe

MODELS = {
    "front door": lambda: ab.TableClassifier(effort="fast", random_state=0),
    "boosting": lambda: ab.AgnosticBoostingClassifier(n_rounds=5, random_state=0),
}


class Tables(Leg):
    name = "tables"
    what = "random tables and labels"
    share = 3.0
    megabytes = 2000

    def prepare(self, folder: Path) -> None:
        subprocess.run([sys.executable, "-m", "fuzz.scripts", "warm"], check=True)  # kernels take a while to compile

    def start(self, folder: Path) -> None:
        self._place = folder / f"{secrets.token_hex(8)}.agno"

    def recipe(self, dice: Random) -> Recipe:
        return {"model": dice.choice(("front door", "front door", "boosting")), **table_recipe(dice.choice)}

    def run(self, recipe: Recipe) -> Verdict:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            X, y = made(recipe)
            try:
                model = MODELS[recipe["model"]]().fit(X, y)
            except Exception as error:
                found = Verdict(Outcome.REFUSED) if is_told_by_us(error) else of_exception(error, ())
                return Verdict(found.outcome, found.detail, recipe["model"])
            try:
                why = _unsound(model, X, self._place)
            except Exception as error:  # what was learned from can be predicted, and saved
                found = of_exception(error, ())
                return Verdict(found.outcome, found.detail, recipe["model"])
        return Verdict(Outcome.WRONG if why else Outcome.SAME, why, recipe["model"])

    def smaller(self, recipe: Recipe) -> Iterator[Recipe]:
        columns = recipe["columns"]
        for place in range(len(columns) if len(columns) > 1 else 0):
            yield {**recipe, "columns": columns[:place] + columns[place + 1 :]}
        for plain in (
            {"rows": recipe["rows"] // 2 or 1},
            {"unlabeled": 0.0},
            {"names": "plain"},
            {"labels": "two words"},
        ):
            if any(recipe[name] != value for name, value in plain.items()):
                yield {**recipe, **plain}
        for place, column in enumerate(columns):
            if column["gaps"]:
                yield {**recipe, "columns": [*columns[:place], {**column, "gaps": 0.0}, *columns[place + 1 :]]}


def _unsound(model: Any, X: Any, place: Path) -> str:
    """What is wrong with a model; nothing if it is empty."""
    chances = model.predict_proba(X)
    if not np.isfinite(chances).all() or (chances < 0).any() or not np.allclose(chances.sum(axis=1), 1.0):
        return "chances that are none"
    if not set(model.predict(X).tolist()) <= set(model.classes_.tolist()):
        return "a class that there is not"
    alone = model.predict_proba(X[:1])
    if not np.allclose(alone, chances[:1], atol=1e-9):
        return "a row alone gets another answer than among others"
    model.save(place)
    if not np.array_equal(ab.load(place).predict_proba(X), chances):
        return "a saved model answers differently"
    return ""
