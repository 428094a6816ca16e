"""Checkpoints: refused with a sentence, or gone on from to the end of a run that was never stopped."""

import secrets
import warnings
from pathlib import Path
from random import Random

import numpy as np

import agnoboost as ab
from agnoboost.basics.errors import CheckpointError

from .. import kernels
from ..leg import Recipe, put
from ..outcomes import Outcome, Verdict, is_told_by_us, of_exception
from ..runs import ROUNDS, RUNS, SEED, data
from .archive_leg import ArchiveLeg

CASES = tuple(RUNS)


class Checkpoints(ArchiveLeg):
    name = "checkpoints"
    what = "checkpoints"
    share = 1.0
    depths = ("raw", "corrected", "structural", "structural", "sealed")

    def prepare(self, folder: Path) -> None:
        for name in CASES:
            _run(name, folder / f"{name}.checkpoint", ROUNDS // 2)

    def start(self, folder: Path) -> None:
        self.bases = {name: (folder / f"{name}.checkpoint").read_bytes() for name in CASES}
        for one in kernels.KERNELS:
            kernels.use(one)
            self._whole = {name: _run(name, None, ROUNDS) for name in CASES}
        self._place = folder / f"case-{secrets.token_hex(8)}"

    def recipe(self, dice: Random) -> Recipe:
        return {**super().recipe(dice), "kernels": dice.choice(tuple(kernels.KERNELS))}

    def run(self, recipe: Recipe) -> Verdict:
        name, depth = recipe["base"], recipe["depth"]
        kernels.use(recipe["kernels"])
        content, _, nonsense = self.damaged(recipe)
        put(self._place, content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                run = _run(name, self._place, ROUNDS)
            except Exception as error:
                if is_told_by_us(error):  # of rows that come later, and have other columns than the file says
                    return Verdict(Outcome.REFUSED)
                return of_exception(error, (CheckpointError,))
        if run.tape == self._whole[name].tape:
            return Verdict(Outcome.SAME)
        if depth == "sealed" and not nonsense:  # a state that another run might have had
            return Verdict(Outcome.OTHER)
        return Verdict(Outcome.WRONG, "ends with another tape")


def _run(name: str, path: Path | None, rounds: int) -> ab.Run:
    booster, learner, settings = RUNS[name](*data(np.random.default_rng(0)))
    return ab.boost(booster, learner, rounds=rounds, rng=SEED, checkpoint=path, **settings)
