"""Several keepers of parts of the rows as one: sums are added, zones are put one after the other."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....basics.typing import Ints
from ..counting import Counting
from .base import Keeper, Moves, StumpTables, Taken, Totals, Zone


class PartsKeeper(Keeper):
    """Asks all keepers of parts the same question, and makes one answer of theirs. Where they are says a subclass."""

    def __init__(
        self, counting: Counting, rows: Sequence[int], lanes: int, pass_cost: int, joint_cost: float | None = None
    ):
        self.counting, self.rows = counting, sum(rows)
        self.lanes, self.pass_cost, self.joint_cost = lanes, pass_cost, joint_cost

    @abstractmethod
    def _ask(self, question: str, *arguments: Any) -> list[Any]:
        """What each keeper answers to the question of this name, in the order of the parts."""

    def totals(self) -> Totals:
        found: list[Totals] = self._ask("totals")
        return Totals(_sum(own.labels for own in found), sum(own.weight for own in found))

    def restart(self, segments: Sequence[Moves]) -> Ints:
        return _sum(self._ask("restart", list(segments)))

    def columns(self, stumps: StumpTables) -> Ints:
        return _sum(self._ask("columns", stumps))

    def joint(self, features: Ints) -> Ints:
        return _sum(self._ask("joint", features))

    def catch_up(self, moves: Moves) -> Ints:
        return _sum(self._ask("catch_up", moves))

    def zone(self, distance: int) -> Zone:
        found: list[Zone] = self._ask("zone", distance)
        return Zone(
            np.concatenate([own.margins for own in found]),
            np.concatenate([own.weights for own in found]),
            np.concatenate([own.codes for own in found]),
        )

    def take(self, moves: Moves, step: Moves | None) -> Taken:
        found: list[Taken] = self._ask("take", moves, step)
        return Taken(_sum(own.change for own in found), sum(own.potential for own in found))


class KeepersHere(PartsKeeper):
    """Keepers in this process, which are asked one after the other."""

    def __init__(self, keepers: Sequence[Keeper]):
        lanes, pass_cost = min(own.lanes for own in keepers), sum(own.pass_cost for own in keepers)
        super().__init__(keepers[0].counting, [own.rows for own in keepers], lanes, pass_cost, keepers[0].joint_cost)
        self._keepers = keepers

    def _ask(self, question: str, *arguments: Any) -> list[Any]:
        return [getattr(keeper, question)(*arguments) for keeper in self._keepers]


def _sum(answers: Any) -> Ints:
    first, *others = answers
    for other in others:
        first = first + other
    return np.asarray(first)
