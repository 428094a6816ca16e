"""What somebody may have meant by a name that does not exist."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """A question to end a message with; nothing where no known name is near.

    >>> did_you_mean("Blanced", ["balanced", "auto"]), did_you_mean("xyz", ["balanced"])
    (" Did you mean 'balanced'?", '')
    """
    names = {str(one).casefold(): str(one) for one in known}
    near = [names[found] for found in get_close_matches(str(name).casefold(), names)]
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
