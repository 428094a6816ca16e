"""Odd surroundings: the same answers wherever, and however, Python was started."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from ..control_groups import are_possible, limited
from ..full_disk import is_possible
from ..leg import Leg, Recipe
from ..outcomes import Outcome, Verdict

SCRIPT = ("-m", "fuzz.scripts", "digest")
LIMIT = 4 * 2**30


class Surroundings(Leg):
    name = "surroundings"
    what = "odd surroundings"
    share = 2.0
    seconds = 900.0
    waiting = 1800.0
    megabytes = None
    cases = 10

    def prepare(self, folder: Path) -> None:
        (folder / "digest").write_text(_digest())

    def start(self, folder: Path) -> None:
        self._known = (folder / "digest").read_text()

    def numbered(self, seed: int, number: int) -> Recipe:
        return {"where": list(WAYS)[number % len(WAYS)]}

    def recipe(self, dice: Random) -> Recipe:
        return {"where": dice.choice(list(WAYS))}

    def run(self, recipe: Recipe) -> Verdict:
        where = recipe["where"]
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = WAYS[where](Path(folder))
            except subprocess.CalledProcessError as error:
                crashed = error.returncode < 0
                return Verdict(Outcome.CRASH if crashed else Outcome.FOREIGN, error.stderr[-300:], where)
        same = set(found.split()) == {self._known.strip()}
        return Verdict(Outcome.SAME if same else Outcome.WRONG, "" if same else "other answers", where)


def _digest(
    *options: str, without: tuple[str, ...] = (), first: Callable[[], None] | None = None, **variables: str
) -> str:
    """What the script prints; ``first`` is done in its process before it begins."""
    kept = {name: value for name, value in os.environ.items() if name not in without}
    command = [sys.executable, *options, *SCRIPT]
    done = subprocess.run(
        command, env={**kept, **variables}, capture_output=True, text=True, check=True, preexec_fn=first, timeout=1600
    )
    return done.stdout


def _bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))


def _in_a_group(megabytes: int | None, share: float | None) -> str:
    with limited(megabytes, share) as join:
        return _digest(first=join)


def _read_only_everywhere(folder: Path) -> str:
    """No folder may be written to where compiled kernels could be kept."""
    root = Path(__file__).parents[2]
    script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, str(root), sys.executable, *SCRIPT]
    kept = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    settings = {"HOME": "/proc", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"}
    done = subprocess.run(
        command, env={**kept, **settings}, capture_output=True, text=True, check=True, timeout=1600, cwd=root
    )
    return done.stdout


def _compiled_into(folder: Path) -> Path:
    """A cache of compiled kernels."""
    _digest(NUMBA_CACHE_DIR=str(folder / "cache"))
    return folder / "cache"


def _closed_cache(folder: Path) -> str:
    (folder / "cache").write_text("a file, where a folder should be")
    return _digest(NUMBA_CACHE_DIR=str(folder / "cache"))


def _read_only_cache(folder: Path) -> str:
    cache = _compiled_into(folder)
    for path in cache.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    return _digest(NUMBA_CACHE_DIR=str(cache))


def _damaged_cache(folder: Path) -> str:
    """Kernels that were cut short: what a killed process, or a full disk, leaves behind."""
    cache = _compiled_into(folder)
    for path in list(cache.rglob("*.nbc"))[::2]:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    return _digest(NUMBA_CACHE_DIR=str(cache))


def _stale_cache(folder: Path) -> str:
    """Kernels of sources that have changed since."""
    cache = _compiled_into(folder)
    copied = folder / "copy"
    shutil.copytree(Path(__file__).parents[2] / "src", copied, ignore=shutil.ignore_patterns("__pycache__"))
    return _digest(NUMBA_CACHE_DIR=str(cache), PYTHONPATH=f"{copied}{os.pathsep}{Path(__file__).parents[2]}")


def _two_at_once(folder: Path) -> str:
    command = [sys.executable, *SCRIPT]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")}
    both = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    return " ".join(process.communicate(timeout=1600)[0] or "nothing" for process in both)


WAYS = {
    "-O": lambda folder: _digest("-O"),
    "-W error": lambda folder: _digest("-W", "error"),
    "no HOME": lambda folder: _digest(without=("HOME", "XDG_CACHE_HOME", "USER", "LOGNAME")),
    "without compiler": lambda folder: _digest(NUMBA_DISABLE_JIT="1"),
    "plain C locale": lambda folder: _digest(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"),
    "4 GiB of address space": lambda folder: _digest(first=_bounded),
    "no cache possible": _closed_cache,
    "read-only cache": _read_only_cache,
    "damaged cache": _damaged_cache,
    "stale cache": _stale_cache,
    "two processes compile at once": _two_at_once,
}
if are_possible():
    WAYS["1000 MB by a control group"] = lambda folder: _in_a_group(1000, None)
    WAYS["a fifth of a processor by a control group"] = lambda folder: _in_a_group(None, 0.2)
if is_possible(Path("/tmp")):
    WAYS["no cache anywhere"] = _read_only_everywhere
Surroundings.cases = len(WAYS)
