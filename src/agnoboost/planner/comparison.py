"""The label cost of a plan beside that of PAB and GS24, with the same constants for all."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from .bounds import FiniteClass, hoeffding, whole
from .plan import Plan
from .theorems import Request, theorem2


@dataclass(frozen=True, slots=True)
class Cost:
    """What an algorithm draws to reach the same excess.

    Attributes
    ----------
    algorithm : str
        Its name.
    labeled, unlabeled : int
        Rows in all.
    oracle_calls : int
        Calls of the weak learner.
    note : str
        What else is to be said.
    """

    algorithm: str
    labeled: int
    unlabeled: int
    oracle_calls: int
    note: str = ""


@dataclass(frozen=True)
class Comparison:
    """Costs side by side; ``str`` gives a table. Compare the ratios: the constants are shared, not sharp.

    Attributes
    ----------
    costs : tuple of Cost
        One for each algorithm.
    """

    costs: tuple[Cost, ...]

    def __str__(self) -> str:
        own = self.costs[0].labeled
        lines = [f"{'':<14}{'labeled':>17}{'unlabeled':>17}{'oracle calls':>16}{'labels, ratio':>15}"]
        lines += [
            f"{c.algorithm:<14}{_short(c.labeled):>17}{_short(c.unlabeled):>17}{_short(c.oracle_calls):>16}"
            + f"{c.labeled / own:>15.5g}"
            + (f"  {c.note}" if c.note else "")
            for c in self.costs
        ]
        return "\n".join(lines)


def _short(number: int) -> str:
    """At most 15 characters, so that the table fits a terminal."""
    return f"{number:,}" if number < 10**12 else f"{Decimal(number):.3e}"


def compare(plan: Plan, ask: Request) -> Comparison:
    """The plan, PAB and (finite classes only: its theorem has log of the size) GS24 at the same epsilon and delta."""
    own = Cost(plan.recipe, plan.total_labeled, plan.total_unlabeled, plan.oracle_calls)
    baselines = [_pab(ask)]
    if isinstance(ask.base, FiniteClass):
        baselines.append(_gs24(ask))
    return Comparison((own, *baselines))


def _pab(ask: Request) -> Cost:
    """Each round uses fresh labels, enough of them for the whole base class: log B/(gamma eps)^4 in all."""
    eps = 5.0 / 18.0 * ask.epsilon
    T = whole(4.0 / (ask.gamma * eps) ** 2)  # Madaboost can fall by 1, twice what the Huber potential can
    labels = T * ask.base.samples(ask.gamma * eps / 10.0, ask.failure / T)
    return Cost("PAB (2009)", labels + hoeffding(eps / 10.0, ask.failure, means=T + 1), 0, T)


def _gs24(ask: Request) -> Cost:
    """The recursion of Algorithm 2 with labels in the place of unlabeled rows: log B/(gamma eps)^3 in all."""
    twin = theorem2(ask)
    return Cost("GS24 (2024)", twin.total_unlabeled + twin.S0, 0, twin.T)
