"""Rounds with trees in compiled code, many in one call, for batches that consist of the same rows every time."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..basics.content_luck import POISSON, content_keys
from ..basics.conventions import FINEST
from ..basics.typing import Arrays, Floats, Rng
from ..core.batch import Bootstrap, Fractional
from ..core.booster import Booster
from ..core.learners.base import WeakLearner
from ..core.learners.histogram_tree import KEY_BITS, KEYS, HistogramTreeLearner
from ..core.learners.regression_tree import as_hypotheses
from ..core.potentials import Huber
from ..core.rules import FixedStep, inverse_gamma
from ..core.samplers import LinearForm
from ..core.tape import Add, Shrink, Step, Tape
from ..kernels.dispatch import LOADING
from ..kernels.tree_rounds import RowProblem, TreeRoom, used_nodes
from .engine import Settings
from .lasting import LastingRows, Rounds

AT_ONCE, CELLS = 32, 5e7  # rounds without a look at Ctrl-C, fewer where they go through so many cells
ROUND = 3e-5  # seconds of a round beside its rows


class CompiledTrees(LastingRows):
    """Huber's potential on whole or bootstrapped batches: the loop's trees, without Python between rounds."""

    name = "trees"

    def __init__(self, booster: Booster, learner: WeakLearner, rounds: int, rng: Rng, settings: Settings):
        form, rule = _form(booster, learner), booster.rule
        assert isinstance(form, LinearForm), form  # see covers
        assert isinstance(rule, FixedStep)
        assert isinstance(learner, HistogramTreeLearner)
        assert learner.bins is not None
        super().__init__(booster, learner, rounds, rng, settings, tuple(part.rows.X for part in form.parts))
        self._bins = learner.bins
        codes = np.hstack([self._bins.encode(table) for table in self.tables])
        self._at_once = max(1, min(AT_ONCE, int(CELLS / codes.size)))
        self._drawn_at_random = isinstance(booster.realize, Bootstrap)
        unit = rule.unit(learner.binary)
        self._step = round(rule.step / unit)
        self._shrink = self._step // inverse_gamma(rule.gamma)
        self._run = TreeRoom(codes, self._bins.is_categorical).run(
            self._problem(form),
            learner.rule(*codes.shape),
            learner.leaves,
            unit,
            self._step // int(FINEST),
            self._shrink,
            rule.threshold,
        )

    def _problem(self, form: LinearForm) -> RowProblem:
        parts = form.parts
        nothing = [np.zeros(len(part.rows.y)) for part in parts]
        one = [np.ones(len(part.rows.y)) for part in parts]
        pull = [part.target(zero, part.rows.y) for part, zero in zip(parts, nothing, strict=True)]
        return RowProblem(
            mass=np.concatenate([part.in_batch * part.rows.mass for part in parts]),
            pull=np.concatenate(pull),
            # Mean labels are linear in psi'(H), which is 1 at H = 1.
            bend=np.concatenate(
                [own - part.target(at, part.rows.y) for own, part, at in zip(pull, parts, one, strict=True)]
            ),
            psi=np.concatenate([part.in_psi * part.rows.mass for part in parts]),
            label=np.concatenate([part.rows.mass * part.rows.y for part in parts]),
            keys=np.concatenate([content_keys(table) for table in self.tables])
            if self._drawn_at_random
            else np.zeros(sum(map(len, self.tables)), dtype=np.uint64),
            poisson=POISSON if self._drawn_at_random else np.empty(0),
        )

    @classmethod
    def covers(cls, booster: Booster, learner: WeakLearner, rounds: int) -> str | None:
        found = _form(booster, learner)
        return found if isinstance(found, str) else None

    @classmethod
    def seconds(cls, booster: Booster, learner: WeakLearner, rounds: int, runs: int) -> float:
        assert isinstance(learner, HistogramTreeLearner)  # see covers
        rows = sum(len(source.X) for source in booster.sampler.sources if source.X is not None)
        return LOADING + runs * rounds * (ROUND + learner.compiled_seconds(rows))

    def next(self, most: int) -> Rounds:
        count = min(most, self._at_once)
        draws = 2 if self._drawn_at_random else 1
        luck = np.zeros((count, 2), dtype=np.uint64)
        luck[:, 2 - draws :] = self.rng.integers(KEYS, size=(count, draws))
        luck[:, 1] &= np.uint64(KEY_BITS)
        grown, records = self._run.rounds(luck)
        trees = as_hypotheses(self._bins, used_nodes(grown), compiled=True)
        shrink = Shrink(self._shrink)
        steps: list[Step] = [
            Add(tree, self._step) if added else shrink for tree, added in zip(trees, records[:, 1], strict=True)
        ]
        return Rounds(steps, records[:, 0], records[:, 2])

    def restore(self, tape: Tape, facts: dict[str, Any], arrays: Arrays) -> None:
        margins: Floats = self._run.margins
        margins[:] = self.margins_of(tape)


def _form(booster: Booster, learner: WeakLearner) -> LinearForm | str:
    """A booster's batches in linear form; or why the engine cannot run it."""
    if type(learner) is not HistogramTreeLearner:
        return f"it grows histogram trees, not {type(learner).__name__}"
    if learner.bins is None:
        return "its bins are not placed yet"
    if type(booster.rule) is not FixedStep:
        return f"it takes fixed steps, not {type(booster.rule).__name__}"
    if type(booster.realize) is not Bootstrap and not (
        type(booster.realize) is Fractional and booster.realize.m is None
    ):
        return "it takes whole batches, or random multiplicities of all rows"
    form = booster.sampler.linear()
    if isinstance(form, str):
        return form
    if type(form.potential) is not Huber:
        return f"it descends Huber's potential, not {type(form.potential).__name__}"
    return form if form.same_rows else "batches hold rows several times"
