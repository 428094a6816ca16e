"""What makes an algorithm."""

from __future__ import annotations

from dataclasses import dataclass, field

from .batch import Fractional, Realize
from .rules import Rule
from .samplers import Sampler, as_sampler


@dataclass(frozen=True)
class Booster:
    """The three choices that make an algorithm: where batches come from, how they are shown, how to step.

    Parameters
    ----------
    sampler : Sampler
        Where batches come from.
    rule : Rule
        What becomes of the weak learner's answer.
    realize : Realize
        How batches are shown to the weak learner: :func:`fractional` by default.
    """

    sampler: Sampler
    rule: Rule
    realize: Realize = field(default_factory=Fractional)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sampler", as_sampler(self.sampler))
        if not isinstance(self.rule, Rule):
            raise TypeError(
                f"rule must derive from agnoboost.core.Rule. Got {type(self.rule).__name__}. Derive it; max_step and "
                "decide must be written."
            )

    @property
    def max_rounds(self) -> int | None:
        """For how many rounds the data last; None for no limit."""
        return self.sampler.max_rounds
