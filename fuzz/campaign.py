"""A campaign: children that run cases until time or cases are over; deaths and hangs are findings, too."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any

from .leg import Leg, Recipe
from .legs import LEGS
from .outcomes import Outcome

ROOT = Path(__file__).parents[1]


@dataclass
class Finding:
    """Cases that went wrong in the same way; the first of them, as small as it could be made."""

    leg: str
    outcome: str
    detail: str
    kind: str
    number: int
    recipe: Recipe = field(default_factory=dict)
    told: str = ""
    count: int = 1


@dataclass
class Tally:
    """What came of the cases of a leg."""

    leg: str
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)  # (kind, outcome)
    kills: int = 0
    seconds: float = 0.0
    findings: dict[str, Finding] = field(default_factory=dict)

    @property
    def cases(self) -> int:
        return sum(self.counts.values())

    def __add__(self, other: "Tally") -> "Tally":
        """Both together."""
        found = Tally(self.leg, self.counts + other.counts, self.kills + other.kills, self.seconds + other.seconds)
        found.findings = {like: replace(finding) for like, finding in self.findings.items()}
        for like, finding in other.findings.items():
            if like in found.findings:
                found.findings[like].count += finding.count
            else:
                found.findings[like] = finding
        return found

    def add(self, number: int, verdict: dict[str, Any]) -> None:
        self.counts[verdict["kind"], verdict["outcome"]] += 1
        self.kills += verdict["kills"]
        if Outcome(verdict["outcome"]).is_finding:
            like = signature(verdict)
            if like in self.findings:
                self.findings[like].count += 1
            else:
                self.findings[like] = Finding(self.leg, verdict["outcome"], verdict["detail"], verdict["kind"], number)


def signature(verdict: dict[str, Any]) -> str:
    """What findings of the same cause share."""
    return f"{verdict['outcome']} {re.sub(r'[0-9]+', '0', verdict['detail'])[:60]} {verdict['kind']}"


def run_leg(name: str, folder: Path, seconds: float, cases: int | None, seed: int, jobs: int, first: int = 0) -> Tally:
    """Run a leg for so long, or so many cases, from the ``first`` on; ``folder`` is kept for more of them."""
    leg, tally, lock = LEGS[name](), Tally(name), Lock()
    if not folder.exists():
        folder.mkdir(parents=True)
        leg.prepare(folder)
    last = first + min(cases or 10**12, leg.cases or 10**12)

    def work(slot: int) -> None:
        with Child(leg, folder) as child:
            began = time.monotonic()
            order = {"seed": seed, "first": first + slot, "last": last, "step": jobs, "until": began + seconds}
            for number, verdict in child.verdicts(order):
                with lock:
                    tally.add(number, verdict)
            with lock:
                tally.seconds = max(tally.seconds, time.monotonic() - began)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(work, range(jobs)))
    if tally.findings:
        leg.start(folder)
        with Child(leg, folder) as child:
            for finding in tally.findings.values():
                finding.recipe = minimised(leg, child, leg.numbered(seed, finding.number), finding)
                finding.told = leg.told(finding.recipe)
    return tally


class Child:
    """A process that runs cases, and the pipe through which it tells of them."""

    def __init__(self, leg: Leg, folder: Path):
        read, write = os.pipe()
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 (closed at the end)
        command = [sys.executable, "-m", "fuzz.child", leg.name, str(folder), str(write)]
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        # threads of parsers would not survive in copies, and would only get in each other's way; and every thread sets
        # address space apart, which is what is limited
        settings = {"PYTHONPATH": path, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
        self._process = subprocess.Popen(
            command,
            pass_fds=[write],
            env={**os.environ, **settings},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._said,
            text=True,
        )
        os.close(write)
        self._report = os.fdopen(read)
        self._line()  # that it is ready

    def __enter__(self) -> "Child":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()
        self._report.close()
        self._said.close()

    def verdicts(self, order: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
        """The cases of an order, each with what came of it."""
        assert self._process.stdin is not None
        print(json.dumps(order), file=self._process.stdin, flush=True)
        while len(line := self._line()) == 2:
            yield line[0], line[1]

    def _line(self) -> list[Any]:
        text = self._report.readline()
        if not text:
            self._process.communicate()
            self._said.seek(0)
            said = self._said.read()[-4000:].decode(errors="replace")
            raise RuntimeError(f"A child has ended that should go on, with {self._process.returncode}: {said}")
        found: list[Any] = json.loads(text)
        return found


def verdict_on(child: Child, recipe: Recipe) -> dict[str, Any]:
    """What comes of one recipe."""
    ((_, verdict),) = child.verdicts({"recipe": recipe})
    return verdict


def minimised(leg: Leg, child: Child, recipe: Recipe, finding: Finding, steps: int = 12) -> Recipe:
    """A smaller recipe that goes wrong in the same way, if a few steps find one."""

    def is_like_it(smaller: Recipe) -> bool:
        verdict = verdict_on(child, smaller)
        return signature(verdict) == signature({**asdict(finding), "kind": verdict["kind"]})

    for _ in range(steps):
        smaller = next(filter(is_like_it, leg.smaller(recipe)), None)
        if smaller is None:
            break
        recipe = smaller
    return recipe
