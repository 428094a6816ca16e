"""A campaign: a sample of mutants from every file, each tried once, with a journal to go on from."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import signal
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from .covering import Covered
from .making import Mutant, make_mutants
from .trial import Ended, Trial, copy_tree, import_heavy, record, try_tests

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "src" / "agnoboost"
IN_CORE = ("potentials", "batch", "rules", "tape", "selection", "sources", "recipes", "earlier_recipes")
ROOMS = [*(f"core/{name}.py" for name in IN_CORE), "core/samplers", "planner", "labels", "rl"]
TESTS = [f"tests/{room}" for room in ("core", "theory", "planner", "labels", "rl", "rounds")] + [
    f"src/agnoboost/{room}" for room in ("core", "planner", "labels", "rl")
]
CAUGHT = ("killed", "timeout")


@dataclass(frozen=True)
class Result:
    """What became of a mutant."""

    file: str
    line: int
    function: str
    operator: str
    before: str
    after: str
    key: str
    verdict: str  # killed, timeout, survived or no test
    by: str  # the test that noticed
    seconds: float


def mutated_files() -> list[str]:
    """The files of the campaign, by their path in the library."""
    paths = [LIBRARY / room for room in ROOMS]
    found = [file for path in paths for file in (sorted(path.glob("*.py")) if path.is_dir() else [path])]
    return [str(file.relative_to(LIBRARY)) for file in found]


def all_mutants(files: list[str]) -> dict[str, list[Mutant]]:
    """The mutants of every file that has any."""
    made = {file: make_mutants((LIBRARY / file).read_text(), file) for file in files}
    return {file: mutants for file, mutants in made.items() if mutants}


def sample(possible: dict[str, list[Mutant]], count: int, seed: int) -> list[Mutant]:
    """About ``count`` mutants: of every file in proportion to how many it has, at least one."""
    share = min(1.0, count / sum(map(len, possible.values())))
    chosen, before = [], 0
    for file, mutants in possible.items():
        here = max(1, round(share * (before + len(mutants))) - round(share * before))
        before += len(mutants)
        chosen += sorted(random.Random(f"{seed} {file}").sample(mutants, here), key=lambda mutant: mutant.start)
    return chosen


def fingerprint() -> str:
    """Of all sources and tests: what was found for others does not count."""
    digest = hashlib.sha256()
    for path in sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]):
        name = path.relative_to(ROOT)
        if "mutants" not in name.parts:
            digest.update(str(name).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


class Journal:
    """Results as they come in, one a line."""

    def __init__(self, path: Path, state: str, keep_caught: bool):
        """``keep_caught``: mutants that older tests have caught are not tried again."""
        self._path, self._state = path, state
        self.results: dict[str, Result] = {}
        for line in path.read_text().splitlines() if path.exists() else []:
            saved = json.loads(line)
            if saved["state"] == state or (keep_caught and saved["result"]["verdict"] in CAUGHT):
                self.results[saved["result"]["key"]] = Result(**saved["result"])

    def add(self, result: Result) -> None:
        self.results[result.key] = result
        with self._path.open("a") as file:
            file.write(json.dumps({"state": self._state, "result": asdict(result)}) + "\n")


def run(mutants: list[Mutant], folder: Path, jobs: int, keep_caught: bool) -> list[Result]:
    """Try mutants, but for those that the journal in ``folder`` knows."""
    folder.mkdir(parents=True, exist_ok=True)
    state = fingerprint()
    journal = Journal(folder / "journal.jsonl", state, keep_caught)
    waiting = [mutant for mutant in mutants if mutant.key not in journal.results]
    if waiting:
        import_heavy()
        recorded = folder / f"recorded-{state}"
        covered = _recorded(recorded)
        copies = [_fresh_copy(recorded, folder / f"copy-{job}") for job in range(jobs)]
        start = time.monotonic()
        for done, result in enumerate(_tried(waiting, covered, recorded, copies), start=1):
            journal.add(result)
            left = (time.monotonic() - start) / done * (len(waiting) - done)
            print(f"{done}/{len(waiting)} {result.verdict:8} {result.seconds:6.1f} s, {left / 60:.0f} min left: "
                  f"{result.file}:{result.line} {result.operator}", flush=True)  # fmt: skip
    return [journal.results[mutant.key] for mutant in mutants]


def _recorded(copy: Path) -> Covered:
    """The tests of every line, from a copy of the source, which is made where it is missing."""
    saved = copy / "covered.json"
    if not saved.exists():
        print("recording which lines each test runs", flush=True)
        _fresh_copy(ROOT, copy)
        record(copy, TESTS, mutated_files(), saved)
    return Covered.of_json(json.loads(saved.read_text()))


def _fresh_copy(source: Path, target: Path) -> Path:
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    copy_tree(source, target)
    return target


def _tried(mutants: list[Mutant], covered: Covered, recorded: Path, copies: list[Path]) -> Iterator[Result]:
    """Try mutants, one at a time in each copy."""
    waiting, free = list(reversed(mutants)), list(copies)
    running: dict[Path, tuple[Mutant, Trial]] = {}
    try:
        while waiting or running:
            while waiting and free:
                mutant = waiting.pop()
                seconds = {test: covered.seconds[test] for test in covered.tests_of(mutant)}
                if not seconds:
                    yield _result(mutant, "no test")
                    continue
                copy = free.pop()
                original = _source(recorded, mutant).read_text()
                _source(copy, mutant).write_text(mutant.applied(original))
                running[copy] = mutant, try_tests(copy, seconds)
            for copy, (mutant, trial) in list(running.items()):
                if ended := trial.ended():
                    shutil.copy2(_source(recorded, mutant), _source(copy, mutant))
                    del running[copy]
                    free.append(copy)
                    yield _judged(mutant, ended)
            time.sleep(0.02)
    finally:
        for _, trial in running.values():
            trial.stop()


def _source(copy: Path, mutant: Mutant) -> Path:
    return copy / "src" / "agnoboost" / mutant.file


def _judged(mutant: Mutant, ended: Ended) -> Result:
    verdicts = {0: "survived", 5: "no test", -signal.SIGALRM: "timeout"}
    verdict = verdicts.get(ended.code, "killed")
    by = (ended.test or "import") if verdict in CAUGHT else ""
    return _result(mutant, verdict, by, ended.seconds)


def _result(mutant: Mutant, verdict: str, by: str = "", seconds: float = 0.0) -> Result:
    return Result(mutant.file, mutant.line, mutant.place.name, mutant.operator, mutant.before, mutant.after,
                  mutant.key, verdict, by, round(seconds, 2))  # fmt: skip
