"""An experiment as it is declared: what it is called, what can be asked of it, and where the rest of it is.

A package declares itself in its ``__init__``, which imports nothing heavy: the command line reads all declarations.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from agnoboost.basics.atomic import write_text

from .pages import write_plot
from .studies import Result, Settings, Study


@dataclass(frozen=True)
class Option:
    """A setting of an experiment's study that the user may choose."""

    name: str
    default: Any
    help: str
    least: int | None = None
    kind: Any = None  # its type, where the default does not tell it; a Path is a folder
    several: bool = False  # whether it is a list of texts, given one by one

    @property
    def flag(self) -> str:
        """What the user types.

        >>> Option("held_out", False, "Keep some labels.").flag
        '--held-out'
        >>> Option("data_sets", None, "A data set.", several=True).flag
        '--data-set'
        """
        name = self.name.removesuffix("s") if self.several else self.name
        return "--" + name.replace("_", "-")


@dataclass(frozen=True)
class Experiment:
    """One command of ``agnoboost reproduce``.

    Its package has a module ``design`` with ``study`` (settings -> :class:`Study`) and ``summarise`` (study, results ->
    what JSON can hold), and a module ``PACKAGE_page`` with ``markdown`` (summary -> text) and ``draw`` (on a figure of
    matplotlib). ``quick`` are the settings of a run that takes less than a minute.
    """

    name: str
    package: str
    help: str
    options: tuple[Option, ...]
    quick: Settings

    @property
    def design(self) -> Any:
        return import_module(f"{self.package}.design")

    @property
    def page(self) -> Any:
        return import_module(f"{self.package}.{self.package.rpartition('.')[2]}_page")

    def study(self, command: str = "", **settings: Any) -> Study:
        """The study with these settings, and with the defaults of the other options."""
        defaults = {option.name: option.default for option in self.options}
        made: Study = self.design.study(**{**defaults, "seed": 0, **settings})
        return replace(made, command=command)

    def report(self, made: Study, results: list[Result], out: Path) -> tuple[str, list[Path]]:
        """The page; and NAME.json, NAME.md and NAME.png, which are written."""
        summary = self.design.summarise(made, results)
        text: str = self.page.markdown(summary)
        paths = [out / f"{made.name}.{kind}" for kind in ("json", "md", "png")]
        write_text(paths[0], json.dumps(summary, indent=1, allow_nan=False) + "\n")
        write_text(paths[1], text)
        write_plot(paths[2], lambda figure: self.page.draw(figure, summary))
        return text, paths


DATA = Option("data", None, "A folder with larger tables, NAME.csv.gz; see agnoboost.datasets.fetch.", kind=Path)
