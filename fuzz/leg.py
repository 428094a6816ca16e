"""A leg of the campaign: one kind of cases."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from .outcomes import Verdict

Recipe = dict[str, Any]  # what JSON can hold: all there is to know of a case


class Leg(ABC):
    """Makes recipes from numbers, and runs them.

    ``kernels`` says whether cases need compiled code. ``seconds`` of the processor and ``megabytes`` are what one case
    may take, the latter above what the process has at its start; None is no limit. ``waiting`` are seconds of the
    clock, many more: the machine may be busy. ``share`` is the leg's share of a campaign's time.
    ``cases`` is how many different ones there are.
    """

    name: ClassVar[str]
    what: ClassVar[str]  # in the table of results: what is counted
    share: ClassVar[float] = 1.0
    kernels: ClassVar[bool] = True
    seconds: ClassVar[float] = 10.0
    waiting: ClassVar[float] = 200.0
    megabytes: ClassVar[int | None] = 220
    cases: ClassVar[int | None] = None

    def prepare(self, folder: Path) -> None:
        """Make what cases start from, once, before any child runs."""
        return

    def start(self, folder: Path) -> None:
        """Read what :meth:`prepare` made, in a child; ``folder`` is shared by all children of the leg."""
        return

    @abstractmethod
    def recipe(self, dice: Random) -> Recipe:
        """A random case."""

    def numbered(self, seed: int, number: int) -> Recipe:
        """The case of this number."""
        return self.recipe(Random(f"{self.name} {seed} {number}"))

    @abstractmethod
    def run(self, recipe: Recipe) -> Verdict:
        """Carry a case out."""

    def smaller(self, recipe: Recipe) -> Iterator[Recipe]:
        """Recipes that are a step simpler, for the minimised reproduction of a finding."""
        yield from ()

    def told(self, recipe: Recipe) -> str:
        """A recipe in words."""
        return str(recipe)


def put(path: Path, content: bytes) -> None:
    """A new file in the place of an old one: to empty the old one would wait for the disk."""
    path.unlink(missing_ok=True)
    path.write_bytes(content)
