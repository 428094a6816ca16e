"""A user's own marks of rows without label, besides empty cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

LabelMarks = str | Sequence[str] | None  # one, several or none


def label_marks(given: LabelMarks) -> tuple[str, ...]:
    """All of them.

    >>> label_marks("?"), label_marks(["?", "tbd"]), label_marks(None)
    (('?',), ('?', 'tbd'), ())
    """
    return () if given is None else (given,) if isinstance(given, str) else tuple(given)


def is_marked(labels: Any, given: LabelMarks) -> Any:
    """Where a mark stands in a pandas Series. In columns with types it may be a number: -9, beside gaps -9.0."""
    marks = label_marks(given)
    return labels.map(lambda label: written(label) in marks).astype(bool)


def written(label: Any) -> str:
    """A label as it stands in a file without types."""
    whole = isinstance(label, (float, np.floating)) and float(label).is_integer()
    return str(int(label)) if whole else str(label)
