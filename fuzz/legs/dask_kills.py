"""Dask workers and schedulers that are killed during a fit: it ends in a sentence or finishes right; it never hangs."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import numpy as np

from ..dask_fit import BEGUN, CONNECTED, PLACE
from ..leg import Leg, Recipe
from ..outcomes import Outcome, Verdict

KINDS = ("xgboost", "xgboost, checkpoint", "lightgbm")
WHOM = ("worker", "worker", "scheduler")
PATIENCE = 300.0  # seconds of the clock, for what takes some ten on a quiet machine
SENTENCES = ("Distributed training stopped: ", "The dask cluster was lost while ")


class DaskKills(Leg):
    name = "dask kills"
    what = "fits on dask, with killed workers and schedulers"
    share = 0.0  # a cluster for every case: only if it is named
    seconds = 900.0
    waiting = 1800.0
    megabytes = None
    cases = 36

    def prepare(self, folder: Path) -> None:
        for kind in KINDS:
            with Cluster(folder / f"whole, {kind}") as cluster:
                told = cluster.fit(kind).told()
            assert told is not None, kind
            assert "margins" in told, told
            (folder / kind).write_text(json.dumps(told["margins"]))

    def start(self, folder: Path) -> None:
        self._folder = folder
        self._known = {kind: np.array(json.loads((folder / kind).read_text())) for kind in KINDS}

    def recipe(self, dice: Random) -> Recipe:
        early = dice.random() < 0.25  # while the table is being looked at
        seconds = dice.uniform(0.0, 4.0 if early else 1.0)
        return {"kind": dice.choice(KINDS), "whom": dice.choice(WHOM), "early": early, "seconds": seconds}

    def run(self, recipe: Recipe) -> Verdict:
        kind, group = recipe["kind"], f"{recipe['kind']}, {recipe['whom']}"
        place = Path(tempfile.mkdtemp(dir=self._folder))
        try:
            with Cluster(place) as cluster:
                cluster.fit(kind)
                cluster.kill(recipe["whom"], recipe["early"], recipe["seconds"])
                told = cluster.told()
            found = self._judged(kind, told)
            if found.outcome is Outcome.REFUSED and "checkpoint" in kind:  # the same fit goes on from what was saved
                with Cluster(place) as cluster:
                    again = self._judged(kind, cluster.fit(kind).told())
                found = again if again.outcome is not Outcome.SAME else found
        finally:
            shutil.rmtree(place)
        return Verdict(found.outcome, found.detail, group, kills=1)

    def _judged(self, kind: str, told: dict | None) -> Verdict:
        if told is None:
            return Verdict(Outcome.HANG, "the fit does not end")
        if "margins" in told:
            agree = np.mean((np.array(told["margins"]) > 0) == (self._known[kind] > 0))
            return Verdict(Outcome.SAME if agree > 0.97 else Outcome.WRONG, f"{agree:.3f} of the rows as before")
        ours = told["error"] == "RuntimeError" and told["told"].startswith(SENTENCES)
        if told["has a model"]:
            return Verdict(Outcome.WRONG, "a model after an error")
        return Verdict(Outcome.REFUSED if ours else Outcome.FOREIGN, f"{told['error']}: {told['told'][:200]}")


class Cluster:
    """A scheduler and two workers, each a process of its own, and the process that fits."""

    def __init__(self, place: Path):
        place.mkdir(exist_ok=True)
        self._place, self._file = place, place / "scheduler.json"
        for old in (self._file, place / "told", place / BEGUN, place / CONNECTED):
            old.unlink(missing_ok=True)
        self._said = (place / "said").open("wb")
        common = ["--scheduler-file", str(self._file), "--no-dashboard"]
        self._scheduler = self._start("distributed.cli.dask_scheduler", *common, "--port", "0")
        one = [*common, "--nthreads", "1", "--no-nanny", "--local-directory", str(place)]
        self._workers = [self._start("distributed.cli.dask_worker", *one) for _ in range(2)]
        self._fit: subprocess.Popen[bytes] | None = None

    def _start(self, module: str, *words: str) -> subprocess.Popen[bytes]:
        environment = {**os.environ, PLACE: str(self._place)}
        return subprocess.Popen(
            [sys.executable, "-m", module, *words], stdout=self._said, stderr=self._said, env=environment
        )

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_: object) -> None:
        for process in (self._fit, *self._workers, self._scheduler):
            if process is not None:
                process.kill()
                process.wait()
        self._said.close()

    def fit(self, kind: str) -> "Cluster":
        """Begin."""
        checkpoint = str(self._place / "state") if "checkpoint" in kind else ""
        engine = kind.partition(",")[0]
        self._fit = self._start("fuzz.scripts", "dask", engine, str(self._file), checkpoint)
        return self

    def kill(self, whom: str, early: bool, seconds: float) -> None:
        """After some seconds, counted from the start of the fit or from the first tree on."""
        mark, until = self._place / (CONNECTED if early else BEGUN), time.monotonic() + PATIENCE
        while not mark.exists() and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(seconds)
        process = self._scheduler if whom == "scheduler" else self._workers[0]
        os.kill(process.pid, signal.SIGKILL)

    def told(self) -> dict | None:
        """What came of the fit; None if it does not end."""
        assert self._fit is not None
        try:
            self._fit.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return None
        path = self._place / "told"
        if path.exists():
            return dict(json.loads(path.read_text()))
        said = (self._place / "said").read_text(errors="replace")[-300:]
        return {"error": f"exit code {self._fit.returncode}", "told": said, "has a model": False}
