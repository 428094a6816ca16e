"""What is run in processes of its own: `python -m fuzz.scripts NAME ARGUMENT...`."""

import hashlib
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import agnoboost as ab


def fit(engine: str, checkpoint: str, result: str) -> None:
    """A run of some thousand rounds, with a checkpoint every moment; its end is written to ``result``."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5))
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(size=3000) > 0, 1, -1)
    realize = ab.bernoulli(30) if engine == "sampled" else None
    booster = ab.algorithm1((X[:600], y[:600]), X[600:], step=0.002, threshold=0.004, realize=realize)
    learner = ab.HistogramTreeLearner.from_data(X) if engine == "trees" else ab.HistogramStumpLearner.from_data(X)
    rounds = {"loop": 300, "trees": 500}.get(engine, 4000)
    settings = {"callbacks": [lambda progress: None], "checkpoint": checkpoint or None, "checkpoint_every": 0.02}
    run = ab.boost(booster, learner, rounds=rounds, rng=1, engine=engine, **settings)
    found = np.concatenate([run.tape.margin_units(X), run.history["edge"], run.history["potential"]])
    _write(result, found.tobytes())


def study(folder: str, jobs: str, result: str) -> None:
    """A study of small tasks; its results are written to ``result``."""
    from agnoboost_experiments.studies import Study, carry_out

    tasks = [{"number": number} for number in range(40)]
    found = carry_out(Study("killed", {"seed": 0}, tasks, _task), Path(folder), int(jobs))
    _write(result, repr(found).encode())


def _task(settings: dict[str, Any], task: dict[str, Any]) -> dict[str, float]:
    time.sleep(0.02)
    return number_of(settings, task)


def number_of(settings: dict[str, Any], task: dict[str, Any]) -> dict[str, float]:
    """The task of a study: a random number."""
    from agnoboost_experiments.studies import generator

    return {"value": float(generator(settings["seed"], task["number"]).random())}


def command(*words: str) -> None:
    """The command line, with a checkpoint every moment."""
    from agnoboost.cli import main
    from agnoboost.rounds.checkpoint import Checkpoint

    usual = Checkpoint.__init__
    Checkpoint.__init__ = lambda self, path, every, *more: usual(self, path, 0.02, *more)  # type: ignore[method-assign]
    sys.argv = ["agnoboost", *words]
    main()


def _write(path: str, content: bytes) -> None:
    """Whole, or not at all."""
    part = Path(f"{path}.part")
    part.write_bytes(content)
    part.rename(path)


def digest() -> None:
    """Compiled kernels and the front door; prints a digest of what they answer."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = np.where(X[:, 0] * X[:, 1] + X[:, 2] > 0, 1, -1)
    booster = ab.algorithm1((X[:100], y[:100]), X[100:], step=0.05)
    found = hashlib.sha256()
    for engine in ("incremental", "loop"):
        run = ab.boost(booster, ab.HistogramStumpLearner.from_data(X), rounds=30, rng=0, engine=engine)
        found.update(run.tape.margin_units(X).tobytes())
    labels = np.where(np.arange(400) < 80, y, 0).astype(float)
    labels[labels == 0] = np.nan
    model = ab.TableClassifier(effort="fast", random_state=0, n_jobs=1).fit(X, labels)
    found.update(np.round(model.predict_proba(X), 9).tobytes())
    print(found.hexdigest())


def many_rows(rows: str) -> None:
    """Predict many rows; prints the megabytes that this took beside the rows and the answers."""
    import resource

    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 6))
    model = ab.TableClassifier(effort="fast", random_state=0, n_jobs=1).fit(X, X[:, 0] * X[:, 1] > 0)
    model.predict_proba(X)
    many = np.tile(X, (-(-int(rows) // 2000), 1))[: int(rows)]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    chances = model.predict_proba(many)
    assert np.array_equal(chances[:2000], chances[-2000:] if int(rows) % 2000 == 0 else chances[:2000])
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 - chances.nbytes / 2**20
    print(f"{max(more, 0):.0f}")


def warm() -> None:
    """Some random tables: what they need is compiled, and kept on disk."""
    from tempfile import TemporaryDirectory

    from .legs.tables import Tables

    leg = Tables()
    with TemporaryDirectory() as folder:
        leg.start(Path(folder))
        for number in range(60):
            leg.run(leg.numbered(0, number))


def dask(*words: str) -> None:
    """A fit on a cluster."""
    from .dask_fit import fit

    fit(*words)


SCRIPTS = {one.__name__: one for one in (fit, study, command, warm, dask, digest, many_rows)}

if __name__ == "__main__":
    SCRIPTS[sys.argv[1]](*sys.argv[2:])
