"""A tape as moves by bin: how a keeper's margins came to be what they are."""

from __future__ import annotations

import numpy as np

from ....basics.typing import Ints
from ....core.tape import Add, Shrink, Tape
from ....kernels.binning import WIDTH
from ....kernels.cells import Layout
from .base import Moves


def segments(tape: Tape, layout: Layout) -> list[Moves]:
    """The steps of a tape of stumps, summed up by feature between two case-B steps: see :meth:`Keeper.restart`."""
    tables: dict[Add, tuple[int, Ints]] = {}
    found: list[dict[int, Ints]] = [{}]
    for step in tape.steps:
        if isinstance(step, Shrink):
            found.append({})
            continue
        if step not in tables:
            feature = step.hypothesis.feature  # type: ignore[attr-defined]
            tables[step] = feature, Tape.of(tape.unit, [step]).replay(layout.examples(feature))
        feature, table = tables[step]
        found[-1][feature] = found[-1].get(feature, 0) + table
    return [_moves(segment) for segment in found]


def _moves(segment: dict[int, Ints]) -> Moves:
    table = np.zeros((len(segment), WIDTH), dtype=np.int32)
    for place, own in enumerate(segment.values()):
        table[place, : len(own)] = own
    return Moves(np.array(list(segment), dtype=np.int64), table)
