"""The command line: one module a command, or a few that belong together, and their list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from .._version import __version__
from .auditing import audit
from .console import Remembering, out, shows_errors
from .explain import explain
from .inspecting import inspect
from .models import evaluate, predict
from .planning import plan
from .reproduce import app as reproduce
from .suggesting import suggest
from .suspects import suspects
from .training import fit
from .worth import worth

app = typer.Typer(
    cls=Remembering,
    help="Learn from a table in which few rows are labeled, and some labels are wrong.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
COMMANDS: tuple[Callable[..., Any], ...] = (
    fit, predict, evaluate, audit, explain, suspects, suggest, worth, plan, inspect,
)  # fmt: skip
for command in COMMANDS:
    app.command()(shows_errors(command))
app.add_typer(reproduce, name="reproduce")


def _version(wanted: bool) -> None:
    if wanted:
        out.print(f"agnoboost {__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Learn from a table in which few rows are labeled, and some labels are wrong."""
