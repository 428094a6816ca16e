"""Packages that only some need: imported when asked for, with a word on how to get them."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def require(package: str, extra: str, why: str | None = None) -> Any:
    """The package, or an ImportError that names our extra; ``why`` says what needs it."""
    try:
        return import_module(package)
    except ImportError:
        reason = why or f"{package.partition('.')[0]} is needed here"
        raise ImportError(f"{reason}. Install it with: pip install 'agnoboost[{extra}]'") from None
