"""Draw the plots of studies again, from the figures that they left: no study is run.

python -m agnoboost_experiments.redraw benchmarks/results
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from . import EXPERIMENTS
from .experiment import Experiment
from .pages import write_plot


def redraw(path: Path) -> Path | None:
    """The plot beside a study's JSON file; None for other files."""
    experiment = _experiment(path.stem)
    if experiment is None:
        return None
    summary = json.loads(path.read_text(encoding="utf-8"))
    plot = path.with_suffix(".png")
    write_plot(plot, lambda figure: experiment.page.draw(figure, summary))
    return plot


def _experiment(study: str) -> Experiment | None:
    """Who made it: studies are called after their experiment, with a protocol behind it where there are several."""
    return next((one for one in EXPERIMENTS if study == one.name or study.startswith(f"{one.name}-")), None)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m agnoboost_experiments.redraw", description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="where the JSON files of studies are")
    for path in sorted(parser.parse_args(arguments).folder.glob("*.json")):
        if plot := redraw(path):
            print(f"Written: {plot}")


if __name__ == "__main__":
    main()
