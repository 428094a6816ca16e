"""A disk that is really full: a small file system of its own, in which there is no room left.

`unshare` gives a process, and it alone, such a file system; it needs root, or user namespaces.
"""

import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import agnoboost as ab
from agnoboost.basics.errors import CheckpointError

MOUNTED = 'mount -t tmpfs -o size=256k,nr_inodes=64 tmpfs "$0" && exec "$@"'
DOUBLE = """
from agnoboost.kernels.compiled import kernel
@kernel
def double(x):
    return 2 * x
print(double(4))
"""


def command(disk: Path, *words: str) -> list[str]:
    """That runs these words where ``disk`` is a file system of 256 kB."""
    return ["unshare", "--map-root-user", "--mount", "sh", "-c", MOUNTED, str(disk), *words]


def is_possible(folder: Path) -> bool:
    """Whether this system lets us."""
    try:
        return subprocess.run(command(folder, "true"), capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def fill(disk: Path) -> None:
    """To the last byte."""
    with (disk / "ballast").open("ab", buffering=0) as file:
        for size in (4096, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                continue


def make_room(disk: Path) -> None:
    (disk / "ballast").unlink()


def _data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    return X, np.where(X[:, 0] + X[:, 1] > 0, 1, -1)


def _no_room(act: Callable[[], object], kind: type[Exception] = OSError) -> None:
    """It must raise the system's own error, or one of ours with its words."""
    told = "no error"
    try:
        act()
    except kind as error:
        told = str(error)
    assert "No space left" in told, told


def _only(disk: Path, *names: str) -> None:
    """No parts of files were left behind."""
    found = {path.name for path in disk.iterdir()}
    assert found == set(names), found


def saving(disk: Path) -> None:
    """A model: the old file stays, and no part of the new one."""
    X, y = _data()
    path = disk / "model.agno"
    model = ab.AgnosticBoostingClassifier(n_rounds=5, random_state=0).fit(X, y)
    model.save(path)
    before = path.read_bytes()
    fill(disk)
    _no_room(lambda: ab.AgnosticBoostingClassifier(n_rounds=6, random_state=0).fit(X, y).save(path))
    _no_room(lambda: model.save(disk / "other.agno"))
    _only(disk, "model.agno", "ballast")
    assert path.read_bytes() == before
    assert np.array_equal(ab.load(path).predict(X), model.predict(X))


def checkpoints(disk: Path) -> None:
    """Told before the first round; if the disk fills up later, the run goes on, and the old state stays."""
    X, y = _data()
    booster = ab.algorithm1((X[:100], y[:100]), X[100:], step=0.02)
    settings = {"rng": 0, "engine": "numpy", "checkpoint_every": 1e-9}
    learner = ab.HistogramStumpLearner.from_data(X)
    whole = ab.boost(booster, learner, rounds=60, **settings)
    fill(disk)
    _no_room(lambda: ab.boost(booster, learner, rounds=60, checkpoint=disk / "state", **settings), kind=CheckpointError)
    _only(disk, "ballast")
    make_room(disk)

    def fill_up(progress: ab.core.Progress) -> None:
        if progress.round.number == 20:
            fill(disk)

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        run = ab.boost(booster, learner, rounds=60, checkpoint=disk / "state", callbacks=[fill_up], **settings)
    assert run.tape == whole.tape
    assert any("could not be written: No space left" in str(one.message) for one in told), told
    make_room(disk)
    _only(disk, "state")
    assert ab.boost(booster, learner, rounds=60, checkpoint=disk / "state", **settings).tape == whole.tape


def journals(disk: Path) -> None:
    """A study stops with the system's error, and goes on to the same results when there is room."""
    from agnoboost_experiments.studies import Study, carry_out

    from .scripts import number_of

    tasks = [{"number": number} for number in range(40)]
    study = Study("full", {"seed": 0}, tasks, number_of)
    wanted = [number_of({"seed": 0}, task) for task in tasks]

    def fill_up(done: int, total: int) -> None:
        if done == 20:
            fill(disk)

    _no_room(lambda: carry_out(study, disk, 1, fill_up))
    make_room(disk)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the line that was cut short
        assert carry_out(study, disk, 1) == wanted


def commands(disk: Path) -> None:
    """The command line says what is wrong in a line."""
    lines = ["a,b,label"] + [f"{number % 7},{number % 5},{number % 2}" for number in range(60)]
    (disk / "table.csv").write_text("\n".join(lines) + "\n")
    fill(disk)
    words = ["fit", disk / "table.csv", "--target", "label", "--effort", "fast", "--out", disk / "model.agno"]
    done = subprocess.run([sys.executable, "-m", "agnoboost", *map(str, words)], capture_output=True, text=True)
    assert done.returncode, done
    assert "No space left" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    _only(disk, "table.csv", "ballast")


def kernels(disk: Path) -> None:
    """Compiled kernels that cannot be kept are compiled every time."""
    fill(disk)
    script = disk.parent / "double.py"
    script.write_text(DOUBLE)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(disk)}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=environment)
    assert done.stdout == "8\n", done.stderr


STORIES = {one.__name__: one for one in (saving, checkpoints, journals, commands, kernels)}

if __name__ == "__main__":
    STORIES[sys.argv[1]](Path(sys.argv[2]))
