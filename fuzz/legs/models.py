"""Model files and policies: refused with a sentence, or loaded with the answers that they stand for."""

import pickle
import secrets
import warnings
from pathlib import Path
from random import Random

import numpy as np

import agnoboost as ab

from .. import kernels
from ..leg import Recipe, put
from ..models import answers, saved
from ..outcomes import Outcome, Verdict, is_told_by_us, of_exception
from .archive_leg import ArchiveLeg


class ModelFiles(ArchiveLeg):
    name = "models"
    what = "model files and policies"
    share = 4.0
    depths = ("raw", "corrected", "structural", "structural")

    def prepare(self, folder: Path) -> None:
        saved(folder)

    def start(self, folder: Path) -> None:
        self.bases = {path.stem: path.read_bytes() for path in sorted(folder.glob("*.agno"))}
        self._rows = {name: pickle.loads((folder / f"{name}.rows").read_bytes()) for name in self.bases}
        self._known = {}
        for one in kernels.KERNELS:
            kernels.use(one)
            for name, rows in self._rows.items():
                self._known[one, name] = answers(ab.load(folder / f"{name}.agno"), rows)
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
                model = ab.load(self._place)
            except Exception as error:
                return of_exception(error, (ab.ModelFileError,))
            try:
                found = answers(model, self._rows[name])
            except Exception as error:
                if is_told_by_us(error) and not nonsense and depth != "raw":
                    return Verdict(Outcome.OTHER, "a model of other columns")
                return of_exception(error, ())
        if why := _invalid(model, found):
            return Verdict(Outcome.WRONG, why)
        if _equal(found, self._known[recipe["kernels"], name]):
            return Verdict(Outcome.SAME)
        if depth == "raw" or (nonsense and self._is_to_blame(recipe)):
            return Verdict(Outcome.WRONG, "loads, and answers differently")
        return Verdict(Outcome.OTHER)

    def _is_to_blame(self, recipe: Recipe) -> bool:
        """Whether nonsense makes the difference by itself: it may be harmless, and stand beside another valid model."""
        alone = list(self.alone(recipe))
        return len(alone) == 1 or any(self.damaged(one)[2] and self.run(one).outcome.is_finding for one in alone)


def _invalid(model: object, found: tuple[np.ndarray, ...]) -> str | None:
    """Why answers cannot be those of any model."""
    chances = found[0]
    if chances.dtype.kind != "f" or not np.isfinite(chances).all() or (chances < 0).any() or (chances > 1).any():
        return "chances that are none"
    if len(found) > 1:
        if not np.allclose(chances.sum(axis=1), 1.0):
            return "chances that do not sum to one"
        if len(set(model.classes_.tolist())) != chances.shape[1]:
            return "classes that are not different"
        if not set(found[1].tolist()) <= set(model.classes_.tolist()):
            return "a class that there is not"
    return None


def _equal(found: tuple[np.ndarray, ...], known: tuple[np.ndarray, ...]) -> bool:
    return all(one.shape == other.shape and (one == other).all() for one, other in zip(found, known, strict=True))
