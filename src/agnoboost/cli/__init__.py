"""The command line: ``agnoboost fit``, ``predict``, ``evaluate``, ``plan``, ``inspect``."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Entry point of the ``agnoboost`` command."""
    try:
        from .app import app
    except (ImportError, KeyboardInterrupt) as error:  # once it is loaded, commands see to Ctrl-C themselves
        if _was_stopped(error):
            print("Stopped.", file=sys.stderr, flush=True)
            os._exit(130)  # Python itself gives another code where it was stopped inside of exec
        sys.exit(f"The command line needs more packages ({error}). Install them with: pip install 'agnoboost[cli]'")
    app()


def _was_stopped(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind it: where compiled modules are loaded it becomes an ImportError."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None
