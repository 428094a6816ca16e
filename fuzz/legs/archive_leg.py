"""What the legs of archives share: a file, changes to it, and a way to make less of them."""

from collections.abc import Iterator
from random import Random
from typing import ClassVar

from ..archives import apply, fewer, recipe_of_changes
from ..leg import Leg, Recipe


class ArchiveLeg(Leg):
    """A recipe names a base, the depth, and the changes."""

    depths: ClassVar[tuple[str, ...]]
    bases: dict[str, bytes]

    def recipe(self, dice: Random) -> Recipe:
        depth = dice.choice(self.depths)
        return {"base": dice.choice(sorted(self.bases)), "depth": depth, "changes": recipe_of_changes(dice, depth)}

    def damaged(self, recipe: Recipe) -> tuple[bytes, str, bool]:
        return apply(self.bases[recipe["base"]], recipe["changes"], recipe["depth"] == "sealed")

    def smaller(self, recipe: Recipe) -> Iterator[Recipe]:
        for changes in fewer(recipe["changes"]):
            yield {**recipe, "changes": changes}

    def alone(self, recipe: Recipe) -> Iterator[Recipe]:
        """Each change as a recipe of its own."""
        for change in recipe["changes"]:
            yield {**recipe, "changes": [change]}

    def told(self, recipe: Recipe) -> str:
        return f"{recipe['base']}, {recipe['depth']}: {self.damaged(recipe)[1]}"[:400]
