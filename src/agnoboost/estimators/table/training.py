"""From terms to a model: members for every problem, and their blend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from threadpoolctl import threadpool_limits

from ...basics.content_luck import content_keys, scrambled
from ...basics.typing import Floats, Ints
from ...kernels.dispatch import cores, one_by_one
from ...kernels.forest_sums import weighted_sum
from ..data import Data
from . import kernel_ridge
from .blending import Weighing, weigh
from .columns import Coder, Scores
from .members import BINS, BOOSTED, FEW, FEW_BINS, FOREST, TREES, Counts, forest_runs, growths, runs_for
from .model import Blend, TableModel
from .terms import Terms
from .trees import TreeFitter, TreeGrower, TreeRuns

MOST_BLENDED = 20_000  # rows that suffice to weigh members by, and to fit straight lines to
MOST_PLACING = 20_000  # rows, labeled or not, that suffice to place bins and ranks

RACE_ROWS = 5000  # from so many on, members that count for little after the first run are left out
LITTLE = 0.05  # share of all weights
FIRST_BAGS = 8  # of a forest: all but a few rows are outside one of them
FIRST_RUNS, OTHER_RUNS = "first runs of the trees", "other runs of the trees"

Part = TreeRuns | kernel_ridge.LinearSum | kernel_ridge.KernelSum
Parts = dict[str, Part]


@dataclass
class Training:
    """One fit: ``names`` are its members, ``say`` hears of every step before it is made."""

    data: Data
    terms: Terms
    names: tuple[str, ...]
    effort: str
    seed: int
    categorical: list[int]
    threads: int | None
    say: Callable[[str], None]
    columns: tuple[Coder, Scores] | None = None  # bins and ranks, if somebody has placed them already
    unseen: Floats = field(init=False)  # margins of units by what has not seen them (shape: units, problems)

    @property
    def stages(self) -> list[str]:
        """What :meth:`run` says, in order."""
        trees = [name for name in self.names if name in TREES]
        steps = [FIRST_RUNS, OTHER_RUNS] if self._races else [" and ".join(group) for group in self._groups(trees)]
        turns = [self._turn(name, problem) for problem in range(self._problems) for name in steps]
        return ["bins and ranks", "regressions", *turns]

    def run(self) -> TableModel:
        """All members for all problems, weighed by the rows that they have not seen."""
        self.say("bins and ranks")
        coder, scores = self.columns or self.placed(FEW_BINS if len(self.terms.keys) <= FEW else BINS)
        codes = coder.encode(self.terms.X, self.threads)
        keys = self.terms.keys
        counts = runs_for(len(keys), self.effort).counts(keys, self.seed)
        outside = np.flatnonzero((counts == 0).any(axis=0))
        judged = outside if len(outside) and set(self.names) & set(TREES) else np.arange(len(self.terms.keys))
        self.say("regressions")
        straight = self._regressions(scores, judged[:MOST_BLENDED])
        blends, self.unseen = [], np.full(self.terms.pull.shape, np.nan)
        for problem, sums in enumerate(straight):
            fitter = TreeFitter(
                codes, coder.bins.is_categorical, self.terms.psi, self.terms.pull[:, problem], self.threads
            )
            parts: Parts = {name: fitted[0] for name, fitted in sums.items()}
            margins = {name: fitted[1] for name, fitted in sums.items()}
            for name, grown in self._trees(fitter, counts, problem, margins).items():
                parts[name], margins[name] = grown, grown.unseen
            blended = [name for name in self.names if name in parts]
            table = np.column_stack([margins[name] for name in blended])
            weighing = self._weigh(table, problem, judged)
            counted = np.flatnonzero(weighing.factors > 0)  # whatever the others do not know
            for place in counted:
                self._fill(table[:, place], judged, parts[blended[place]], scores)
            self.unseen[:, problem] = table[:, counted] @ weighing.factors[counted]
            blend = _blend({name: parts[name] for name in blended}, weighing, len(codes))
            blends.append(replace(blend, weights=dict.fromkeys(self.names, 0.0) | blend.weights))
        return TableModel(coder, scores, blends)

    def _trees(
        self, fitter: TreeFitter, folds: Counts, problem: int, margins: dict[str, Floats]
    ) -> dict[str, TreeRuns]:
        """All members that are trees. With many rows they race: what counts for little at first is left out."""
        grower = self._grower(fitter, problem)
        names = [name for name in self.names if name in TREES]
        runs = {name: self._bags() if name == FOREST else folds for name in names}
        if not self._races:
            found: dict[str, TreeRuns] = {}
            for group in self._groups(names):
                self.say(self._turn(" and ".join(group), problem))
                found |= grower.all({name: runs[name] for name in group}, 0)
            return found
        self.say(self._turn(FIRST_RUNS, problem))
        first = {name: own[: FIRST_BAGS if name == FOREST else 1] for name, own in runs.items()}
        rest = {name: own[len(first[name]) :] for name, own in runs.items()}
        found = grower.all(first, 0)
        if not any(map(len, rest.values())):
            return found
        known = {**margins, **{name: own.unseen for name, own in found.items()}}
        table = np.column_stack([known[name] for name in self.names])
        weights = self._weigh(table, problem, np.flatnonzero(folds[0] == 0)).weights
        strong = [name for name, share in zip(self.names, weights / weights.sum(), strict=True) if share >= LITTLE]
        self.say(self._turn(OTHER_RUNS, problem))
        kept = {name: own for name, own in found.items() if name in strong}
        more = grower.all({name: rest[name] for name in kept if len(rest[name])}, 1)
        return {name: own + more[name] if name in more else own for name, own in kept.items()}

    def _grower(self, fitter: TreeFitter, problem: int) -> TreeGrower:
        features, rows = fitter.codes.shape
        huber = self.data.psi_from_unlabeled or bool(np.abs(self.data.targets).max() > 1.0)
        rng = np.random.default_rng([self.seed, problem])
        seeds = np.column_stack([rng.integers(2**31, size=(2, len(BOOSTED))), rng.integers(2**31, size=2)])
        return TreeGrower(
            fitter, growths(rows, features, huber, self.effort), dict(zip(TREES, seeds.T.tolist(), strict=True))
        )

    def _bags(self) -> Counts:
        return forest_runs(len(self.terms.keys), self.effort).counts(self.terms.keys, self.seed)

    def _groups(self, trees: list[str]) -> list[list[str]]:
        """Members that are grown at once: with few rows all of them."""
        return [trees] if trees and len(self.terms.keys) <= FEW else [[name] for name in trees]

    @property
    def _races(self) -> bool:
        return len(self.terms.keys) >= RACE_ROWS

    @property
    def _problems(self) -> int:
        return int(self.terms.pull.shape[1])

    def _turn(self, name: str, problem: int) -> str:
        return name if self._problems == 1 else f"{name}, class {problem + 1} of {self._problems}"

    def _weigh(self, margins: Floats, problem: int, judged: Ints) -> Weighing:
        """By rows that every one of these members (columns of ``margins``) has left out at least once."""
        table = margins[judged]
        rows = ~np.isnan(table).any(axis=1)
        kept, table = (judged[rows], table[rows]) if rows.any() else (judged, np.nan_to_num(table))
        some = slice(MOST_BLENDED)
        psi, pull = self.terms.psi[kept[some]], self.terms.pull[kept[some], problem]
        return weigh(table[some], psi, pull, self.spread(problem))

    def spread(self, problem: int) -> float:
        """The mean square of what stands for labels: 1 at face value."""
        return float(np.average(self.data.targets[:, problem] ** 2, weights=self.data.weight))

    def _fill(self, margins: Floats, judged: Ints, part: Part, scores: Scores) -> None:
        """Regressions are fitted to some of the rows that are judged: they have not seen the others either."""
        if not isinstance(part, TreeRuns):
            others = judged[np.isnan(margins[judged])]
            margins[others] = part.margin(scores.transform(self.terms.X[others]), self.threads)

    def placed(self, bins: int) -> tuple[Coder, Scores]:
        """Bins and ranks, by labeled and unlabeled rows."""
        X, weight = self.terms.X, self.terms.psi
        pool = self.data.unlabeled
        if pool is not None:
            chosen = np.argsort(scrambled(content_keys(pool.X)), kind="stable")[:MOST_PLACING]
            X = np.concatenate([X, pool.X[chosen]])
            weight = np.concatenate([weight, len(pool) * pool.mass[chosen]])
        coder = Coder.of(X, self.categorical, bins)
        some = slice(None) if len(X) <= 2 * MOST_PLACING else slice(None, None, -(-len(X) // MOST_PLACING))
        return coder, Scores.of(X[some], weight[some], self.categorical)

    def _regressions(self, scores: Scores, judged: Ints) -> list[dict[str, kernel_ridge.Fitted]]:
        """On all rows, or on those by which members are judged; margins of the others are NaN."""
        terms, names = self.terms, [name for name in self.names if name not in TREES]
        rows = np.arange(len(terms.keys)) if len(terms.keys) <= MOST_BLENDED else judged
        X = scores.transform(terms.X[rows])
        order = np.argsort(scrambled(terms.keys[rows]), kind="stable")

        def fit(number: int) -> list[kernel_ridge.Fitted]:
            return kernel_ridge.fit(names[number], X, terms.psi[rows], terms.pull[rows], order)

        with threadpool_limits(1, "blas"):  # the last digits must not depend on the cores
            fitted = one_by_one(fit, len(names), cores(self.threads))
        found: list[dict[str, kernel_ridge.Fitted]] = [{} for _ in range(terms.pull.shape[1])]
        for name, each in zip(names, fitted, strict=True):
            for own, (model, left_out) in zip(found, each, strict=True):
                unseen = np.full(len(terms.keys), np.nan)
                unseen[rows] = left_out
                own[name] = model, unseen
        return found


def _blend(parts: Parts, weighing: Weighing, features: int) -> Blend:
    """Members that count, with their factors multiplied in."""
    factors = dict(zip(parts, weighing.factors.tolist(), strict=True))
    used = {name: part for name, part in parts.items() if factors[name] > 0}
    forests, sums = [], []
    for name, part in used.items():
        if isinstance(part, TreeRuns):
            forests += [(forest, share * factors[name]) for forest, share in part.shares()]
        else:
            sums.append(part.scaled(factors[name]))
    curves, forest = weighted_sum(features, [one for one, _ in forests], [factor for _, factor in forests])
    weights = dict(zip(parts, weighing.weights.tolist(), strict=True))
    return Blend(weights, weighing.slope, curves, forest, tuple(sums))
