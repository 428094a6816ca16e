"""Incremental rounds on rows that stay elsewhere: the rounds run here, whoever keeps the rows is asked."""

from __future__ import annotations

import numpy as np

from ...basics.errors import RowsLostError
from ...core.far_rows import FarRows
from ..engine import Together
from ..lasting import Rounds
from ..stumps.compiled import IncrementalStumps
from ..stumps.encoding import Encoding
from ..stumps.keepers.base import Keeper
from ..stumps.problem import Problem
from .table import FarTable, Sides


class FarStumps(IncrementalStumps):
    """Rounds of one problem whose rows are kept by a :class:`.table.FarTable`."""

    name = "far"
    far = True

    _lost: RowsLostError | None = None

    @classmethod
    def cost(cls, problem: Problem, runs: int) -> float:
        return 0.0  # nobody else can

    def _encoding(self, together: Together) -> Encoding:
        return Encoding(self._table.layout)

    @property
    def _table(self) -> FarTable:
        table: FarTable = self._sources[0].table
        return table

    @property
    def _sources(self) -> list[FarRows]:
        found = [part.rows.far for part in self.problem.form.parts]
        return [source for source in found if source is not None]

    def _keeper(self) -> Keeper:
        """Rows weigh what those of a table in memory would, which has the labeled ones first."""
        problem, rows = self.problem, {source.labeled: 1.0 / len(source) for source in self._sources}
        in_psi = {source.labeled: part.in_psi for source, part in zip(self._sources, problem.form.parts, strict=True)}
        real = np.array([in_psi.get(labeled, 0.0) * rows.get(labeled, 0.0) for labeled in (True, False)])
        weights, weight_unit = problem.whole_weights(real)
        counting = problem.counting(self._table.layout.start, weight_unit, rows[True])
        positive = next(source.positive for source in self._sources if source.labeled)
        return self._table.keeper(counting, Sides(positive, *weights.tolist()))

    def next(self, most: int) -> Rounds:
        """The next rounds. If rows are lost on the way, those that were done are handed out before that is told."""
        if self._lost is not None:
            raise self._lost
        start = self._board.round
        try:
            return super().next(most)
        except RowsLostError as error:
            if self._board.round == start:
                raise
            self._lost = error
            return self._board.outcome(start)
