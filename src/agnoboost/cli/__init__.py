"""The command line: ``agnoboost fit``, ``predict``, ``evaluate``, ``plan``, ``inspect``."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point of the ``agnoboost`` command."""
    try:
        from .app import app
    except ImportError as error:
        sys.exit(f"The command line needs more packages ({error}). Install them with: pip install 'agnoboost[cli]'")
    app()
