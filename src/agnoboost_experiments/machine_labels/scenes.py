"""A table as a machine meets it: rows here, perhaps labeled rows of another time or place, perhaps a person's rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from agnoboost.basics.typing import Bools

from ..few_labels.binary import Binary
from .rules import Columns


@dataclass(frozen=True)
class Scene:
    """What the study is about (``here``), and what real machines need.

    ``elsewhere`` are labeled rows of another time or place, ``rule`` is what a person's rule says of every row here,
    ``texts`` is what a reader of texts would read.
    """

    here: Binary
    elsewhere: Binary | None = None
    rule: Bools | None = None
    texts: tuple[str, ...] | None = None


def columns_of(frame: Any) -> Columns:
    """The columns of a data frame; categories as texts."""
    return {str(name): np.asarray(frame[name]) for name in frame.columns}


def taken(table: Binary, rows: Any) -> Binary:
    return Binary(table.X[rows], table.y[rows], table.categorical)


def divided(table: Binary, here: Bools, rule: Bools) -> Scene:
    """Rows here, and the others as those of elsewhere."""
    return Scene(taken(table, here), taken(table, ~here), rule[here])
