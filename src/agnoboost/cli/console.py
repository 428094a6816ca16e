"""What all commands share: how they print, show progress and end on errors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from ..basics.stages import Moment, Show, lines

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


@contextmanager
def progress() -> Iterator[Show]:
    """Shows how far work is, on the error stream: a bar that vanishes in a terminal, plain lines elsewhere."""
    if not err.is_terminal:
        yield lines(lambda text: err.print(text, highlight=False, markup=False, soft_wrap=True))
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, TextColumn("{task.fields[to_go]}"), console=err, transient=True) as bar:
        task = bar.add_task("", total=1.0, to_go="")

        def show(moment: Moment) -> None:
            bar.update(task, description=moment.label, completed=moment.share, to_go=moment.to_go)
            bar.refresh()  # stages may be short

        yield show
