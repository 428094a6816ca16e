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

from ..basics.atomic import drop_leftovers
from ..basics.checks import check_positive
from ..basics.errors import CheckpointError
from ..basics.names import prefixed, under
from ..basics.places import place_of
from ..basics.typing import Arrays, Rng
from ..core.booster import Booster
from ..core.history import History
from ..core.learners.base import WeakLearner
from ..core.sources import Source
from ..core.tape import Tape
from ..files.container import CHECKPOINT_FORMAT, read, write
from ..files.hypotheses import pack_tape, unpack_tape
from .engine import Engine, Settings


class Checkpoint:
    """Writes and reads the state of one run."""

    def __init__(
        self, path: str | PathLike[str], every: float, booster: Booster, learner: WeakLearner, engine: str, rng: Rng
    ) -> None:
        self._path = Path(path)
        self._every = check_positive(every, "checkpoint_every")
        check_place(self._path)
        if not learner.savable:
            raise ValueError(
                "A checkpoint holds the hypotheses of built-in weak learners. Got "
                f"{type(learner).__name__}, whose hypotheses are foreign objects. Leave checkpoint out."
            )
        self._sampler = booster.sampler
        self._problem = fingerprint(
            booster.sampler, booster.rule, booster.realize, learner, engine, _as_json(rng.bit_generator.state)
        )
        drop_leftovers(self._path)  # of a run that was killed while writing
        self._found = self._read()
        self._last = time.monotonic()

    def _read(self) -> tuple[dict[str, Any], Arrays] | None:
        """What is in the file, if it is there."""
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

    def write_if_due(self, engine: Engine, rng: Rng, tape: Tape, history: History) -> None:
        """Write if the last time is long enough ago."""
        if time.monotonic() - self._last >= self._every:
            self.write(engine, rng, tape, history)

    def write(self, engine: Engine, rng: Rng, tape: Tape, history: History) -> None:
        """Write the state after a round."""
        own_facts, state = engine.pack()
        facts = {
            "problem": self._problem,
            "unit": tape.unit,
            "features": tape.n_features,
            "generator": _as_json(rng.bit_generator.state),
            "start": list(engine.start),
            "drawn": [source.drawn for source in self._sampler.sources],
            "engine": engine.name,
            **own_facts,
        }
        arrays = prefixed("tape/", pack_tape(tape)) | prefixed("history/", history.to_arrays())
        arrays |= prefixed("state/", state)
        for place, source in enumerate(self._sampler.sources):
            arrays |= {f"{name}{place}": array for name, array in source.pack().items()}
        write(self._path, facts, arrays, CHECKPOINT_FORMAT)
        self._last = time.monotonic()

    def rounds_done(self) -> int:
        """How many rounds are in the file; the sources are told what they have handed out in them."""
        if self._found is None:
            return 0
        facts, arrays = self._found
        for place, (source, count) in enumerate(zip(self._sampler.sources, facts["drawn"], strict=True)):
            mine = {name.removesuffix(str(place)): array for name, array in arrays.items() if "/" not in name}
            source.restore(count, mine)
        return len(arrays["history/number"])

    def settled(self, settings: Settings) -> Settings:
        """Settings with the engine that the run in the file has used; another one might round its history otherwise."""
        if self._found is None or settings.engine != "auto":
            return settings
        return replace(settings, engine=self._found[0]["engine"])

    def resume(self, engine: Engine, rng: Rng, tape: Tape, rounds: int) -> tuple[Tape, History]:
        """The tape and the history to go on from: those in the file, or the empty ones if there is none."""
        if self._found is None:
            engine.pack()  # what cannot be kept is refused before the first round
            return tape, History()
        facts, arrays = self._found
        found = unpack_tape(under(arrays, "tape/"), facts["unit"], facts["features"] or 2**31)
        found.n_features = facts["features"]
        history = History.from_arrays(under(arrays, "history/"))
        if len(found) > rounds:
            raise CheckpointError(
                f"{self._path} holds {len(found)} rounds already. Got rounds={rounds}. Ask for at least as many, or "
                "delete the file to start anew."
            )
        try:
            rng.bit_generator.state = _from_json(facts["generator"])
        except (ValueError, TypeError):
            raise CheckpointError(
                f"{self._path} holds the state of another kind of generator than {type(rng.bit_generator).__name__}. "
                "Pass the same kind as before."
            ) from None
        engine.start = tuple(facts["start"])
        self.rounds_done()  # once more: a new engine has drawn rows of its own
        engine.restore(found, facts, under(arrays, "state/"))
        return found, history


def check_place(path: str | PathLike[str]) -> None:
    """Refuse, before any work, a place where no file can be."""
    place = place_of(path)
    if place.is_regular and place.path.parent.is_dir():
        return
    came = "a pipe or a device, from which no run can go on"
    if place.is_regular or place.path.is_dir():
        came = "in no such folder" if place.is_regular else "a folder"
    raise ValueError(
        f"checkpoint must be a file in a folder that exists. Got {path}, {came}. Give a file name, or make the folder."
    )


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
    elif isinstance(part, Source):
        for name in ("X", "y", "mass"):
            if vars(part).get(name) is not None:
                _digest(vars(part)[name], digest, seen)
    else:
        digest.update(repr(part).encode())


def _as_json(state: Any) -> Any:
    """A generator's state as JSON."""
    if isinstance(state, dict):
        return {key: _as_json(value) for key, value in state.items()}
    if isinstance(state, np.ndarray):
        return {"array": state.tolist(), "dtype": state.dtype.str}
    return state.item() if isinstance(state, np.generic) else state


def _from_json(state: Any) -> Any:
    if isinstance(state, dict):
        if set(state) == {"array", "dtype"}:
            return np.array(state["array"], dtype=state["dtype"])
        return {key: _from_json(value) for key, value in state.items()}
    return state
