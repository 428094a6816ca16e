"""How a table is drawn from: a pool that a machine labels, gold labels for its first rows, and rows that score."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

import numpy as np

from agnoboost.basics.typing import Bools, Floats, Ints, Matrix

from ..few_labels.tables import FEWEST_OF_A_CLASS
from ..studies import generator
from .scenes import Scene

FEWEST_GOLD = 50
MOST_TEST, MOST_SPARE = 2000, 1000
TEST_SHARE, SPARE_SHARE = 0.3, 0.15
POOL_FOR_GOLD = 5  # a pool has at least so many rows for each gold label


@dataclass(frozen=True)
class PoolDraw:
    """All that there is: what machines are made of, and rows that score.

    ``pool`` are numbers of rows, the gold ones first. ``spare`` rows, which no method sees, are for training simulated
    machines. A larger pool of the same seed begins with the rows of the smaller one.
    """

    scene: Scene
    pool: Ints
    spare: Ints
    test: Ints

    @property
    def truth(self) -> Bools:
        """The true labels of the pool."""
        return np.asarray(self.scene.here.y[self.pool] > 0)

    @property
    def rows(self) -> Matrix:
        return self.scene.here.X[self.pool]

    @property
    def tested(self) -> Bools:
        """The true labels of the rows that score."""
        return np.asarray(self.scene.here.y[self.test] > 0)

    def seen(self, gold: int, machine: Floats | None) -> Seen:
        """What a method is shown."""
        labels = np.full(len(self.pool), np.nan)
        labels[:gold] = self.truth[:gold]
        here = self.scene.here
        return Seen(self.rows, labels, machine, here.X[self.test], here.categorical)


@dataclass(frozen=True)
class Seen:
    """What a method may see: a pool with gold labels (0, 1; NaN for the others), machine labels, rows to predict.

    ``machine`` is the machine's probability of class 1 for every row of the pool: 0 or 1 where it only names a class.
    """

    X: Matrix
    gold: Floats
    machine: Floats | None
    test: Matrix
    categorical: tuple[int, ...]

    @property
    def is_gold(self) -> Bools:
        return ~np.isnan(self.gold)

    @property
    def said(self) -> Floats:
        """The machine's labels, for methods that need them."""
        assert self.machine is not None
        return self.machine

    def checksum(self) -> int:
        """A number that tells these rows and labels from others."""
        total = 0
        sets = np.array(self.categorical, dtype=np.int64)
        for part in (self.X, self.gold, self.test, *([] if self.machine is None else [self.machine]), sets):
            total = crc32(np.ascontiguousarray(part).tobytes(), total)
        return total


def sizes(rows: int) -> tuple[int, int, int]:
    """Rows that score, spare rows, and what is left for the pool.

    >>> sizes(10_000), sizes(600)
    ((2000, 1000, 7000), (180, 90, 330))
    """
    test = min(MOST_TEST, int(TEST_SHARE * rows))
    spare = min(MOST_SPARE, int(SPARE_SHARE * rows))
    return test, spare, rows - test - spare


def draw(name: str, scene: Scene, pool: int, seed: int) -> PoolDraw:
    """Rows at random; at least five of each class among the first 50 of the pool: otherwise they are drawn again."""
    y = scene.here.y
    rng = generator(seed, name)
    test, spare, _ = sizes(len(y))
    for _ in range(1000):
        order = rng.permutation(len(y))
        rest = order[test + spare :]
        positive = np.count_nonzero(y[rest[:FEWEST_GOLD]] > 0)
        if min(positive, FEWEST_GOLD - positive) >= FEWEST_OF_A_CLASS:
            return PoolDraw(scene, rest[:pool], order[test : test + spare], order[:test])
    raise ValueError(f"{name} is too unbalanced for {FEWEST_GOLD} labels with {FEWEST_OF_A_CLASS} of each class.")
