"""What all commands share: how they print, show progress, hand out facts and end on errors."""

from __future__ import annotations

import functools
import inspect
import json
import math
import re
import shlex
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from typer.core import TyperGroup

from ..basics.stages import Moment, Show, lines

out, err = Console(), Console(stderr=True)

TYPED = "agnoboost.typed"
# Besides those of terminals: halves of characters, which cannot be printed, and marks that turn the order of letters.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
Facts = dict[str, Any]  # what --json prints: names that stay, and values that JSON can hold

_AS_JSON = inspect.Parameter(
    "as_json",
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[bool, typer.Option("--json", help="Print one JSON object; messages go to the error stream.")],
)


class UserError(ValueError):
    """Something the user can mend; shown without a traceback."""


def printable(text: str) -> str:
    """Text whose control characters are spelled out: names in a stranger's file must not steer the terminal."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def cell(value: Any) -> str:
    """A value in a table, as it is: names may look like markup."""
    return escape(printable(str(value)))


def say(text: str) -> None:
    """Print as it is: names of classes and files may look like markup."""
    out.print(printable(text), highlight=False, markup=False, soft_wrap=True)


def note(text: str) -> None:
    """Something to know that is no error, on the error stream."""
    err.print(f"Note: {printable(text)}", highlight=False, markup=False, soft_wrap=True)


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Warnings are shown as one line each, and once: where they come from is nothing to users of commands."""
    told: set[str] = set()

    def show(message: Warning | str, *where: Any, **more: Any) -> None:
        text = " ".join(str(message).split())
        if text not in told:
            told.add(text)
            note(text)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def make_way() -> None:
    """From now on messages go to the error stream: standard output is for a file."""
    if out.stderr:
        raise UserError(
            "--json and a file that is written to standard output do not go together. Leave one of them out."
        )
    out.stderr = True


def shows_errors(command: Callable[..., Any]) -> Callable[..., None]:
    """Errors that the user can mend are shown in one line, with exit code 2; Ctrl-C ends with 130, as in shells.

    A command that returns facts gets the option ``--json``.
    """
    told = inspect.signature(command, eval_str=True)

    @functools.wraps(command)
    def wrapped(*args: Any, as_json: bool = False, **kwargs: Any) -> None:
        out.stderr = as_json
        try:
            with warnings_as_notes():
                facts = command(*args, **kwargs)
        except BrokenPipeError:  # whoever reads our output has seen enough
            raise
        except (ValueError, ImportError, OSError) as error:
            err.print("[red]Error:[/red] ", end="")
            err.print(printable(str(error)), markup=False, highlight=False, soft_wrap=True)
            if as_json:
                typer.echo(json_text({"error": str(error)}))
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            err.print("Stopped.")
            raise typer.Exit(130) from None
        finally:
            out.stderr = False
        if as_json:
            typer.echo(json_text(facts))

    if told.return_annotation not in (None, inspect.Signature.empty):
        told = told.replace(parameters=[*told.parameters.values(), _AS_JSON], return_annotation=None)
    wrapped.__signature__ = told  # type: ignore[attr-defined]
    return wrapped


def json_text(facts: Facts) -> str:
    """Facts as JSON: numbers of numpy become plain, and what is not a number becomes null.

    >>> json_text({"share": np.float64(0.5), "ratio": np.nan, "file": Path("m.agno"), 1: ("a",)})
    '{"share": 0.5, "ratio": null, "file": "m.agno", "1": ["a"]}'
    """
    return json.dumps(_plain(facts), ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, (np.generic, np.ndarray)):
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value) if isinstance(value, Path) else value


class Remembering(TyperGroup):
    """Commands that know how they were typed."""

    def make_context(self, info_name: str | None, args: list[str], *others: Any, **extra: Any) -> Any:
        typed = shlex.join(["agnoboost", *args])  # now: parsing takes the list apart
        context = super().make_context(info_name, args, *others, **extra)
        context.meta[TYPED] = typed
        return context


def as_typed(context: typer.Context) -> str:
    """The command line, without what only this machine knows, such as where the command lies."""
    return str(context.meta[TYPED])


def is_given(context: typer.Context, name: str) -> bool:
    """Whether the user has given an option himself."""
    return getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"


@contextmanager
def progress() -> Iterator[Show]:
    """Shows how far work is, on the error stream: a bar that vanishes in a terminal, plain lines elsewhere."""
    if not err.is_terminal:
        yield lines(lambda text: err.print(printable(text), highlight=False, markup=False, soft_wrap=True))
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, TextColumn("{task.fields[to_go]}"), console=err, transient=True) as bar:
        task = bar.add_task("", total=1.0, to_go="")

        def show(moment: Moment) -> None:
            bar.update(task, description=moment.label, completed=moment.share, to_go=moment.to_go)
            bar.refresh()  # stages may be short

        yield show
