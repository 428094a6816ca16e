"""How many rounds to run before Python has a say again."""

from __future__ import annotations

MOMENT = 0.05  # seconds


class Pace:
    """Rounds that fit into a moment, by how long the last ones took. It has no influence on what rounds do."""

    def __init__(self) -> None:
        self.rounds = 4

    def took(self, rounds: int, seconds: float) -> None:
        """Note how long some rounds took."""
        fitting = int(rounds * MOMENT / max(seconds, 1e-9))
        self.rounds = max(1, min(fitting, 4 * self.rounds))
