"""What learning has cost: rewards are what is expensive, and are counted apart from everything else."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass
class Ledger:
    """Counts of what was spent.

    Attributes
    ----------
    reward_queries : int
        Rewards that were looked at, one by one.
    annotated_episodes : int
        Episodes that were run in order to look at a reward; one that ends too soon shows none.
    reward_free_episodes : int
        Episodes in which no reward could be seen.
    steps : int
        Steps of episodes of both kinds. (Copies that idle beside them in a vectorised environment are not counted.)
    """

    reward_queries: int = 0
    annotated_episodes: int = 0
    reward_free_episodes: int = 0
    steps: int = 0

    def __sub__(self, earlier: Ledger) -> Ledger:
        """What was spent since then."""
        return Ledger(**{name: count - getattr(earlier, name) for name, count in asdict(self).items()})

    def copy(self) -> Ledger:
        """The counts of now."""
        return Ledger(**asdict(self))

    def __str__(self) -> str:
        return ", ".join(f"{name.replace('_', ' ')}: {count:,}" for name, count in asdict(self).items())
