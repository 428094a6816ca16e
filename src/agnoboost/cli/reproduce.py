"""``agnoboost reproduce``: the paper's experiments, one command each."""

from __future__ import annotations

import shlex
from enum import StrEnum
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer

from agnoboost_experiments.pages import Report, require_matplotlib, write_all
from agnoboost_experiments.studies import Study, carry_out

from .console import UserError, err, progress_bar, say, shows_errors

app = typer.Typer(help="Re-run the paper's experiments, honestly.", no_args_is_help=True)

Out = Annotated[Path, typer.Option(help="Folder for the results; a run that was cut short goes on from there.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same result, on any number of jobs.")]
Jobs = Annotated[int, typer.Option(help="Processes to use; -1 for all cores.")]
Folder = Annotated[
    Path | None, typer.Option(help="A folder with larger tables, NAME.csv.gz; see agnoboost.datasets.fetch.")
]
Quick = Annotated[bool, typer.Option("--quick", help="Less of everything, in under a minute.")]


class Protocol(StrEnum):
    """How Table 1 is measured."""

    honest = "honest"
    printed = "printed"


@app.command()
@shows_errors
def table1(
    context: typer.Context,
    protocol: Annotated[
        Protocol, typer.Option(help="honest: choices on training labels, scores on unseen rows. printed: optimistic.")
    ] = Protocol.honest,
    folds: Annotated[int, typer.Option(min=2, help="Folds (honest) or random splits (printed).")] = 50,
    step: Annotated[float, typer.Option(help="Step of Algorithm 1; the paper does not give it.")] = 0.1,
    held_out: Annotated[
        bool, typer.Option("--held-out", help="Choose grid point and iterate on a third of the labels, kept for that.")
    ] = False,
    estimator_every: Annotated[
        int, typer.Option(min=1, help="Run our estimator, the slowest, on one fold in so many.")
    ] = 10,
    data_set: Annotated[
        list[str] | None,
        typer.Option(help="ionosphere, diabetes, spambase, german, sonar or waveform; may be given several times."),
    ] = None,
    quick: Quick = False,
    out: Out = Path("out"),
    seed: Seed = 0,
    jobs: Jobs = -1,
) -> None:
    """Table 1: six data sets, four noise levels, PAB, GS24, Algorithm 1 and what a user would try instead."""
    from agnoboost_experiments import table1 as experiment

    settings = {
        "protocol": protocol.value,
        "folds": folds,
        "step": step,
        "held_out": held_out,
        "estimator_every": estimator_every,
        "data_sets": experiment.check_data_sets(data_set),
        "seed": seed,
    }
    _run(context, experiment, settings, quick, out, jobs)


@app.command()
@shows_errors
def complexity(
    context: typer.Context,
    repetitions: Annotated[int, typer.Option(min=2, help="Repetitions, of which the median counts.")] = 16,
    quick: Quick = False,
    out: Out = Path("out"),
    seed: Seed = 0,
    jobs: Jobs = -1,
) -> None:
    """Labels needed for an excess of epsilon: PAB, GS24, Algorithms 1 and 2, labels alone, and trying all targets."""
    from agnoboost_experiments import complexity as experiment

    settings = {"repetitions": repetitions, "seed": seed}
    _run(context, experiment, settings, quick, out, jobs)


@app.command()
@shows_errors
def shift(
    context: typer.Context,
    repetitions: Annotated[int, typer.Option(min=2, help="Repetitions.")] = 32,
    quick: Quick = False,
    out: Out = Path("out"),
    seed: Seed = 0,
    jobs: Jobs = -1,
) -> None:
    """Unlabeled rows from another distribution: Algorithm 3 against ignoring the shift and against labels alone."""
    from agnoboost_experiments import covariate_shift as experiment

    settings = {"repetitions": repetitions, "seed": seed}
    _run(context, experiment, settings, quick, out, jobs)


@app.command()
@shows_errors
def halfspaces(
    context: typer.Context,
    seeds: Annotated[int, typer.Option(min=2, help="Random halfspaces of each kind.")] = 8,
    quick: Quick = False,
    out: Out = Path("out"),
    seed: Seed = 0,
    jobs: Jobs = -1,
) -> None:
    """Halfspaces over the hypercube under agnostic noise, by boosting parities; unlabeled points are free."""
    from agnoboost_experiments import halfspaces as experiment

    _run(context, experiment, {"seeds": seeds, "seed": seed}, quick, out, jobs)


@app.command()
@shows_errors
def rl(
    context: typer.Context,
    seeds: Annotated[int, typer.Option(min=2, help="Runs of each kind.")] = 10,
    quick: Quick = False,
    out: Out = Path("out"),
    seed: Seed = 0,
    jobs: Jobs = -1,
) -> None:
    """Policies where rewards are expensive: boosting with reward-free episodes, on small worlds and on CartPole."""
    from agnoboost_experiments import rl as experiment

    from ..rl import require_gymnasium

    require_gymnasium()  # before the work, not after it
    _run(context, experiment, {"seeds": seeds, "seed": seed}, quick, out, jobs)


class Half(StrEnum):
    """Which tables of the few-label study."""

    reporting = "reporting"
    development = "development"


@app.command()
@shows_errors
def fewlabels(
    context: typer.Context,
    half: Annotated[Half, typer.Option(help="The tables that report, or those that recipes were developed on.")] = (
        Half.reporting
    ),
    data: Folder = None,
    seeds: Annotated[int, typer.Option(min=1, help="Random splits of each kind.")] = 10,
    quick: Quick = False,
    out: Out = Path("out"),
    seed: Seed = 0,
    jobs: Jobs = -1,
) -> None:
    """50 to 500 labels, up to 30% flipped: our classifiers against what a user would try in ten minutes."""
    from agnoboost_experiments import fewlabels as experiment

    settings = {"half": half.value, "data": _folder(data), "seeds": seeds, "seed": seed}
    _run(context, experiment, settings, quick, out, jobs)


@app.command()
@shows_errors
def labels(
    context: typer.Context,
    data: Folder = None,
    seeds: Annotated[int, typer.Option(min=1, help="Random splits of each kind.")] = 10,
    quick: Quick = False,
    out: Out = Path("out"),
    seed: Seed = 0,
    jobs: Jobs = -1,
) -> None:
    """Positives only, flipped labels, votes and soft labels: what label models bring."""
    from agnoboost_experiments import label_models as experiment

    _run(context, experiment, {"data": _folder(data), "seeds": seeds, "seed": seed}, quick, out, jobs)


def _folder(data: Path | None) -> str | None:
    if data is not None and not data.is_dir():
        raise UserError(f"--data must be a folder. Got {data}.")
    return None if data is None else str(data)


def _run(
    context: typer.Context, experiment: ModuleType, options: dict[str, Any], quick: bool, out: Path, jobs: int
) -> None:
    """Carry out an experiment's study under a progress bar, print its page and write its files.

    With ``quick`` its quick settings take the place of defaults; what the user has given himself counts first.
    """
    if jobs == 0:
        raise UserError("--jobs must be a number of processes, or -1 for all cores. Got 0.")
    if out.exists() and not out.is_dir():
        raise UserError(f"--out must be a folder. Got the file {out}.")
    require_matplotlib()  # before the work, not after it
    less = {name: value for name, value in experiment.QUICK.items() if quick and not _given(context, name)}
    made: Study = experiment.study(**{**options, **less}, command=_command(context))
    out.mkdir(parents=True, exist_ok=True)
    try:
        with progress_bar() as bar:
            task = bar.add_task(made.name, total=len(made.tasks))
            results = carry_out(made, out, jobs, lambda done, total: bar.update(task, completed=done))
    except KeyboardInterrupt:
        err.print(f"Stopped. The same command goes on from {out / made.name}.journal", highlight=False, markup=False)
        raise typer.Exit(130) from None
    report: Report = experiment.REPORT
    summary = report.summarise(made, results)
    paths = write_all(out, made.name, summary, report)
    say(report.page(summary))
    say(f"Written: {', '.join(map(str, paths))}")


def _given(context: typer.Context, name: str) -> bool:
    """Whether the user has given an option himself."""
    return getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"


def _command(context: typer.Context) -> str:
    """The command with all options that were given, without those that cannot change the result."""
    words = ["agnoboost", "reproduce", str(context.info_name)]
    for option in context.command.params:
        value = context.params.get(str(option.name))
        if option.name in ("out", "jobs") or not _given(context, str(option.name)):
            continue
        values = value if isinstance(value, (list, tuple)) else [value]
        words += [word for one in values for word in ([option.opts[0]] if one is True else [option.opts[0], str(one)])]
    return shlex.join(words)
