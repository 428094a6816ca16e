"""Whether nodes and their children are trees: then no row can walk in circles, or for longer than a stated depth."""

from __future__ import annotations

import numpy as np

from .fact_schema import SchemaError
from .typing import Bools, Ints

DEEPEST = 256  # levels


def check_trees(below: Ints, above: Ints, inner: Bools, roots: Ints) -> None:
    """Refuse nodes that are reached twice or never, and trees that are too deep.

    ``below`` and ``above`` are the numbers of each node's children, and count where ``inner`` says that it has some.
    All numbers must be those of nodes.
    """
    seen = np.zeros(len(inner), dtype=bool)
    for children in (below[inner], above[inner], roots):
        seen[children] = True
    if 2 * np.count_nonzero(inner) + len(roots) != len(inner) or not seen.all():
        raise SchemaError("every node of a tree must be reached once")
    level, reached = roots.astype(np.int64), len(roots)
    for _ in range(DEEPEST):
        level = level[inner[level]]
        if not len(level):
            break
        level = np.concatenate([below[level], above[level]]).astype(np.int64)
        reached += len(level)
    else:
        raise SchemaError(f"trees must have at most {DEEPEST} levels")
    if reached != len(inner):
        raise SchemaError("every node of a tree must be reached from its root")
