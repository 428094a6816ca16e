"""Do the intervals of an audit hold what they say, and how much narrower do machine labels and plans make them?

    python benchmarks/audit.py --out benchmarks/results/audit.json
    python benchmarks/audit.py --show benchmarks/results/audit.json
    python benchmarks/audit.py --scarce

Worlds whose figures are known: 20,000 rows with a model's probabilities and true labels, from which tables of 2,000
rows are drawn with replacement, and of those 50, 100 or 300 gold rows: all equally likely; half of the rows five times
as likely as the others, whatever their labels; or as ``rows_to_audit`` plans for the accuracy. ``--scarce``: only the
Brier score, by 12, 40 or 150 gold rows, also where one class is rarer.
"""

import argparse
import json
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from record import write
from sklearn.metrics import accuracy_score, brier_score_loss, f1_score, precision_score, recall_score, roc_auc_score

import agnoboost as ab
from agnoboost.basics.spread_sampling import inclusion_probabilities, pivotal_sample

ATOMS, ROWS = 20_000, 2_000
WORLDS = {"two like classes": (0.2, 1.2, 1.4), "a rare class": (-1.9, 1.6, 1.3)}  # shift, clearness, overconfidence
SCARCE = {"3 in 100": (-3.53, 1.6, 1.3), "10 in 100": (-2.38, 1.6, 1.3), "40 in 100": (-0.42, 1.6, 1.3)}
FEW = (12, 40, 150)
MACHINES = ("good", "mediocre", "useless", "the model itself")
SAMPLINGS = ("equal", "lopsided", "planned")
LEFT_OUT = {("useless", "planned"), ("the model itself", "lopsided")}  # a coin plans nothing; the others suffice
PAIRS = [pair for pair in product(MACHINES, SAMPLINGS) if pair not in LEFT_OUT]
GOLD = (50, 100, 300)
FIGURES = ("accuracy", "brier_score", "roc_auc", "prevalence", "precision", "recall", "f1")


class World:
    """A model like any other: ``X`` holds numbers of rows."""

    classes_ = np.array([0, 1])

    def __init__(self, name):
        worlds = WORLDS | SCARCE
        shift, clearness, overconfidence = worlds[name]
        rng = np.random.default_rng([7, list(worlds).index(name)])
        signal = shift + 1.5 * rng.normal(size=ATOMS)
        self.y = (rng.random(ATOMS) < _logistic(clearness * signal)).astype(int)
        self.p = _logistic(overconfidence * clearness * signal + 0.8 * rng.normal(size=ATOMS))
        self.side = rng.random(ATOMS) < 0.5
        self.machines = {
            "good": np.where(rng.random(ATOMS) < 0.06, 1 - self.y, self.y),
            "mediocre": np.where(rng.random(ATOMS) < np.where(self.y == 1, 0.35, 0.12), 1 - self.y, self.y),
            "useless": rng.integers(2, size=ATOMS),
        }

    def predict_proba(self, X):
        p = self.p[X[:, 0]]
        return np.column_stack([1.0 - p, p])

    def predict(self, X):
        return (self.p[X[:, 0]] >= 0.5).astype(int)

    def truth(self):
        said = self.predict(np.arange(ATOMS)[:, None])
        return {
            "accuracy": accuracy_score(self.y, said),
            "brier_score": brier_score_loss(self.y, self.p),
            "roc_auc": roc_auc_score(self.y, self.p),
            "prevalence": self.y.mean(),
            "precision": precision_score(self.y, said),
            "recall": recall_score(self.y, said),
            "f1": f1_score(self.y, said),
        }


def _logistic(z):
    return 1.0 / (1.0 + np.exp(-z))


def draw(world, X, machine, sampling, gold, rng):
    """Rows of the table that get a gold label, and probabilities, or None where all are the same."""
    if sampling == "planned":
        plan = ab.rows_to_audit(world, X, gold, machine_labels=machine, random_state=rng)
        return plan.row, plan.sampling_probability
    if sampling == "equal":
        return rng.choice(ROWS, gold, replace=False), None
    chance = inclusion_probabilities(np.where(world.side[X[:, 0]], 5.0, 1.0), gold)
    return pivotal_sample(chance, rng.permutation(ROWS), rng), chance


def simulate(world, machine_name, sampling, gold, rng):
    """Intervals of one audit: low, high, those of gold rows alone, and what the machine is worth."""
    X = rng.integers(ATOMS, size=(ROWS, 1))
    machine = None if machine_name == "the model itself" else world.machines[machine_name][X[:, 0]]
    rows, chance = draw(world, X, machine, sampling, gold, rng)
    y = np.full(ROWS, np.nan)
    y[rows] = world.y[X[rows, 0]]
    found = ab.evaluate(world, X, y, machine_labels=machine, sampling_probability=chance)
    return {(one.name): one for one in found.figures if one.of in (None, 1)}


def cell(name, machine, sampling, gold, repeats):
    world = World(name)
    truth = world.truth()
    rng = np.random.default_rng([gold, MACHINES.index(machine), SAMPLINGS.index(sampling)])
    drawn = [simulate(world, machine, sampling, gold, rng) for _ in range(repeats)]
    where = {"world": name, "machine": machine, "sampling": sampling, "gold": gold}
    return [{**where, "figure": figure, **summary(drawn, figure, truth[figure])} for figure in FIGURES]


def summary(drawn, figure, true):
    """How often the intervals of one figure held, and how wide they were."""
    found = [one[figure] for one in drawn if figure in one]
    low, high, alone_low, alone_high, value, worth = np.array(
        [(one.low, one.high, one.gold_low, one.gold_high, one.value, one.worth) for one in found]
    ).T
    return {
        "simulations": len(found),
        "truth": round(float(true), 4),
        "bias": round(float(value.mean() - true), 4),
        "holds": round(float(np.mean((low <= true) & (true <= high))), 4),
        "holds_gold_only": round(float(np.mean((alone_low <= true) & (true <= alone_high))), 4),
        "width": round(float(np.mean(high - low)), 4),
        "width_gold_only": round(float(np.mean(alone_high - alone_low)), 4),
        "worth": round(float(np.median(worth)), 3),
    }


def _table(heads, lines):
    rows = [heads, ["---"] * len(heads), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _cells(results, **wanted):
    return [one for one in results if all(one[word] == value for word, value in wanted.items())]


def _by_figure(found, text):
    """A cell for each figure, with all numbers of gold rows."""
    return [" / ".join(text(one) for one in found if one["figure"] == figure) for figure in FIGURES]


def _coverage(results, world):
    lines = []
    for machine, sampling in PAIRS:
        found = _cells(results, world=world, machine=machine, sampling=sampling)
        lines.append([f"{machine}, {sampling}", *_by_figure(found, lambda one: f"{100 * one['holds']:.0f}")])
    return f"**{world}**: how often intervals held, in %\n\n" + _table(["", *FIGURES], lines)


def _narrower(results, world):
    lines = []
    for machine in MACHINES:
        found = _cells(results, world=world, machine=machine, sampling="equal")
        lines.append([machine, *_by_figure(found, lambda one: f"{one['width'] / one['width_gold_only']:.2f}")])
    return f"**{world}**: width beside that of gold rows alone\n\n" + _table(["", *FIGURES], lines)


def _planned(results, world):
    lines = []
    for machine in [machine for machine, sampling in PAIRS if sampling == "planned"]:
        widths = {
            (one["sampling"], one["gold"]): one["width"]
            for one in _cells(results, world=world, machine=machine, figure="accuracy")
        }
        lines.append([machine, *(f"{widths['planned', gold] / widths['equal', gold]:.2f}" for gold in GOLD)])
    heads = ["accuracy", *(f"{gold} gold rows" for gold in GOLD)]
    return f"**{world}**: width of a planned audit beside one by chance\n\n" + _table(heads, lines)


def show_scarce(results):
    lines = []
    for name in SCARCE:
        found = _cells(results, world=name, figure="brier_score")
        texts = [[f"{100 * one[word]:.0f}" for one in found] for word in ("holds", "holds_gold_only")]
        lines.append([name, *(" / ".join(text) for text in texts)])
    gold = " / ".join(map(str, FEW))
    heads = ["rows of the class", "Brier score", "by gold rows alone"]
    return f"how often intervals of the Brier score held, in %, with {gold} gold rows\n\n" + _table(heads, lines)


def show(results):
    parts = [part(results, world) for part in (_coverage, _narrower, _planned) for world in WORLDS]
    for sampling in SAMPLINGS:
        found = _cells(results, sampling=sampling)
        every, alone = (np.array([one[word] for one in found]) for word in ("holds", "holds_gold_only"))
        parts.append(
            f"{sampling}: {len(found)} cells; intervals held {every.mean():.1%} on average, {every.min():.1%} at "
            f"least, below 94% in {np.sum(every < 0.94)} cells (gold rows alone: {alone.mean():.1%}, "
            f"{alone.min():.1%}, {np.sum(alone < 0.94)})."
        )
    return "\n\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--show", type=Path)
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1, help="the result does not depend on it")
    parser.add_argument("--scarce", action="store_true")
    options = parser.parse_args()
    if options.show:
        print(show(json.loads(options.show.read_text())["results"]))
        return
    if options.scarce:
        every = [cell(name, "good", "equal", gold, options.repeats) for name, gold in product(SCARCE, FEW)]
        print(show_scarce([one for figures in every for one in figures]))
        return
    grid = [(world, *pair, gold) for world, pair, gold in product(WORLDS, PAIRS, GOLD)]
    found = Parallel(n_jobs=options.jobs, return_as="generator")(delayed(cell)(*one, options.repeats) for one in grid)
    record = []
    for one, figures in zip(grid, found, strict=True):
        record += figures
        print(*one, flush=True)
        write(options.out, f"python benchmarks/audit.py --repeats {options.repeats}", record)
    print(show(record))


if __name__ == "__main__":
    main()
