"""From terms to a model: members for every problem, and their blend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from threadpoolctl import threadpool_limits

from ...basics.content_luck import content_keys, scrambled
from ...basics.typing import Floats, Ints, Matrix
from ...kernels.forest import Forest
from ...kernels.forest_sums import weighted_sum
from ..data import Data
from . import kernel_ridge
from .blending import Weighing, weigh
from .columns import Coder, Scores
from .members import BINS, FEW, FEW_BINS, growths, runs_for
from .model import Blend, TableModel
from .terms import Terms
from .trees import fit_trees

MOST_BLENDED = 20_000  # rows that suffice to weigh members by, and to fit straight lines to
MOST_PLACING = 20_000  # rows, labeled or not, that suffice to place bins and ranks

Part = Forest | kernel_ridge.LinearSum | kernel_ridge.KernelSum


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
    unseen: Floats = field(init=False)  # margins of units by what has not seen them (shape: units, problems)

    def run(self) -> TableModel:
        """All members for all problems, weighed by the rows that they have not seen."""
        terms, rows = self.terms, len(self.terms.keys)
        self.say("bins and ranks")
        coder, scores = self._columns()
        codes = coder.encode(terms.X)
        huber = self.data.psi_from_unlabeled or bool(np.abs(self.data.targets).max() > 1.0)
        plans = growths(rows, len(codes), huber)
        counts = runs_for(rows, self.effort).counts(terms.keys, self.seed)
        judged = np.flatnonzero((counts == 0).any(axis=0)) if set(plans) & set(self.names) else np.arange(rows)
        judged = judged[:MOST_BLENDED] if len(judged) else np.arange(min(rows, MOST_BLENDED))
        problems = terms.pull.shape[1]
        parts: list[dict[str, Part]] = [{} for _ in range(problems)]
        margins: list[list[Floats]] = [[] for _ in range(problems)]
        for number, name in enumerate(self.names):
            self.say(name)
            if name in plans:
                for problem, own in enumerate(parts):
                    own[name], unseen = fit_trees(
                        codes,
                        coder.bins.is_categorical,
                        terms.psi,
                        terms.pull[:, problem],
                        counts,
                        plans[name],
                        int(np.random.default_rng([self.seed, number, problem]).integers(2**31)),
                        self.threads,
                    )
                    margins[problem].append(unseen)
            else:
                with threadpool_limits(1, "blas"):  # the last digits must not depend on the cores; nor do they pay
                    fitted = self._regressions(name, scores, judged)
                for problem, (model, unseen) in enumerate(fitted):
                    parts[problem][name] = model
                    margins[problem].append(unseen)
        self.say("blending")
        spread = np.average(self.data.targets**2, axis=0, weights=self.data.weight)  # 1 for labels at face value
        blends, self.unseen = [], np.full(terms.pull.shape, np.nan)
        for problem, own in enumerate(parts):
            table = np.column_stack(margins[problem])
            seen = np.nan_to_num(table[judged])  # where no run left out a row
            weighing = weigh(seen, terms.psi[judged], terms.pull[judged, problem], float(spread[problem]))
            self.unseen[:, problem] = table @ weighing.factors
            blends.append(_blend(own, weighing, len(codes)))
        return TableModel(coder, scores, blends)

    def _columns(self) -> tuple[Coder, Scores]:
        """Bins and ranks, by labeled and unlabeled rows."""
        X, weight = self.terms.X, self.terms.psi
        pool = self.data.unlabeled
        if pool is not None:
            chosen = np.argsort(scrambled(content_keys(pool.X)), kind="stable")[:MOST_PLACING]
            X = np.concatenate([X, pool.X[chosen]])
            weight = np.concatenate([weight, len(pool) * pool.mass[chosen]])
        coder = Coder.of(X, self.categorical, FEW_BINS if len(self.terms.keys) <= FEW else BINS)
        some = slice(None) if len(X) <= 2 * MOST_PLACING else slice(None, None, -(-len(X) // MOST_PLACING))
        return coder, Scores.of(X[some], weight[some], self.categorical)

    def _regressions(self, name: str, scores: Scores, judged: Ints) -> list[kernel_ridge.Fitted]:
        """On all rows, or on those by which members are judged; margins of the others are NaN."""
        terms = self.terms
        rows = np.arange(len(terms.keys)) if len(terms.keys) <= MOST_BLENDED else judged
        X: Matrix = scores.transform(terms.X[rows])
        order = np.argsort(scrambled(terms.keys[rows]), kind="stable")
        found = []
        for model, left_out in kernel_ridge.fit(name, X, terms.psi[rows], terms.pull[rows], order):
            unseen = np.full(len(terms.keys), np.nan)
            unseen[rows] = left_out
            found.append((model, unseen))
        return found


def _blend(parts: dict[str, Part], weighing: Weighing, features: int) -> Blend:
    """Members that count, with their factors multiplied in."""
    factors = dict(zip(parts, weighing.factors.tolist(), strict=True))
    used = {name: part for name, part in parts.items() if factors[name] > 0}
    forests = {name: part for name, part in used.items() if isinstance(part, Forest)}
    curves, forest = weighted_sum(features, list(forests.values()), [factors[name] for name in forests])
    sums = tuple(part.scaled(factors[name]) for name, part in used.items() if not isinstance(part, Forest))
    weights = dict(zip(parts, weighing.weights.tolist(), strict=True))
    return Blend(weights, weighing.slope, curves, forest, sums)
