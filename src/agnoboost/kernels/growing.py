"""The Python side of compiled rounds: room to work, and threads within one run.

A run on one thread stays in compiled code for many rounds. With more threads, derivatives and the histograms of large
nodes are shared out: their sums are whole numbers, so it does not matter who adds what.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.typing import Bools, Floats, Ints
from .binning import MISSING, WIDTH
from .dispatch import in_parts, one_by_one, summed_in_parts
from .tree_arithmetic import mixed
from .tree_tables import GrowthRule, GrowthWork, TreeTables

MANY = 50_000  # rows of a node from which on threads share them
AT_ONCE = 16  # rounds without a look at Ctrl-C
TOGETHER = 8  # rounds of every run, of runs that stay together, before the next is looked at
STATE = 5  # numbers that say how far a run is
NO_TRACE = np.zeros((0, 0))


@dataclass(frozen=True)
class RunRows:
    """One run's share of the rows: how much each weighs and pulls, those inside, and those outside to judge by."""

    mass: Floats
    label: Floats
    inside: npt.NDArray[np.uint32]
    outside: npt.NDArray[np.uint32]
    seen: Floats  # mass and label of the rows outside (shape: 2, rows)

    @classmethod
    def of(cls, mass: Floats, label: Floats, counts: npt.NDArray[Any]) -> RunRows:
        inside, outside = (np.flatnonzero(which).astype(np.uint32) for which in (counts > 0, counts == 0))
        return cls(mass * counts, label * counts, inside, outside, np.stack([mass[outside], label[outside]]))


def grow_runs(work: GrowthWork, threads: int) -> tuple[Ints, Floats]:
    """Twin of :func:`agnoboost.kernels.plain_gradient_trees.grow_runs`; threads share runs, and then their rows."""
    from .compiled import gradient_trees as kernels

    codes, categorical, mass, label, counts, rule, grown, keys, base = work
    table = table_of(kernels, codes, categorical)
    margins = np.full(counts.shape, np.nan)

    def grow_one(run: int) -> int:
        sample, own = RunRows.of(mass, label, counts[run]), TreeTables(*(part[run] for part in grown))
        each = max(1, threads // len(base))
        kept, best = _rounds(kernels, table, sample, rule, own, int(keys[run]), float(base[run]), each)
        margins[run, sample.outside] = best
        return kept

    return np.array(one_by_one(grow_one, len(base), threads), dtype=np.int64), margins


def rounds(work: GrowthWork, threads: int) -> Iterator[Floats]:
    """Twin of :func:`agnoboost.kernels.plain_gradient_trees.rounds` for runs that stay together: none stands still."""
    from .compiled import gradient_trees as kernels

    codes, categorical, mass, label, counts, rule, grown, keys, base = work
    table = table_of(kernels, codes, categorical)
    samples = [RunRows.of(mass, label, own) for own in counts]
    rows = [rows_for(kernels, sample, start) for sample, start in zip(samples, base.tolist(), strict=True)]
    states = np.zeros((len(base), STATE), dtype=np.int64)
    rooms: list[Any] = []  # to work in, one for each thread

    def go_on(last: int, traces: Floats, run: int) -> None:
        nodes, space = rooms.pop() if rooms else room_for(kernels, table, rule)
        own, space = TreeTables(*(part[run] for part in grown)), space._replace(state=states[run])
        kernels.rounds(table, rows[run], nodes, space, rule, own, int(keys[run]), last, traces[run])
        rooms.append((nodes, space))

    yield np.repeat(base[:, None], codes.shape[1], axis=1)
    total = grown.size.shape[1]
    for first in range(0, total, TOGETHER):
        last = min(first + TOGETHER, total)
        traces = np.empty((len(base), last - first, codes.shape[1]))
        one_by_one(partial(go_on, last, traces), len(base), threads)
        yield from traces.swapaxes(0, 1)


def table_of(kernels: Any, codes: npt.NDArray[np.uint8], categorical: Bools) -> Any:
    """A binned table (features, rows) as kernels see it."""
    gaps = (codes == MISSING).any(axis=1)
    known = np.array([int(column[column != MISSING].max(initial=0)) + 1 for column in codes])
    cells = np.append(0, np.cumsum(np.where(gaps, WIDTH, known)))
    return kernels.Table(codes, np.ascontiguousarray(codes.T), cells, known, gaps, categorical)


def _rounds(
    kernels: Any, table: Any, sample: RunRows, rule: GrowthRule, grown: TreeTables, key: int, base: float, threads: int
) -> tuple[int, Floats]:
    """All rounds of one run: how many to keep, and the margins of the rows outside after these."""
    rows, (nodes, space) = rows_for(kernels, sample, base), room_for(kernels, table, rule)
    on = kernels.keep_best(rows, grown, space, rule)
    while on and space.state[kernels.ROUNDS] < len(grown.size):
        if threads == 1 or len(sample.inside) < MANY:
            last = min(space.state[kernels.ROUNDS] + AT_ONCE, len(grown.size))
            on = kernels.rounds(table, rows, nodes, space, rule, grown, key, last, NO_TRACE)
        else:
            _grow_shared(kernels, table, rows, nodes, space, rule, grown, key, threads)
            on = kernels.end_round(table, rows, nodes, space, rule, grown)
    return int(space.state[kernels.KEPT]), rows.best


def rows_for(kernels: Any, sample: RunRows, base: float) -> Any:
    """One run's rows as kernels see them, with the margin that it starts with."""
    count = len(sample.mass)
    return kernels.Rows(
        mass=sample.mass,
        label=sample.label,
        margin=np.full(count, base),
        gradient=np.empty(count),
        curvature=np.empty(count),
        packed=np.empty((count, 1), dtype=np.int64),
        inside=sample.inside,
        order=np.empty_like(sample.inside),
        scratch=np.empty_like(sample.inside),
        outside=sample.outside,
        seen=sample.seen,
        best=np.full(len(sample.outside), base),
    )


def room_for(kernels: Any, table: Any, rule: GrowthRule) -> tuple[Any, Any]:
    """Arrays to grow trees in: nodes and the rest."""
    most = 2 * rule.leaves - 1
    begin, end, total, depth, key, slot = np.zeros((6, most), dtype=np.int64)
    sums = np.zeros((rule.leaves, table.start[-1]), dtype=np.int64)
    cut, sets = np.zeros((most, 3), dtype=np.int64), np.zeros((most, 4), dtype=np.uint64)
    nodes = kernels.Nodes(begin, end, total, depth, key, slot, np.full(most, -1.0), cut, sets, sums)
    space = kernels.Space(
        units=np.ones(2),
        steps=np.zeros(most, dtype=np.int64),
        group=np.zeros(most, dtype=np.int32),
        left=np.zeros(2 * WIDTH, dtype=np.int64),
        score=np.zeros(2 * WIDTH),
        ordered=np.zeros(WIDTH + 1, dtype=np.int64),
        chosen=np.zeros((2, len(table.known)), dtype=np.int64),
        goes_left=np.zeros(WIDTH, dtype=np.int64),
        level=_level_of(table, rule),
        state=np.zeros(STATE, dtype=np.int64),
    )
    return nodes, space


def _level_of(table: Any, rule: GrowthRule) -> Any:
    """Room for the cuts of levels, if any."""
    from .compiled import level_cuts

    cells = table.start[-1] if rule.symmetric else 0
    whole, order, left = np.zeros((3, cells), dtype=np.int64)
    score, joint, with_missing = np.zeros((3, cells))
    sets, leaves = np.zeros(len(table.known), dtype=np.int64), np.zeros(rule.leaves, dtype=np.int64)
    return level_cuts.Level(whole, sets, order, left, score, joint, with_missing, leaves)


def _grow_shared(
    kernels: Any,
    table: Any,
    rows: Any,
    nodes: Any,
    space: Any,
    rule: GrowthRule,
    grown: TreeTables,
    key: int,
    threads: int,
) -> None:
    """One tree by all threads."""
    number = int(space.state[kernels.ROUNDS])
    in_parts(kernels.derive, len(rows.margin), threads, rows, rule.huber)
    kernels.start_round(rows, nodes, space, mixed(key, number))
    fresh, tree = 0, kernels.tree_of(grown, number)
    while True:
        own = rows.order[nodes.begin[fresh] : nodes.end[fresh]]
        sums = nodes.sums[nodes.slot[fresh]]
        summed_in_parts(kernels.add_rows, len(own), threads, sums, table.codes, table.start, rows.packed, own)
        fresh = kernels.grow_on(table, rows, nodes, space, rule, tree, fresh, MANY)
        if fresh == 0:
            return
