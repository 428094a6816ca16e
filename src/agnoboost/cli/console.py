"""What all commands share: how they print, show progress and end on errors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

out, err = Console(), Console(stderr=True)


class UserError(ValueError):
    """Something the user can mend; shown without a traceback."""


def say(text: str) -> None:
    """Print as it is: names of classes and files may look like markup."""
    out.print(text, highlight=False, markup=False, soft_wrap=True)


def shows_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Errors that the user can mend are shown in one line, with exit code 2."""

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except (ValueError, ImportError, OSError) as error:
            err.print("[red]Error:[/red] ", end="")
            err.print(str(error), markup=False, highlight=False, soft_wrap=True)
            raise typer.Exit(2) from None

    return wrapped


def is_given(context: typer.Context, name: str) -> bool:
    """Whether the user has given an option himself."""
    return getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"


def progress_bar() -> Progress:
    """A bar on the error stream, which vanishes at the end."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=err, transient=True)
