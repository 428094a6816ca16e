"""Checkpoints: a run's state in one file, from which it goes on to the same end, bit by bit.

A state is the tape, the history, the generator, the rows that sources have handed out, and what a sampler carries from
round to round. What can be worked out from these (margins, sums) is not written. Files are written atomically and
hold no code: JSON and numbers only.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import fields, is_dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.checks import check_positive
from ..basics.errors import CheckpointError
from ..basics.typing import Rng
from ..core.history import History
from ..core.learners import ClassifierLearner, ProbabilityLearner, WeakLearner
from ..core.samplers import Fresh, Generation, Reuse, ReuseState, WithLabels, WithLabelsState
from ..core.sources import OnePass, Pool, Sample, Source
from ..core.tape import Margins, Tape
from .loops import EngineLoop, Loop, Parts
from .paths import Settings

Arrays = dict[str, npt.NDArray[Any]]


class Checkpoint:
    """Writes and reads the state of one run."""

    def __init__(
        self, path: str | PathLike[str], every: float, booster: Parts, learner: WeakLearner, engine: str, rng: Rng
    ) -> None:
        self._path = Path(path)
        self._every = check_positive(every, "checkpoint_every")
        check_place(self._path)
        _check_savable(booster.sampler, learner)
        self._sampler = booster.sampler
        self._problem = fingerprint(
            booster.sampler, booster.rule, booster.realize, learner, engine, _plain(rng.bit_generator.state)
        )
        for rest in self._path.parent.glob(f".{self._path.name}.*.part"):  # of a run that was killed while writing
            rest.unlink()
        self._found = self._read()
        self._last = time.monotonic()

    def _read(self) -> tuple[dict[str, Any], Arrays] | None:
        """What is in the file, if it is there."""
        from ..files.container import CHECKPOINT_FORMAT, read

        if not self._path.exists():
            return None
        facts, arrays = read(self._path, CHECKPOINT_FORMAT)
        if facts["problem"] != self._problem:
            raise CheckpointError(
                f"{self._path} is the checkpoint of another run: the data, the booster, the learner, the engine or the "
                "seed differ (without a fixed seed no two runs are the same). Delete the file to start anew, or give "
                "this run a file of its own."
            )
        return facts, arrays

    def write_if_due(self, loop: Loop | EngineLoop, rng: Rng, tape: Tape, history: History) -> None:
        """Write if the last time is long enough ago."""
        if time.monotonic() - self._last >= self._every:
            self.write(loop, rng, tape, history)

    def write(self, loop: Loop | EngineLoop, rng: Rng, tape: Tape, history: History) -> None:
        """Write the state after a round."""
        from ..files.container import CHECKPOINT_FORMAT, write
        from ..files.hypotheses import pack_tape

        facts = {
            "problem": self._problem,
            "unit": tape.unit,
            "features": tape.n_features,
            "generator": _plain(rng.bit_generator.state),
            "start": list(loop.start),
            "drawn": [source.drawn for source in self._sampler.sources],
            "engine": loop.name,
            "potential": loop.path.potential if isinstance(loop, EngineLoop) else 0.0,
        }
        arrays = _prefixed("tape/", pack_tape(tape)) | _prefixed("history/", history.to_arrays())
        for place, source in enumerate(self._sampler.sources):
            if isinstance(source, OnePass) and source.order is not None:
                arrays[f"order{place}"] = source.order
        if isinstance(loop, Loop):
            arrays |= _prefixed("state/", _pack(loop.state, self._sampler))
        write(self._path, facts, arrays, CHECKPOINT_FORMAT)
        self._last = time.monotonic()

    def rounds_done(self) -> int:
        """How many rounds are in the file; the sources are told what they have handed out in them."""
        if self._found is None:
            return 0
        facts, arrays = self._found
        for place, (source, count) in enumerate(zip(self._sampler.sources, facts["drawn"], strict=True)):
            source.drawn = count
            if isinstance(source, OnePass):
                source.order = arrays.get(f"order{place}")
        return len(arrays["history/number"])

    def settled(self, settings: Settings) -> Settings:
        """Settings with the engine that the run in the file has used; another one might round its history otherwise."""
        if self._found is None or settings.engine != "auto":
            return settings
        return replace(settings, engine=self._found[0]["engine"])

    def resume(self, loop: Loop | EngineLoop, rng: Rng, tape: Tape, rounds: int) -> tuple[Tape, History]:
        """The tape and the history to go on from: those in the file, or the empty ones if there is none."""
        from ..files.hypotheses import unpack_tape

        if self._found is None:
            return tape, History()
        facts, arrays = self._found
        found = unpack_tape(_under(arrays, "tape/"), facts["unit"], facts["features"] or 2**31)
        found.n_features = facts["features"]
        history = History.from_arrays(_under(arrays, "history/"))
        if len(found) > rounds:
            raise CheckpointError(
                f"{self._path} holds {len(found)} rounds already. Got rounds={rounds}. Ask for at least as many, or "
                "delete the file to start anew."
            )
        try:
            rng.bit_generator.state = _lively(facts["generator"])
        except (ValueError, TypeError):
            raise CheckpointError(
                f"{self._path} holds the state of another kind of generator than {type(rng.bit_generator).__name__}. "
                "Pass the same kind as before."
            ) from None
        loop.start = tuple(facts["start"])
        self.rounds_done()  # once more: a new loop has drawn rows of its own
        if isinstance(loop, EngineLoop):
            loop.path.restore(found, facts["potential"])
        else:
            loop.state = _unpack(loop.state, _under(arrays, "state/"), self._sampler)
        return found, history


def check_place(path: str | PathLike[str]) -> None:
    """Refuse, before any work, a place where no file can be."""
    path = Path(path)
    if not path.parent.is_dir() or path.is_dir():
        raise ValueError(
            f"checkpoint must be a file in a folder that exists. Got {path}, "
            f"{'a folder' if path.is_dir() else 'in no such folder'}. Give a file name, or make the folder."
        )


def _check_savable(sampler: Any, learner: WeakLearner) -> None:
    """Refuse, before any work, what has no form in a file."""
    if isinstance(learner, (ClassifierLearner, ProbabilityLearner)):
        raise ValueError(
            "A checkpoint holds the hypotheses of built-in weak learners. Got "
            f"{type(learner).__name__}, whose hypotheses are foreign objects. Leave checkpoint out."
        )
    if not isinstance(sampler, (Fresh, Reuse, WithLabels)):
        raise ValueError(f"A checkpoint knows the built-in samplers. Got {type(sampler).__name__}. Leave it out.")


# ------------------------------------------------------------- what samplers carry along


def _pack(state: Any, sampler: Any) -> Arrays:
    """A sampler's state as arrays; rows that are a pool's own are left out."""
    if isinstance(state, Margins):
        return {}
    if isinstance(state, ReuseState):
        arrays: Arrays = {"dropped": np.array(state.dropped), "generations": np.array(len(state.pool))}
        for place, part in enumerate(state.pool):
            own = {"mass": part.mass, "signed": part.signed, "share": np.array(part.share)}
            arrays |= _prefixed(f"{place}/", own | _foreign("X", part.X, sampler.source))
        return arrays
    if isinstance(state, WithLabelsState):
        rows = state.sample
        sample = {"y": rows.y, "mass": rows.mass} | _foreign("X", rows.X, sampler.labeled)
        return _prefixed("sample/", sample) | _prefixed("inner/", _pack(state.inner, sampler.unlabeled))
    raise TypeError(f"a state of unknown type {type(state).__name__}")


def _unpack(fresh: Any, arrays: Arrays, sampler: Any) -> Any:
    """The state that :func:`_pack` packed; ``fresh`` is a state before the first round."""
    if isinstance(fresh, ReuseState):
        parts = [_under(arrays, f"{place}/") for place in range(int(arrays["generations"]))]
        pool = [
            Generation(_rows(part, sampler.source), part["mass"], part["signed"], float(part["share"]))
            for part in parts
        ]
        return ReuseState(fresh.margins, pool, float(arrays["dropped"]))
    if isinstance(fresh, WithLabelsState):
        own = _under(arrays, "sample/")
        sample = Sample(_rows(own, sampler.labeled), own["y"], own["mass"])
        return WithLabelsState(sample, _unpack(fresh.inner, _under(arrays, "inner/"), sampler.unlabeled))
    return fresh


def _foreign(name: str, X: npt.NDArray[Any], source: Source) -> Arrays:
    return {} if isinstance(source, Pool) and X is source.X else {name: np.asarray(X)}


def _rows(arrays: Arrays, source: Any) -> npt.NDArray[Any]:
    return arrays["X"] if "X" in arrays else np.asarray(source.X)


# --------------------------------------------------------------------------- small things


def fingerprint(*parts: Any) -> str:
    """A digest of everything that a run depends on, data included."""
    digest = hashlib.sha256()
    for part in parts:
        _digest(part, digest, set())
    return digest.hexdigest()


def _digest(part: Any, digest: Any, seen: set[int]) -> None:
    if isinstance(part, np.ndarray):
        digest.update(f"{part.dtype} {part.shape}".encode())
        for block in np.array_split(part, max(1, part.nbytes >> 24)):
            digest.update(np.ascontiguousarray(block).data)
        return
    if id(part) in seen:
        return
    digest.update(type(part).__qualname__.encode())
    if is_dataclass(part) and not isinstance(part, type):
        seen.add(id(part))
        for entry in fields(part):
            if not entry.name.startswith("_"):  # memories change nothing
                _digest(getattr(part, entry.name), digest, seen)
    elif hasattr(part, "draw") and hasattr(part, "drawn"):
        for name in ("X", "y", "mass"):
            if getattr(part, name, None) is not None:
                _digest(getattr(part, name), digest, seen)
    else:
        digest.update(repr(part).encode())


def _prefixed(prefix: str, arrays: Arrays) -> Arrays:
    return {prefix + name: array for name, array in arrays.items()}


def _under(arrays: Arrays, prefix: str) -> Arrays:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _plain(state: Any) -> Any:
    """A generator's state as JSON."""
    if isinstance(state, dict):
        return {key: _plain(value) for key, value in state.items()}
    if isinstance(state, np.ndarray):
        return {"array": state.tolist(), "dtype": state.dtype.str}
    return state.item() if isinstance(state, np.generic) else state


def _lively(state: Any) -> Any:
    if isinstance(state, dict):
        if set(state) == {"array", "dtype"}:
            return np.array(state["array"], dtype=state["dtype"])
        return {key: _lively(value) for key, value in state.items()}
    return state
