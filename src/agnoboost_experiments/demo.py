"""The demo: a mail filter from 150 noisy labels and three thousand unlabeled mails, scored on mails nobody has seen.

    python -m agnoboost_experiments.demo --out out

Each seed splits the bundled spambase table anew: test rows that nothing touches, a few labeled rows (some of them
flipped, as by a careless annotator) of which one third chooses the iterate and the settings of the paper's boosters,
and unlabeled rows. The others choose by themselves, on the same 150 labels. Then one split is trained once more with
TableClassifier, as ``agnoboost fit`` would, and leaves a model file and a report.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.parallel import Parallel, delayed

from agnoboost import __version__
from agnoboost.basics.atomic import write_text
from agnoboost.basics.stages import spoken
from agnoboost.basics.typing import Floats, Rng
from agnoboost.core.booster import Booster
from agnoboost.core.learners import StumpLearner
from agnoboost.core.recipes import algorithm1, algorithm2, ghai_singh_2024, labeled_only, pab
from agnoboost.datasets import flip_labels, load
from agnoboost.estimators import AgnosticBoostingClassifier, TableClassifier

from .best_booster import best_of
from .house_style import SOFT, WIDTH
from .pages import legend_below, write_plot
from .splits import RowSplit
from .statistics import standard_error

LABELS, TEST_ROWS = 150, 1500
ROUNDS, STEP = 100, 0.05
FLIP_RATES = (0.0, 0.2)


@dataclass(frozen=True)
class Score:
    """Accuracy on the test rows; ``curve`` is that of every iterate, for the plot only."""

    accuracy: float
    curve: Floats | None = None
    seconds: float = field(default=0.0, compare=False)


def make_split(flip_rate: float, rng: Rng) -> RowSplit:
    """Cut the table at random; only the labeled rows get flipped labels."""
    table = load("spambase")
    order = rng.permutation(len(table.y))
    test, labeled, unlabeled = np.split(order, [TEST_ROWS, TEST_ROWS + LABELS])
    train, choose = np.split(labeled, [2 * LABELS // 3])
    noisy = flip_labels(table.y, flip_rate, rng)
    return RowSplit(
        labeled=(table.X[train], noisy[train]),
        chooser=(table.X[choose], noisy[choose]),
        unlabeled=table.X[unlabeled],
        test=(table.X[test], table.y[test]),
    )


def boosted(boosters: Sequence[Booster], split: RowSplit, rng: Rng) -> Score:
    """The best of several settings, by the chooser rows."""
    best, accuracy = best_of(boosters, StumpLearner(), split, rounds=[ROUNDS] * len(boosters), rng=rng)
    return Score(accuracy, (1.0 + best.run.select(*split.test).scores) / 2.0)


def forest(split: RowSplit, rng: Rng) -> Score:
    """What a practitioner would try first."""
    model = RandomForestClassifier(min_samples_leaf=5, random_state=int(rng.integers(2**31)))
    return Score(float(model.fit(*split.all_labels).score(*split.test)))


def lightgbm(split: RowSplit, rng: Rng) -> Score:
    """What he would try next, where it is installed."""
    from lightgbm import LGBMClassifier

    X, y = split.all_labels
    model = LGBMClassifier(random_state=int(rng.integers(2**31)), n_jobs=1, verbose=-1).fit(np.asarray(X), y)
    return Score(float(np.mean(model.predict(np.asarray(split.test[0])) == split.test[1])))


def ours(kind: Any) -> Callable[[RowSplit, Rng], Score]:
    """One of our classifiers, with its defaults and one thread: splits are run side by side."""

    def score(split: RowSplit, rng: Rng) -> Score:
        model = kind(random_state=int(rng.integers(2**31)), n_jobs=1)
        model.fit(*split.all_labels, X_unlabeled=split.unlabeled)
        return Score(float(model.score(*split.test)))

    return score


def _fresh_rows(split: RowSplit) -> list[int]:
    """Rows a round for the methods that never use a label twice: 25, 50 or 100 rounds."""
    return [len(split.labeled[1]) // rounds for rounds in (25, 50, 100)]


METHODS: dict[str, Callable[[RowSplit, Rng], Score]] = {
    "TableClassifier": ours(TableClassifier),
    "Algorithm 1": lambda s, rng: boosted([algorithm1(s.labeled, s.unlabeled, step=STEP)], s, rng),
    "Algorithm 2": lambda s, rng: boosted([algorithm2(s.labeled, s.unlabeled, step=STEP)], s, rng),
    "labeled-only boosting": lambda s, rng: boosted([labeled_only(s.labeled, step=STEP)], s, rng),
    "GS24": lambda s, rng: boosted([ghai_singh_2024(s.labeled, rows=n) for n in _fresh_rows(s)], s, rng),
    "PAB": lambda s, rng: boosted([pab(s.labeled, rows=n) for n in _fresh_rows(s)], s, rng),
    "AgnosticBoostingClassifier": ours(AgnosticBoostingClassifier),
    "random forest": forest,
} | ({"LightGBM": lightgbm} if find_spec("lightgbm") else {})


def score_split(flip_rate: float, seed: int, number: int) -> dict[str, Score]:
    """Every method on one split."""
    split = make_split(flip_rate, np.random.default_rng([seed, number]))
    scores = {}
    for name, method in METHODS.items():
        start = time.perf_counter()
        score = method(split, np.random.default_rng([seed, number, crc32(name.encode())]))  # whatever else is listed
        scores[name] = replace(score, seconds=time.perf_counter() - start)
    return scores


def run_demo(seeds: int, seed: int, jobs: int) -> dict[str, dict[str, list[Score]]]:
    """Scores by flip rate and method, one a seed; the same for any number of jobs."""
    tasks = [(flip_rate, number) for flip_rate in FLIP_RATES for number in range(seeds)]
    found = Parallel(n_jobs=jobs)(delayed(score_split)(flip_rate, seed, number) for flip_rate, number in tasks)
    results: dict[str, dict[str, list[Score]]] = {}
    for (flip_rate, _), scores in zip(tasks, found, strict=True):
        group = results.setdefault(f"{flip_rate:.0%}", {name: [] for name in METHODS})
        for name, score in scores.items():
            group[name].append(score)
    return results


def summary(results: dict[str, dict[str, list[Score]]]) -> str:
    """Mean accuracy with its standard error, the paired difference to labeled-only boosting, and seconds a split."""
    lines = []
    for flip_rate, scores in results.items():
        accuracy = {name: np.array([score.accuracy for score in found]) for name, found in scores.items()}
        base = accuracy["labeled-only boosting"]
        lines.append(f"\n{flip_rate} of the labels flipped")
        lines.append(f"  {'method':<28}{'accuracy':>16}{'against labeled-only (paired)':>34}{'seconds':>10}")
        for name, values in accuracy.items():
            text = f"  {name:<28}{values.mean():>7.3f} +- {standard_error(values):.3f}"
            difference = values - base
            paired = f"{difference.mean():+.3f} +- {standard_error(difference):.3f}" if difference.any() else "-"
            seconds = np.mean([score.seconds for score in scores[name]])
            lines.append(f"{text}{paired:>34}{seconds:>10.2f}")
    return "\n".join(lines)


LEVELS = {"PAB": ":", "random forest": "--", "AgnosticBoostingClassifier": "-.", "TableClassifier": "-"}


def draw(figure: Any, results: dict[str, dict[str, list[Score]]]) -> None:
    """Accuracy on unseen rows against rounds, one panel a flip rate."""
    figure.set_size_inches(WIDTH, 4.6)
    panels = figure.subplots(1, len(results), sharey=True)
    for panel, (flip_rate, scores) in zip(panels, results.items(), strict=True):
        for name in ("Algorithm 1", "Algorithm 2", "labeled-only boosting"):
            curves = np.array([score.curve for score in scores[name]])
            rounds, mean = np.arange(curves.shape[1]), curves.mean(axis=0)
            (line,) = panel.plot(rounds, mean, label=name)
            band = curves.std(axis=0, ddof=1) / np.sqrt(len(curves))
            panel.fill_between(rounds, mean - band, mean + band, alpha=0.2, color=line.get_color())
        for name, style in LEVELS.items():
            level = np.mean([score.accuracy for score in scores[name]])
            panel.axhline(float(level), color=SOFT, linestyle=style, linewidth=1.2, label=name)
        panel.set(title=f"{flip_rate} of the labels flipped", xlabel="round", xlim=(0, ROUNDS), ylim=(0.6, 0.95))
    panels[0].set_ylabel("accuracy on unseen mails")
    legend_below(figure, panels[0], 4)
    figure.suptitle(f"spambase, {LABELS} labels: mean of {len(curves)} splits, band = standard error")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m agnoboost_experiments.demo", description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the plot and the figures")
    parser.add_argument("--seeds", type=int, default=5, help="number of random splits (at least 2)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first split")
    parser.add_argument("--jobs", type=int, default=-1, help="processes to use; -1 for all cores")
    options = parser.parse_args(arguments)
    if options.seeds < 2:
        parser.error(f"--seeds must be at least 2, for a standard error. Got {options.seeds}.")
    print(
        f"spambase: {LABELS} labeled mails ({LABELS // 3} of them choose the iterate and the settings), "
        f"{len(load('spambase').y) - TEST_ROWS - LABELS} unlabeled, {TEST_ROWS} unseen ones for the score.\n"
        f"{options.seeds} random splits, mean +- standard error. Algorithm 1 to PAB boost decision stumps.",
        flush=True,
    )
    start = time.perf_counter()
    TableClassifier(random_state=0).fit(*make_split(0.0, np.random.default_rng(0)).all_labels)
    print(f"Kernels are loaded ({_since(start)}; compiled first, if need be).", flush=True)
    start = time.perf_counter()
    results = run_demo(options.seeds, options.seed, options.jobs)
    print(f"{summary(results)}\n\nAll splits took {_since(start)}.", flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    write_plot(options.out / "demo.png", lambda figure: draw(figure, results))
    figures = {
        "version": __version__,
        "command": f"python -m agnoboost_experiments.demo --seeds {options.seeds} --seed {options.seed}",
        "accuracy": {
            rate: {name: [score.accuracy for score in found] for name, found in scores.items()}
            for rate, scores in results.items()
        },
    }
    write_text(options.out / "demo.json", json.dumps(figures, indent=1) + "\n")
    print(f"Written: {options.out / 'demo.png'}, {options.out / 'demo.json'}", flush=True)
    start = time.perf_counter()
    write_model_and_report(options.out, options.seed)
    print(f"Model, its honest accuracy and the report took {_since(start)}.")


def _since(start: float) -> str:
    return spoken(time.perf_counter() - start)


def write_model_and_report(out: Path, seed: int) -> None:
    """One split as a table with an empty label column, trained as ``agnoboost fit`` would."""
    import pandas as pd

    from agnoboost.evaluation.held_out import cross_evaluate
    from agnoboost.report import write_report

    split, names = make_split(FLIP_RATES[-1], np.random.default_rng([seed, 0])), load("spambase").features
    X, y = split.all_labels
    table = pd.DataFrame(np.concatenate([X, split.unlabeled]), columns=list(names))
    words = np.array(["spam" if label > 0 else "no spam" for label in y] + [None] * len(split.unlabeled), dtype=object)
    model = TableClassifier(random_state=seed, missing_label=None).fit(table, words)
    model.save(out / "model.agno")
    judged = cross_evaluate(model, table, words, None, 5, compare=False)
    source = "spambase, 20% of the labels flipped"
    write_report(out / "report.html", model, table, words, judged, target="spam", source=source)
    print(f"Written: {out / 'model.agno'} (read it with agnoboost.load), {out / 'report.html'} (open it in a browser)")


if __name__ == "__main__":
    main()
