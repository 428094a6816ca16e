"""Files that are made to take much: refused, or loaded within ten times their size and 200 MB, in less than 10 s."""

import secrets
import time
from pathlib import Path
from random import Random

import agnoboost as ab

from ..large_files import SHAPES, made
from ..leg import Leg, Recipe, put
from ..models import saved
from ..outcomes import Outcome, Verdict, of_exception

MIB = 2**20
FREE, TIMES = 200, 10  # megabytes, and times the file, that loading may take
SECONDS = 10.0  # of the processor, for loading


class LargeFiles(Leg):
    name = "large files"
    what = "model files that are made to take much"
    share = 1.0
    seconds = 120.0  # with making the file
    waiting = 600.0
    megabytes = 6000

    def prepare(self, folder: Path) -> None:
        saved(folder, sorted({base for base, _ in SHAPES.values()}))

    def start(self, folder: Path) -> None:
        self._bases = {path.stem: path.read_bytes() for path in sorted(folder.glob("*.agno"))}
        self._place = folder / f"case-{secrets.token_hex(8)}"
        for path in folder.glob("*.agno"):
            ab.load(path)  # what is imported for them is no memory of the cases

    def recipe(self, dice: Random) -> Recipe:
        pack = dice.random() < 0.7
        entries = int(2 ** dice.uniform(15, 23 if pack else 19))
        shape = dice.choice([shape for shape, (base, _) in SHAPES.items() if base in self._bases])
        return {"shape": shape, "entries": entries, "narrow": dice.random() < 0.4, "pack": pack}

    def run(self, recipe: Recipe) -> Verdict:
        base = self._bases[SHAPES[recipe["shape"]][0]]
        content = made(base, recipe["shape"], recipe["entries"], recipe["narrow"], recipe["pack"])
        allowed = FREE + TIMES * len(content) / MIB
        put(self._place, content)
        del content
        before, began = _megabytes("VmRSS"), time.process_time()
        Path("/proc/self/clear_refs").write_text("5")  # from here on the highest is counted anew
        try:
            model = ab.load(self._place)
        except Exception as error:
            verdict = of_exception(error, (ab.ModelFileError,))
        else:
            verdict = Verdict(Outcome.OTHER)
            del model
        taken, spent = _megabytes("VmHWM") - before, time.process_time() - began
        told = f"{taken:.0f} MB of {allowed:.0f}, {spent:.1f} s; {verdict.detail}"
        outcome = Outcome.HANG if spent > SECONDS else Outcome.MEMORY if taken > allowed else verdict.outcome
        return Verdict(outcome, told, recipe["shape"])


def _megabytes(name: str) -> float:
    """Of this process, by the system's own name."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{name}:"))
