"""Two tables of the same columns: frames go by the names of their columns, whatever the order."""

from __future__ import annotations

from typing import Any

from ..basics.checks import check_same_features
from .cells import is_frame, names_of


def with_columns_of(first: Any, second: Any, name: str) -> Any:
    """``second`` with the columns of ``first``, in its order; ``name`` is the second one's in messages.

    Where one of the two has no names, columns go by their places.
    """
    if not (is_frame(first) and is_frame(second)):
        check_same_features(second.shape[1], first.shape[1], name)
        return second
    wanted, found = names_of(first), names_of(second)
    if set(wanted) != set(found) or len(wanted) != len(found):
        missing = [column for column in wanted if column not in found]
        other = [column for column in found if column not in wanted]
        raise ValueError(
            f"{name} must have the columns of the first table. It lacks {_listed(missing)}, and has {_listed(other)} "
            "that the first has not. Rename or select them."
        )
    if wanted == found:
        return second
    return second.select(wanted) if hasattr(second, "column_names") else second[wanted]


def _listed(columns: list[Any], most: int = 5) -> str:
    shown = ", ".join(repr(column) for column in columns[:most])
    return (shown + (", ..." if len(columns) > most else "")) or "none"
