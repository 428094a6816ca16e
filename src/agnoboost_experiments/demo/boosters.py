"""The paper's algorithms, their baselines and peers on 150 labels, some of them flipped, and unlabeled mails.

One third of the labels chooses the iterate and the settings of the boosters of the paper. The others choose by
themselves, on the same 150 labels.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import Any
from zlib import crc32

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.parallel import Parallel, delayed

from agnoboost.basics.typing import Floats, Rng
from agnoboost.core.booster import Booster
from agnoboost.core.earlier_recipes import ghai_singh_2024, pab
from agnoboost.core.learners import StumpLearner
from agnoboost.core.recipes import algorithm1, algorithm2, labeled_only
from agnoboost.estimators import AgnosticBoostingClassifier, TableClassifier

from ..best_booster import best_of
from ..house_style import SOFT, WIDTH
from ..pages import legend_below
from ..splits import RowSplit
from ..statistics import standard_error
from .mails import LABELS, make_split

ROUNDS, STEP = 100, 0.05
FLIP_RATES = (0.0, 0.2)


@dataclass(frozen=True)
class Score:
    """Accuracy on the test rows; ``curve`` is that of every iterate, for the plot only."""

    accuracy: float
    curve: Floats | None = None
    seconds: float = field(default=0.0, compare=False)


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


def run(seeds: int, seed: int, jobs: int) -> dict[str, dict[str, list[Score]]]:
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
