"""Boosted regression trees on binned columns, for several runs at once: folds or bags of the same rows.

A run descends

    sum over its rows of  count * (mass * psi(H(x)) - label * H(x))

by one tree a round, and is judged by the same sum over the rows that it does not hold. A leaf moves H by ``step`` times

    (sum of minus the gradients) / (sum of the curvatures + ridge),

and trees grow leaf by leaf, the one with the most to gain first, or level by level if depth alone limits them. What a
run gives does not depend on threads, nor on whether it was compiled: see :mod:`.tree_arithmetic`. Random choices of a
node depend on its place in the tree, not on when it was made.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.checks import check_between, check_count, check_positive, check_word
from ..basics.typing import Bools, Floats, Ints
from . import growing
from . import plain_gradient_trees as plain
from .dispatch import cores, pays_by_now
from .forest import MOST_FEATURES, Forest
from .tree_arithmetic import mixed
from .tree_tables import FIELDS, GrowthRule, GrowthWork, TreeTables

Codes = npt.NDArray[np.uint8]

MOST_ROWS = 2**30  # beyond, whole numbers would have too few bits
LARGEST = 1e100  # of masses and labels


@dataclass(frozen=True)
class TreeGrowth:
    """How trees are grown; ``ridge`` and ``least`` (what a leaf must hold) are sums of curvatures.

    The curvature of a row is its mass times psi'': 1/2 at first and then less for "logistic", 1 for "huber". Depth 0
    stands for any depth, ``features`` for the share that a node looks at. With ``random_cuts`` a node looks at one cut
    of a feature, drawn between the lowest and the highest bin it has. ``symmetric`` trees have one cut a level: the one
    that gains most over all leaves, of which those with too little on a side stay whole.

    With ``patience`` a run ends when the potential of its rows outside has not fallen for so many rounds, and keeps the
    best; with 0 it keeps all. Runs that stay ``together`` keep the same number of rounds, at least one: that at which
    the mean of their margins has the lowest potential, each row by the runs that do not hold it. They have patience
    together, too; with 0 they try all rounds.

    A node with more than four categories of a column divides them into two sets, which ``smooth`` keeps from being made
    up by chance: it is added to the ridge when categories are put in order and sets are judged.
    """

    rounds: int = 100
    leaves: int = 31
    depth: int = 0
    step: float = 0.1
    ridge: float = 1.0
    least: float = 1.0
    smooth: float = 10.0
    potential: str = "logistic"
    features: float = 1.0
    random_cuts: bool = False
    symmetric: bool = False
    patience: int = 0
    together: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        check_count(self.rounds, "rounds")
        check_count(self.leaves, "leaves")
        check_positive(self.step, "step")
        check_between(self.features, 0.0, 1.0, "features")
        check_word(self.potential, ("logistic", "huber"), "potential")
        for name in ("depth", "patience", "seed"):
            check_count(getattr(self, name), name, least=0)
        for name in ("ridge", "least", "smooth"):
            check_between(getattr(self, name), 0.0, LARGEST, name, open_low=False)
        if self.symmetric and (self.random_cuts or self.features < 1.0 or not self.by_level):
            raise ValueError(
                "Symmetric trees need a depth and room for 2**depth leaves, and look at all features and cuts. Got "
                f"depth={self.depth}, leaves={self.leaves}, features={self.features}, random_cuts={self.random_cuts}."
            )

    @property
    def huber(self) -> bool:
        return self.potential == "huber"

    @property
    def by_level(self) -> bool:
        """Whether depth alone limits trees."""
        return 0 < self.depth < 30 and self.leaves >= 2**self.depth

    def most_leaves(self, rows: int) -> int:
        """Leaves are bounded by their number, by depth and by the rows."""
        deepest = 2**self.depth if 0 < self.depth < 30 else self.leaves
        return max(1, min(self.leaves, deepest, rows))

    def rule(self, features: int, rows: int) -> GrowthRule:
        """In numbers, for a table."""
        return GrowthRule(
            self.huber,
            self.most_leaves(rows),
            self.depth,
            self.by_level,
            float(self.step),
            float(self.ridge),
            float(self.least),
            float(self.smooth),
            max(1, round(self.features * features)),
            bool(self.random_cuts),
            0 if self.together else self.patience,
            bool(self.symmetric),
        )


@dataclass(frozen=True)
class GrownTrees:
    """What ``grow`` gives: the rounds that were kept, and how they do on the rows outside."""

    forest: Forest
    kept: Ints  # rounds of each run
    margins: Floats  # of the rows outside by those rounds, NaN inside (shape: runs, rows)
    potential: Floats
    """That of the rows outside after 0, 1, ... rounds, NaN where there was none (shape: runs, rounds + 1).

    Of runs that stay together, it is that of the mean margin (shape: 1, rounds + 1)."""

    def outside(self) -> Floats:
        """The mean margin of each row by the runs that have not seen it; NaN if all have."""
        return _mean(self.margins, ~np.isnan(self.margins))


def grow(
    codes: Codes,
    mass: Floats,
    label: Floats,
    counts: npt.NDArray[Any],
    growth: TreeGrowth,
    *,
    categorical: Bools | None = None,
    base: Floats | None = None,
    threads: int | None = None,
    compiled: bool | None = None,
) -> GrownTrees:
    """Boosted trees for every run.

    ``codes`` are bins (shape: features, rows) with 255 for missing values, ``mass`` and ``label`` what each row weighs
    and pulls (mass times its mean label), ``counts`` how often each run holds each row (shape: runs, rows), ``base``
    the margin that each run starts with.

    >>> codes = np.array([[0, 0, 1, 1, 2, 2, 0, 1]], dtype=np.uint8)
    >>> label = np.array([-1.0, -1, 1, 1, 1, 1, -1, 1])
    >>> folds = np.arange(8) % 2 != [[0], [1]]
    >>> found = grow(codes, np.ones(8), label, folds, TreeGrowth(rounds=3, leaves=2, least=0.0, patience=1))
    >>> found.kept
    array([3, 3])
    >>> (found.outside() > 0) == (label > 0)
    array([ True,  True,  True,  True,  True,  True,  True,  True])
    >>> found.forest.margins(codes).mean(axis=0).shape
    (8,)
    """
    codes = np.ascontiguousarray(codes)
    mass, label = (np.ascontiguousarray(values, dtype=np.float64) for values in (mass, label))
    counts = np.atleast_2d(counts)
    runs = len(counts)
    kinds = np.zeros(len(codes), dtype=bool) if categorical is None else np.ascontiguousarray(categorical, dtype=bool)
    start = np.zeros(runs) if base is None else np.ascontiguousarray(base, dtype=np.float64)
    _check(codes, mass, label, counts, kinds, start)
    rule = growth.rule(*codes.shape)
    if compiled is None:
        compiled = pays_by_now(plain.seconds(codes, runs, growth.rounds, rule))
    tables = TreeTables.room(runs, growth.rounds, rule.leaves)
    keys = mixed(growth.seed & 0xFFFFFFFF, np.arange(runs))
    work = GrowthWork(codes, kinds, mass, label, counts, rule, tables, keys, start)
    if growth.together:
        together = growing.rounds(work, cores(threads)) if compiled else plain.rounds(work, np.ones(runs, dtype=bool))
        rounds, margins, potential = _best_together(together, counts == 0, mass, label, growth)
        kept = np.full(runs, rounds)
    else:
        kept, margins = growing.grow_runs(work, cores(threads)) if compiled else plain.grow_runs(work)
        potential = tables.potential
    return GrownTrees(_joined(len(codes), start, tables, kept), kept, margins, potential)


def _check(codes: Codes, mass: Floats, label: Floats, counts: npt.NDArray[Any], kinds: Bools, base: Floats) -> None:
    if codes.dtype != np.uint8 or codes.ndim != 2 or not 0 < len(codes) < MOST_FEATURES:
        raise ValueError(f"codes must be bytes of shape (features, rows). Got {codes.dtype} of shape {codes.shape}.")
    features, rows = codes.shape
    if not 0 < rows < MOST_ROWS:
        raise ValueError(f"codes must have 1 to {MOST_ROWS} rows. Got {rows}.")
    for name, values, shape in (
        ("mass", mass, (rows,)),
        ("label", label, (rows,)),
        ("counts", counts, (len(counts), rows)),
        ("categorical", kinds, (features,)),
        ("base", base, (len(counts),)),
    ):
        if values.shape != shape:
            raise ValueError(f"{name} must have the shape {shape}. Got {values.shape}.")
    for name, values, lowest in (("mass", mass, 0.0), ("label", label, -LARGEST), ("base", base, -LARGEST)):
        if not ((values >= lowest) & (values <= LARGEST)).all():
            raise ValueError(f"{name} must hold numbers from {lowest:g} to {LARGEST:g}.")
    if counts.dtype.kind not in "bui" or (counts < 0).any() or not counts.any(axis=1).all():
        raise ValueError("counts must be whole numbers of at least 0, and every run must hold a row.")


def _best_together(
    by_round: Iterable[Floats], outside: Bools, mass: Floats, label: Floats, growth: TreeGrowth
) -> tuple[int, Floats, Floats]:
    """The round at which the mean margin is the best, the margins of each run then, and all potentials."""
    judged = outside.any(axis=0)
    potential = np.full((1, growth.rounds + 1), np.nan)
    kept, best = growth.rounds, np.full(outside.shape, np.nan)
    for done, margins in enumerate(by_round):
        if judged.any():
            mean = _mean(margins, outside)[judged]
            potential[0, done] = plain.potential(mean, mass[judged], label[judged], growth.huber)
            if done == 1 or (done > 1 and potential[0, done] < potential[0, kept]):
                kept, best = done, np.where(outside, margins, np.nan)
            elif growth.patience and done >= kept + growth.patience:
                break
    return kept, best, potential


def _mean(margins: Floats, outside: Bools) -> Floats:
    """Over the runs that do not hold a row; NaN if all do."""
    count = outside.sum(axis=0)
    return np.where(count > 0, np.where(outside, margins, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan)


def _joined(features: int, base: Floats, tables: TreeTables, kept: Ints) -> Forest:
    """The trees that were kept, one after the other."""
    whole = np.arange(tables.size.shape[1]) < kept[:, None]
    used = whole[:, :, None] & (np.arange(tables.child.shape[2]) < tables.size[:, :, None])
    trees, nodes = (np.append(0, np.cumsum(lengths)) for lengths in (kept, tables.size[whole]))
    made: list[Any] = [table[used] for table in tables[:FIELDS]]
    feature, low, width, child, value, sets = made
    divided = sets.any(axis=1)
    group = np.where(divided, np.cumsum(divided), 0).astype(np.int32)
    return Forest(features, base, trees, nodes, feature, low, width, child, value, group, sets[divided])
