"""Ten million rows are predicted within bounded memory."""

import subprocess
import sys
from pathlib import Path
from random import Random

from ..leg import Leg, Recipe
from ..outcomes import Outcome, Verdict

ROWS = 10_000_000
MEGABYTES = 300  # beside the rows and the answers


class ManyRows(Leg):
    name = "many rows"
    what = "predictions of 10,000,000 rows"
    share = 0.0  # some minutes: only if it is named
    seconds = 1800.0
    waiting = 1800.0
    megabytes = None
    cases = 1

    def start(self, folder: Path) -> None:
        pass

    def recipe(self, dice: Random) -> Recipe:
        return {"rows": ROWS}

    def run(self, recipe: Recipe) -> Verdict:
        command = [sys.executable, "-m", "fuzz.scripts", "many_rows", str(recipe["rows"])]
        done = subprocess.run(command, capture_output=True, text=True, timeout=1700)
        if done.returncode:
            return Verdict(Outcome.CRASH if done.returncode < 0 else Outcome.FOREIGN, done.stderr[-300:])
        taken = int(done.stdout)
        return Verdict(Outcome.SAME if taken <= MEGABYTES else Outcome.MEMORY, f"{taken} MB beside rows and answers")
