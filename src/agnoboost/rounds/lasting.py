"""What engines share whose rows are the same in every round: the counting of rows, and records."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..basics.typing import Arrays, Floats, Ints, Matrix, Rng
from ..core.booster import Booster
from ..core.history import History
from ..core.learners.base import WeakLearner
from ..core.sources import Source
from ..core.tape import Add, Step, Tape
from .engine import Engine, Settings


@dataclass(frozen=True)
class Rounds:
    """What came of some rounds: their steps, the edges they rest on, and the potential before each."""

    steps: list[Step]
    edges: Floats
    potentials: Floats


class LastingRows(Engine):
    """Rounds on ``tables`` that never change: their sources are told of the rows, but nothing is drawn."""

    def __init__(
        self,
        booster: Booster,
        learner: WeakLearner,
        rounds: int,
        rng: Rng,
        settings: Settings,
        tables: tuple[Matrix, ...],
    ):
        super().__init__(booster, learner, rounds, rng, settings)
        self.tables = tables
        *once, self._every_round = booster.sampler.sources
        for source in once:  # counts are what theorems bound
            source.drawn += _rows(source)

    @abstractmethod
    def next(self, most: int) -> Rounds:
        """The next rounds: at least one, at most ``most``."""

    def advance(self, tape: Tape, most: int) -> tuple[list[Step], History]:
        found = self.next(most)
        count = len(found.steps)
        labeled, unlabeled = self._drawn(count).T
        records = History.of(
            number=list(range(len(tape) + 1, len(tape) + count + 1)),
            edge=found.edges.tolist(),
            branch=["A" if isinstance(step, Add) else "B" for step in found.steps],
            potential=found.potentials.tolist(),
            labeled_drawn=labeled.tolist(),
            unlabeled_drawn=unlabeled.tolist(),
        )
        return found.steps, records

    def _drawn(self, rounds: int) -> Ints:
        """Labeled and unlabeled rows drawn since the start, after each of some further rounds."""
        rows = _rows(self._every_round)
        per_round = np.array([rows, 0] if self._every_round.labeled else [0, rows])
        before = np.array(self.booster.sampler.drawn) - self.start
        self._every_round.drawn += rows * rounds
        return np.asarray(before + np.arange(1, rounds + 1)[:, None] * per_round)

    def pack(self) -> tuple[dict[str, Any], Arrays]:
        return {}, {}

    def margins_of(self, tape: Tape) -> Ints:
        """The margins of all rows after the steps of ``tape``."""
        return np.concatenate([tape.replay(table) for table in self.tables])


def _rows(source: Source) -> int:
    """How many rows a source hands out whenever it is asked for all."""
    whole = source.whole()
    assert whole is not None  # else they would not be lasting rows
    return whole.rows
