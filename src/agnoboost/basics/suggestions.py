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


def same_but_for_case(names: Iterable[object], known: Iterable[object]) -> str:
    """The same question for texts that are a known one but for upper case and blanks; nothing where none is.

    >>> same_but_for_case([7, " YES"], ["yes", "no"]), same_but_for_case(["maybe"], ["yes", "no"])
    (" Did you mean 'yes'?", '')
    """
    plain = {_plain(one): one for one in known if isinstance(one, str)}
    meant = dict.fromkeys(plain[_plain(one)] for one in names if isinstance(one, str) and _plain(one) in plain)
    return f" Did you mean {' and '.join(map(repr, meant))}?" if meant else ""


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
