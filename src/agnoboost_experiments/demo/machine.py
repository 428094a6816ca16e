"""150 mails that somebody has checked, and what a filter by keywords says of all the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.utils.parallel import Parallel, delayed

from agnoboost.estimators import TableClassifier

from ..house_style import WIDTH
from ..splits import RowSplit
from ..statistics import clustered, standard_error
from .mails import LABELS, keyword_filter, make_split

MEASURES = ("accuracy", "AUC")
GOLD, BOTH = f"{LABELS} checked mails", "both together"
Scores = dict[str, list[tuple[float, float]]]  # for each way the measures of every split


def _classifier() -> TableClassifier:
    return TableClassifier(random_state=0, n_jobs=1)  # splits are run side by side


def _both(split: RowSplit) -> TableClassifier:
    rows = np.concatenate([split.all_labels[0], split.unlabeled])
    labels = np.append(split.all_labels[1], np.full(len(split.unlabeled), np.nan))
    return _classifier().fit(rows, labels, machine_labels=keyword_filter(rows))


WAYS: dict[str, Callable[[RowSplit], TableClassifier]] = {
    GOLD: lambda split: _classifier().fit(*split.all_labels, X_unlabeled=split.unlabeled),
    "all that the filter says": lambda split: _classifier().fit(split.unlabeled, keyword_filter(split.unlabeled)),
    BOTH: _both,
}
FILTER = "the filter itself"


def score_split(seed: int, number: int) -> dict[str, tuple[float, float]]:
    """Every way on one split; the filter itself has no probabilities."""
    split = make_split(0.0, np.random.default_rng([seed, number]))
    X, y = split.test
    said = keyword_filter(X)
    found = {FILTER: (float(np.mean(said == y)), float(roc_auc_score(y, said)))}
    for name, way in WAYS.items():
        model = way(split)
        found[name] = float(model.score(X, y)), float(roc_auc_score(y, model.predict_proba(X)[:, 1]))
    return found


def run(seeds: int, seed: int, jobs: int) -> Scores:
    """Scores by way, a pair for each split; the same for any number of jobs."""
    found = Parallel(n_jobs=jobs)(delayed(score_split)(seed, number) for number in range(seeds))
    return {name: [one[name] for one in found] for name in found[0]}


def by_measure(scores: list[tuple[float, float]]) -> dict[str, list[float]]:
    """The scores of one way, a list for each measure."""
    return {name: [pair[place] for pair in scores] for place, name in enumerate(MEASURES)}


def gains(scores: Scores) -> dict[str, dict[str, float]]:
    """Of both together over the checked mails alone, with half of a 95% interval (Student's t over splits)."""
    more = np.array(scores[BOTH]) - np.array(scores[GOLD])
    return {name: clustered(more[:, place], np.arange(len(more))) for place, name in enumerate(MEASURES)}


def summary(scores: Scores) -> str:
    """Means with standard errors, and what the filter's labels bring."""
    lines = [f"  {'learned from':<28}{'accuracy':>16}{'AUC':>18}"]
    for name, values in scores.items():
        means, errors = np.mean(values, axis=0), [standard_error(own) for own in np.transpose(values)]
        cells = [f"{mean:.3f} +- {error:.3f}" for mean, error in zip(means, errors, strict=True)]
        lines.append(f"  {name:<28}{cells[0]:>16}{cells[1]:>18}")
    told = [f"{name} {one['mean']:+.3f} +- {one['half_width']:.3f}" for name, one in gains(scores).items()]
    lines.append(f"  What the filter adds to the checked mails (95% interval over splits): {', '.join(told)}.")
    return "\n".join(lines)


def draw(figure: Any, scores: Scores) -> None:
    """Every split as a dot, means as bars: a panel for each measure."""
    figure.set_size_inches(WIDTH, 2.6)
    panels = figure.subplots(1, len(MEASURES), sharey=True)
    places = np.arange(len(scores))[::-1]
    for panel, place, name in zip(panels, range(len(MEASURES)), MEASURES, strict=True):
        values = np.array([[pair[place] for pair in own] for own in scores.values()])
        errors = [standard_error(own) for own in values]
        panel.errorbar(values.mean(axis=1), places, xerr=errors, fmt="o", capsize=3)
        for own, height in zip(values, places, strict=True):
            panel.plot(own, np.full(len(own), height - 0.22), ".", markersize=4, color="0.6")
        panel.set(xlabel=f"{name} on unseen mails", ylim=(-0.6, len(scores) - 0.4))
    panels[0].set_yticks(places, list(scores))
    figure.suptitle("150 checked mails, and a filter by keywords: mean and standard error, dots are splits")
