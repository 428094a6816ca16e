"""Columns of text: which texts are written alike."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from ...basics.array_schema import Array, ArrayGroup
from ...basics.content_luck import scrambled
from ...basics.fact_schema import SchemaError
from ...basics.typing import Arrays, Floats
from ...kernels.binning import MAX_BINS
from ..cells import Column
from .base import ColumnReader
from .category import comparable
from .left_out import FEWEST_ROWS, LONG

SIZE = 2**18  # into so many places groups of characters are hashed: two seldom share one
GROUPS = (3, 4)  # characters, within words
MOST_PARTS = 30
MOST_TEXTS = 20_000  # different ones that suffice to learn from
SEVERAL = 2  # words, on average
FIRST = "text 1"  # the first part


@dataclass(frozen=True, eq=False)
class TextColumn(ColumnReader):
    """Groups of three and four characters, hashed, weighed by how rare they are, and brought down to a few numbers.

    ``places`` are those that occur in training, ``rarity`` is the weight of each (inverse document frequency), and
    ``directions`` are the leading ones of the texts of training (truncated singular value decomposition; shape: parts,
    places).
    """

    places: npt.NDArray[np.int32]
    rarity: Floats
    directions: npt.NDArray[np.float32]
    kind = "text"
    array_schema: ClassVar[ArrayGroup] = ArrayGroup(
        {
            "places": Array("whole", ("places",), "hashed groups of characters that occur in training", 0, SIZE - 1),
            "rarity": Array("number", ("places",), "how rare each is", 0.0, 1e6),
            "directions": Array("number", ("parts", "places"), "the leading directions of the texts", -1e6, 1e6),
        },
        lambda arrays, sizes: _check_parts(sizes["parts"]),
    )

    @classmethod
    def of(cls, counts: Counter[str]) -> Self:
        from sklearn.decomposition import TruncatedSVD  # here: slow to import, and seldom needed

        texts = _some(sorted(counts))
        hashed = _hashed(texts)
        places, often = np.unique(hashed.indices, return_counts=True)  # every place once a text
        rarity = np.log((1.0 + len(texts)) / (1.0 + often)) + 1.0
        weighed = _weighed(hashed[:, places], rarity)
        parts = min(MOST_PARTS, len(texts) - 1, len(places) - 1)
        with threadpool_limits(1, "blas"):  # the last digits must not depend on the cores
            found = TruncatedSVD(parts, random_state=0).fit(weighed)
        return cls(places.astype(np.int32), rarity, found.components_.astype(np.float32))

    @property
    def is_text(self) -> bool:
        return True

    @property
    def parts(self) -> list[str]:
        return [FIRST, *(f"text {number}" for number in range(2, len(self.directions) + 1))]

    def read(self, column: Column) -> Floats:
        cells = comparable(column.cells, True)
        texts = sorted({cell for cell in cells if cell is not None})
        found = np.full((len(texts) + 1, len(self.directions)), np.nan)  # the last one for what is empty
        if texts:
            found[:-1] = _weighed(_hashed(texts)[:, self.places], self.rarity) @ self._transposed
        place = {text: number for number, text in enumerate(texts)}
        return found[[place.get(cell, len(texts)) for cell in cells]]

    @cached_property
    def _transposed(self) -> Floats:
        return np.ascontiguousarray(self.directions.T, dtype=np.float64)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TextColumn):
            return False
        own, others = self.pack()[1], other.pack()[1]
        return all(np.array_equal(own[name], others[name]) for name in own)

    def pack(self) -> tuple[dict[str, Any], Arrays]:
        return {}, {"places": self.places, "rarity": self.rarity, "directions": self.directions}

    @classmethod
    def unpack(cls, facts: dict[str, Any], arrays: Arrays) -> Self:
        return cls(*(arrays[name] for name in ("places", "rarity", "directions")))


def _check_parts(count: int) -> None:
    if count > MOST_PARTS:
        raise SchemaError(f"texts must have at most {MOST_PARTS} directions, not {count}")


def are_texts(counts: Counter[str]) -> bool:
    """Whether these are several words, or long, and too many or too different to be categories."""
    total = sum(counts.values())
    if total < FEWEST_ROWS or (len(counts) <= MAX_BINS and 2 * len(counts) <= total):
        return False
    words = sum(n * len(text.split()) for text, n in counts.items())
    letters = sum(n * len(text) for text, n in counts.items())
    return words >= SEVERAL * total or letters >= LONG * total


def _hashed(texts: list[str]) -> Any:
    """How often groups of characters occur (sparse; shape: texts, places)."""
    from sklearn.feature_extraction.text import HashingVectorizer

    hasher = HashingVectorizer(analyzer="char_wb", ngram_range=GROUPS, n_features=SIZE, norm=None, alternate_sign=False)
    return hasher.transform(texts)


def _weighed(places: Any, rarity: Floats) -> Any:
    """Rows of length one."""
    from sklearn.preprocessing import normalize

    return normalize(places.multiply(rarity).tocsr())


def _some(texts: list[str]) -> list[str]:
    """Enough to learn from, whatever the order of rows: those of the smallest hash."""
    if len(texts) <= MOST_TEXTS:
        return texts
    from sklearn.utils import murmurhash3_32

    keys = scrambled(np.array([murmurhash3_32(text, positive=True) for text in texts], dtype=np.uint64))
    return [texts[number] for number in np.sort(np.argsort(keys, kind="stable")[:MOST_TEXTS])]
