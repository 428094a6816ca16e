"""``agnoboost reproduce``: the paper's experiments, one command each, made from what the experiments declare."""

from __future__ import annotations

import shlex
from enum import StrEnum
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any

import typer

from agnoboost_experiments import EXPERIMENTS
from agnoboost_experiments.experiment import Experiment, Option
from agnoboost_experiments.house_style import require_matplotlib
from agnoboost_experiments.studies import carry_out

from ..basics.places import STANDARD
from ..basics.stages import Stages
from .console import Facts, UserError, err, is_given, progress, say, shows_errors

app = typer.Typer(help="Re-run the paper's experiments, honestly.", no_args_is_help=True)

COMMON = (
    Option("quick", False, "Less of everything, in under a minute."),
    Option("out", Path("out"), "Folder for the results; a run that was cut short goes on from there.", kind=Path),
    Option("seed", 0, "The same seed gives the same result, on any number of jobs.", least=0),
    Option("jobs", -1, "Processes to use; -1 for all cores."),
)
OLD_NAMES = {"few-labels": "fewlabels", "label-models": "labels"}  # still understood


def _command(experiment: Experiment) -> Any:
    """A function whose parameters are the experiment's options, as typer reads them."""

    def command(context: typer.Context, **values: Any) -> Facts:
        return _run(experiment, context, **values)

    options = [_parameter(option) for option in (*experiment.options, *COMMON)]
    told = [Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context), *options]
    command.__signature__ = Signature(told, return_annotation=Facts)  # type: ignore[attr-defined]
    return shows_errors(command)


def _parameter(option: Option) -> Parameter:
    kind: Any = list[str] if option.several else option.kind or type(option.default)
    shown = typer.Option(option.default, option.flag, min=option.least, help=option.help)
    annotation = kind | None if option.default is None else kind
    return Parameter(option.name, Parameter.KEYWORD_ONLY, default=shown, annotation=annotation)


def _run(
    experiment: Experiment, context: typer.Context, *, quick: bool, out: Path, jobs: int, **settings: Any
) -> Facts:
    """Carry out an experiment's study under a progress bar, print its page and write its files.

    With ``quick`` its quick settings take the place of defaults; what the user has given himself counts first.
    """
    if jobs == 0:
        raise UserError("--jobs must be a number of processes, or -1 for all cores. Got 0.")
    if out.exists() and not out.is_dir():
        raise UserError(f"--out must be a folder. Got the file {out}.")
    if out == STANDARD:
        raise UserError("--out must be a folder: there are several files. --json prints their names.")
    require_matplotlib()  # before the work, not after it
    given = [option for option in (*experiment.options, *COMMON) if is_given(context, option.name)]
    chosen = {option.name for option in given}
    less = {name: value for name, value in experiment.quick.items() if quick and name not in chosen}
    plain = {name: _plain(name, value) for name, value in settings.items()}
    made = experiment.study(_words(experiment, given, context.params), **{**plain, **less})
    out.mkdir(parents=True, exist_ok=True)
    try:
        with progress() as show:
            stages = Stages(show=show)
            stages.begin(made.name)
            results = carry_out(made, out, jobs, stages.count)
    except KeyboardInterrupt:
        err.print(f"Stopped. The same command goes on from {out / made.name}.journal", highlight=False, markup=False)
        raise typer.Exit(130) from None
    page, paths = experiment.report(made, results, out)
    say(page)
    say(f"Written: {', '.join(map(str, paths))}")
    return {"experiment": experiment.name, "command": made.command, "written": paths}


def _plain(name: str, value: Any) -> Any:
    """A setting as JSON can hold it."""
    if isinstance(value, Path) and not value.is_dir():
        raise UserError(f"--{name} must be a folder. Got {value}.")
    return str(value) if isinstance(value, (Path, StrEnum)) else value


def _words(experiment: Experiment, given: list[Option], values: dict[str, Any]) -> str:
    """The command with all options that were given, without those that cannot change the result."""
    words = ["agnoboost", "reproduce", experiment.name]
    for option in given:
        value = values[option.name]
        if option.name not in ("out", "jobs"):
            for one in value if isinstance(value, (list, tuple)) else [value]:
                words += [option.flag] if one is True else [option.flag, str(one)]
    return shlex.join(words)


for _experiment in EXPERIMENTS:
    app.command(_experiment.name, help=_experiment.help)(_command(_experiment))
    if _experiment.name in OLD_NAMES:
        app.command(OLD_NAMES[_experiment.name], help=_experiment.help, hidden=True)(_command(_experiment))
