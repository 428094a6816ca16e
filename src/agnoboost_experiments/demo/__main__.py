"""The command: both parts, their figures and pictures, a model and a report."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agnoboost import TableClassifier, __version__
from agnoboost.basics.atomic import write_text
from agnoboost.basics.stages import spoken
from agnoboost.datasets import load

from ..pages import write_plot
from . import __doc__ as what
from . import boosters, machine
from .mails import LABELS, TEST_ROWS, keyword_filter, make_split


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m agnoboost_experiments.demo", description=str(what).split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for pictures, figures, model and report")
    parser.add_argument("--seeds", type=int, default=5, help="number of random splits (at least 2)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first split")
    parser.add_argument("--jobs", type=int, default=-1, help="processes to use; -1 for all cores")
    options = parser.parse_args(arguments)
    if options.seeds < 2:
        parser.error(f"--seeds must be at least 2, for a standard error. Got {options.seeds}.")
    options.out.mkdir(parents=True, exist_ok=True)
    others = len(load("spambase").y) - TEST_ROWS - LABELS
    print(
        f"spambase: {LABELS} checked mails, {others:,} others, {TEST_ROWS:,} unseen ones for the score.\n"
        f"{options.seeds} random splits, mean +- standard error.",
        flush=True,
    )
    start = time.perf_counter()
    machine.score_split(options.seed, 0), boosters.score_split(0.0, options.seed, 0)  # compiles what will be used
    print(f"Kernels are loaded ({_since(start)}; compiled first, if need be).", flush=True)

    print(f"\n1. A filter by keywords has labeled the {others:,} others, as well as it can.", flush=True)
    start = time.perf_counter()
    beside = machine.run(options.seeds, options.seed, options.jobs)
    print(f"{machine.summary(beside)}\n  ({_since(start)})", flush=True)
    write_plot(options.out / "machine.png", lambda figure: machine.draw(figure, beside))
    write_model_and_report(options.out, options.seed)

    print(
        "\n2. The paper's algorithms and their peers: the others have no label at all, and some of the "
        f"{LABELS} labels may be flipped.\n   Algorithm 1 to PAB boost decision stumps, and choose by {LABELS // 3} of "
        "the labels.",
        flush=True,
    )
    start = time.perf_counter()
    results = boosters.run(options.seeds, options.seed, options.jobs)
    print(f"{boosters.summary(results)}\n  ({_since(start)})", flush=True)
    write_plot(options.out / "demo.png", lambda figure: boosters.draw(figure, results))
    figures = {
        "version": __version__,
        "command": f"python -m agnoboost_experiments.demo --seeds {options.seeds} --seed {options.seed}",
        "machine": {
            name: dict(zip(machine.MEASURES, zip(*own, strict=True), strict=True)) for name, own in beside.items()
        },
        "accuracy": {
            rate: {name: [score.accuracy for score in found] for name, found in scores.items()}
            for rate, scores in results.items()
        },
    }
    write_text(options.out / "demo.json", json.dumps(figures, indent=1) + "\n")
    print(f"Written: {', '.join(str(options.out / name) for name in ('machine.png', 'demo.png', 'demo.json'))}")


def _since(start: float) -> str:
    return spoken(time.perf_counter() - start)


def write_model_and_report(out: Path, seed: int) -> None:
    """One split as a table, trained as ``agnoboost fit --machine-column`` would."""
    import pandas as pd

    from agnoboost.evaluation.held_out import cross_evaluate
    from agnoboost.report import write_report

    split, names = make_split(0.0, np.random.default_rng([seed, 0])), load("spambase").features
    X, y = split.all_labels
    table = pd.DataFrame(np.concatenate([X, split.unlabeled]), columns=list(names))
    checked = np.append(_words(y), np.full(len(split.unlabeled), None))
    said = {"keywords": _words(keyword_filter(table.to_numpy()))}
    model = TableClassifier(random_state=seed).fit(table, checked, machine_labels=said)
    print(model.machines_)
    model.save(out / "model.agno")
    judged = cross_evaluate(model, table, checked, None, 5, compare=False, machine_labels=said)
    write_report(out / "report.html", model, table, checked, judged, target="spam", source="spambase")
    print(f"Written: {out / 'model.agno'} (read it with agnoboost.load), {out / 'report.html'} (open it in a browser)")


def _words(labels: Any) -> npt.NDArray[Any]:
    return np.where(np.asarray(labels) > 0, "spam", "no spam").astype(object)


if __name__ == "__main__":
    main()
