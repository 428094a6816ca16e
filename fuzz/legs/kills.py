"""Processes that are killed, without warning, again and again: they end as one that was left alone."""

import os
import shlex
import shutil
import signal
import sys
import time
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random

import numpy as np

from ..leg import Leg, Recipe
from ..outcomes import Outcome, Verdict
from ..scripts import SCRIPTS

ENGINES = ("incremental", "sampled", "numpy", "trees", "loop")
KINDS = (*(f"boost, {engine}" for engine in ENGINES), "fit --checkpoint", "study, 1 job", "study, 2 jobs")
PATIENCE = 600.0  # seconds of the clock for what takes a few on a quiet machine
COMMAND = shlex.split("--classifier boosting --weak-learner stump --batch-size all --rounds 3000 --folds 0 --seed 0")


class Kills(Leg):
    name = "kills"
    what = "runs that were killed"
    share = 4.0
    seconds = 600.0
    waiting = 1200.0
    megabytes = None

    def prepare(self, folder: Path) -> None:
        _write_table(folder / "table.csv")
        for kind in KINDS:
            made = _place(folder, f"whole, {kind}")
            _start(kind, folder, made, checkpoint=False).join(PATIENCE)
            assert _result(kind, made).exists(), kind

    def start(self, folder: Path) -> None:
        self._folder = folder

    def recipe(self, dice: Random) -> Recipe:
        return {"kind": dice.choice(KINDS), "seed": dice.getrandbits(32), "kills": dice.choice((1, 3, 6))}

    def run(self, recipe: Recipe) -> Verdict:
        kind, dice = recipe["kind"], Random(recipe["seed"])
        place = _place(self._folder, f"killed {os.getpid()} {recipe['seed']}")
        try:
            return self._story(kind, place, recipe["kills"], dice)
        finally:
            shutil.rmtree(place)

    def _story(self, kind: str, place: Path, most: int, dice: Random) -> Verdict:
        kills = 0
        while not _result(kind, place).exists():
            process = _start(kind, self._folder, place)
            if kills < most:
                _wait_for_a_moment(process, _state(kind, place), dice)
                _kill(process)
                kills += 1
                continue
            process.join(PATIENCE)
            if process.is_alive():
                _kill(process)
                return Verdict(Outcome.HANG, "", kind, kills)
            if process.exitcode:
                said = (place / "errors").read_text()[-200:]
                return Verdict(Outcome.FOREIGN, f"ended with {process.exitcode}: {said}", kind, kills)
        whole = _result(kind, self._folder / f"whole, {kind}")
        same = _answer(kind, whole) == _answer(kind, _result(kind, place))
        return Verdict(Outcome.SAME if same else Outcome.WRONG, "" if same else "another result", kind, kills)


def _write_table(path: Path) -> None:
    """A fifth of its rows has labels."""
    lines = ["a,b,c,d,label"]
    for place, row in enumerate(np.random.default_rng(0).normal(size=(4000, 4))):
        label = str(int(row[0] + row[1] > 0)) if place < 800 else ""
        lines.append(",".join([*map(str, row), label]))
    path.write_text("\n".join(lines) + "\n")


def _place(folder: Path, name: str) -> Path:
    (folder / name).mkdir(exist_ok=True)
    return folder / name


def _state(kind: str, place: Path) -> Path:
    return place / ("killed.journal" if kind.startswith("study") else "state")


def _result(kind: str, place: Path) -> Path:
    return place / ("model.agno" if kind.startswith("fit") else "result")


def _answer(kind: str, result: Path) -> bytes:
    if not kind.startswith("fit"):
        return result.read_bytes()
    import agnoboost as ab

    rows = np.random.default_rng(1).normal(size=(500, 4))
    return bytes(ab.load(result).decision_function(rows).tobytes())


def _start(kind: str, folder: Path, place: Path, checkpoint: bool = True) -> BaseProcess:
    """A process of its own, with all its helpers in one group.

    Runs of the library alone are copies of this process, which need not warm up; others begin anew.
    """
    state, result = str(_state(kind, place)) if checkpoint else "", str(_result(kind, place))
    if kind.startswith("boost"):
        work, words = "fit", [kind.partition(", ")[2], state, result]
    elif kind.startswith("study"):
        work, words = "study", [str(place), kind.split()[1], result]
    else:
        work, words = "command", ["fit", str(folder / "table.csv"), "--target", "label", *COMMAND, "--out", result]
        words += ["--checkpoint", state] if checkpoint else []
    process = get_context("fork").Process(target=_be, args=(work, words, place / "errors"))
    process.start()
    return process


def _be(work: str, words: list[str], errors: Path) -> None:
    os.setsid()
    for path, descriptor in ((os.devnull, 1), (errors, 2)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    if work == "fit":
        SCRIPTS[work](*words)
    else:
        os.execv(sys.executable, [sys.executable, "-m", "fuzz.scripts", work, *words])


def _kill(process: BaseProcess) -> None:
    """Without warning; its helpers, too."""
    assert process.pid is not None
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:  # it has just begun, and has no group yet; or it has ended
        process.kill()
    process.join()


def _wait_for_a_moment(process: BaseProcess, state: Path, dice: Random) -> None:
    """Until it has written something, and a little longer; sometimes not even so long."""
    began, limit = _age(state), time.monotonic() + (dice.uniform(0, 0.5) if dice.random() < 0.2 else PATIENCE)
    while process.is_alive() and _age(state) == began and time.monotonic() < limit:
        time.sleep(0.002)
    time.sleep(dice.uniform(0, 0.06))


def _age(state: Path) -> tuple[int, int]:
    try:
        found = state.stat()
    except FileNotFoundError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
