"""A disk that is really full: what is there stays whole, and it is told."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

from ..full_disk import STORIES, command, is_possible
from ..leg import Leg, Recipe
from ..outcomes import Outcome, Verdict


class FullDisk(Leg):
    name = "full disk"
    what = "a full disk"
    share = 0.5
    kernels = False
    seconds = 600.0
    waiting = 1200.0
    megabytes = None
    cases = len(STORIES)

    def prepare(self, folder: Path) -> None:
        if not is_possible(folder):
            raise SystemExit(
                "A file system of its own needs `unshare`, and root or user namespaces. Leave this leg out."
            )

    def numbered(self, seed: int, number: int) -> Recipe:
        return {"story": list(STORIES)[number % len(STORIES)]}

    def recipe(self, dice: Random) -> Recipe:
        return {"story": dice.choice(list(STORIES))}

    def run(self, recipe: Recipe) -> Verdict:
        story = recipe["story"]
        with tempfile.TemporaryDirectory() as folder:
            disk = Path(folder) / "disk"
            disk.mkdir()
            done = told(story, disk)
        if done.returncode == 0:
            return Verdict(Outcome.SAME, "", story)
        outcome = Outcome.WRONG if "AssertionError" in done.stderr else Outcome.FOREIGN
        return Verdict(outcome if done.returncode > 0 else Outcome.CRASH, done.stderr[-300:], story)


def told(story: str, disk: Path) -> subprocess.CompletedProcess[str]:
    """What comes of a story on that disk."""
    words = command(disk, sys.executable, "-m", "fuzz.full_disk", story, str(disk))
    return subprocess.run(words, capture_output=True, text=True, env=dict(os.environ))
