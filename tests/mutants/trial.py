"""Tests on a mutant: in a fork of a process that has imported what is heavy, in a copy of the source.

The working tree is only read. A fork ends by itself: every test has an alarm, whose signal nothing catches.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from .covering import Recorder

HEAVY = (
    *("numpy", "pandas", "polars", "numba", "gymnasium.vector", "xgboost", "lightgbm"),
    *(f"scipy.{name}" for name in ("stats", "optimize", "sparse", "special")),
    *(f"sklearn.{name}" for name in ("ensemble", "linear_model", "model_selection", "svm", "utils.estimator_checks")),
    *("hypothesis", "hypothesis.extra.numpy", "_pytest.doctest"),
)
COPIED = ("src", "tests", "pyproject.toml")
OPTIONS = ("-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "--tb=short",
           "-W", "ignore::pytest.PytestAssertRewriteWarning")  # fmt: skip
PATIENCE = 5  # times what a test takes otherwise
START = 10  # seconds for what a test takes on top of that: imports, compiled kernels to be loaded, a busy machine
MEMORY = 12 * 2**30
BROKEN = 99  # the exit status of a fork that could not run its tests


def import_heavy() -> None:
    """Import what tests need and the library does not contain."""
    for name in HEAVY:
        try:
            importlib.import_module(name)
        except ImportError:  # an extra that is not there: its tests are skipped
            continue


def copy_tree(root: Path, target: Path) -> None:
    """What tests need, with times of files, by which compiled kernels and modules find their caches."""
    for name in COPIED:
        copy = shutil.copytree if (root / name).is_dir() else shutil.copy2
        copy(root / name, target / name)


class Chosen:
    """A plugin of pytest that runs some tests only, in a given order, and leaves word of where it is."""

    def __init__(self, seconds: dict[str, float], word: Path):
        self._seconds, self._word = seconds, word

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        order = {test: place for place, test in enumerate(self._seconds)}
        items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item):
        self._word.write_text(item.nodeid)
        signal.alarm(int(PATIENCE * self._seconds[item.nodeid] + START))


@dataclass(frozen=True)
class Ended:
    """How a fork ended."""

    code: int  # pytest's, or minus the signal
    test: str  # the last one that was begun
    seconds: float


class Trial:
    """Tests that run in a fork."""

    def __init__(self, copy: Path, work: Callable[[], int]):
        """``work`` runs in the fork, in the folder ``copy``, and returns an exit status."""
        self._word = copy / "word.txt"
        self._word.write_text("")
        self._start = time.monotonic()
        sys.stdout.flush()
        self.pid = os.fork()
        with suppress(PermissionError):  # parent or fork, whoever comes first: a group that can be ended at once
            os.setpgid(self.pid, self.pid)
        if not self.pid:
            try:
                _settle(copy)
                os._exit(work())
            except BaseException:  # nothing of the parent's may run in the fork
                traceback.print_exc()
                os._exit(BROKEN)

    def ended(self, wait: bool = False) -> Ended | None:
        """How it has ended, if it has."""
        pid, status = os.waitpid(self.pid, 0 if wait else os.WNOHANG)
        if not pid:
            return None
        self.stop()  # processes that tests have left behind
        code = os.waitstatus_to_exitcode(status)
        if code == BROKEN:
            raise RuntimeError((self._word.parent / "log.txt").read_text())
        return Ended(code, self._word.read_text(), time.monotonic() - self._start)

    def stop(self) -> None:
        """End the fork and what it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)


def _settle(copy: Path) -> None:
    """Make the fork a process of its own, whose library is the copy's."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(6 * START)  # until the first test
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.chdir(copy)
    log = os.open("log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    sys.path.insert(0, str(copy / "src"))
    os.environ["PYTHONPATH"] = str(copy / "src")

    from hypothesis import settings

    settings.register_profile("mutants", deadline=None, derandomize=True, database=None)
    settings.load_profile("mutants")


def _pytest(copy: Path, arguments: list[str], plugin: object) -> int:
    options = [*OPTIONS, f"--rootdir={copy}", f"--basetemp={copy / 'temporary'}"]
    return int(pytest.main([*options, *arguments], plugins=[plugin]))


def try_tests(copy: Path, seconds: dict[str, float]) -> Trial:
    """Run tests in their order, up to the first that fails."""

    def work() -> int:
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        files = list(dict.fromkeys(test.split("::")[0] for test in seconds))
        return _pytest(copy, files, Chosen(seconds, copy / "word.txt"))

    return Trial(copy, work)


def record(copy: Path, tests: list[str], files: list[str], target: Path) -> None:
    """Run all tests on the source as it is: which lines each runs, and its time. It leaves compiled files behind."""
    written = copy / "lines.json"

    def work() -> int:
        signal.alarm(0)
        recorder = Recorder(copy / "src" / "agnoboost", files)
        recorder.start()
        code = _pytest(copy, tests, recorder)
        written.write_text(json.dumps(recorder.found()))
        return code

    trial = Trial(copy, work)
    try:
        ended = trial.ended(wait=True)
    finally:
        trial.stop()
    if ended.code:
        raise SystemExit(f"Tests fail on the source as it is:\n{(copy / 'log.txt').read_text()[-3000:]}")
    written.replace(target)
