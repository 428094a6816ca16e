"""Checkpoints: a run's state in one file, from which it goes on to the same end, bit by bit.

A state is the tape, the history, the generator, the rows that sources have handed out, and what a sampler carries from
round to round. What can be worked out from these (margins, sums) is not written. Files are written atomically and
hold no code: JSON and numbers only. What is read is checked completely (:mod:`agnoboost.rounds.checkpoint_checks`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from ..basics.atomic import drop_leftovers
from ..basics.checks import check_positive
from ..basics.errors import CheckpointError
from ..basics.names import prefixed, under
from ..basics.typing import Arrays, Rng
from ..core.booster import Booster
from ..core.history import History
from ..core.learners.base import WeakLearner
from ..core.tape import Tape
from ..files.container import CHECKPOINT_FORMAT, Facts, ModelFileError, read, write
from ..files.hypotheses import pack_tape, unpack_tape
from .checkpoint_checks import check_facts, check_history, check_same, seal, without_gaps
from .checkpoint_places import check_place, told_if_it_fails
from .engine import Engine, Settings
from .fingerprint import fingerprint, from_json, to_json

LAYOUT = 2  # files of the first layout name none, and have no seal


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
        self._before = [(s, s.drawn, s.pack(), s.n_features) for s in booster.sampler.sources]
        self._problem = fingerprint(
            booster.sampler, booster.rule, booster.realize, learner, engine, to_json(rng.bit_generator.state)
        )
        drop_leftovers(self._path)  # of a run that was killed while writing
        self._found = self._read()
        self._last = time.monotonic()

    def _read(self) -> tuple[Facts, Arrays] | None:
        """What is in the file, if it is there."""
        if not self._path.exists():
            return None
        with self._blaming_the_file():
            facts, arrays = _read_whole(self._path)
            check_facts(facts, arrays, LAYOUT, len(self._sampler.sources))
        if facts["problem"] != self._problem:
            raise CheckpointError(
                f"{self._path} is the checkpoint of another run: the data, the booster, the learner, the engine or the "
                "seed differ (without a fixed seed no two runs are the same). Delete the file to start anew, or give "
                "this run a file of its own."
            )
        return facts, arrays

    @contextmanager
    def _blaming_the_file(self) -> Iterator[None]:
        """Whatever goes wrong while a state is taken from the file is told of the file; sources stay as they were."""
        try:
            yield
        except Exception as error:
            for source, drawn, arrays, columns in self._before:
                source.restore(drawn, arrays)
                source.n_features = columns
            if isinstance(error, CheckpointError):
                raise
            reason = str(error) if isinstance(error, (ValueError, OSError)) else repr(error)
            raise CheckpointError(
                f"{self._path} must be a whole checkpoint file of this run. It is not: {reason.rstrip('.')}. "
                "Delete it to start anew."
            ) from error

    def write_if_due(self, engine: Engine, rng: Rng, tape: Tape, history: History) -> None:
        """Write if the last time is long enough ago."""
        if time.monotonic() - self._last >= self._every:
            self.write(engine, rng, tape, history)

    def write(self, engine: Engine, rng: Rng, tape: Tape, history: History) -> None:
        """Write the state after a round. If that fails it is said, and the run goes on."""
        facts, arrays = self._state(engine, rng, tape, history)
        with told_if_it_fails(self._path):
            write(self._path, {**facts, "seal": seal(facts, arrays)}, arrays, CHECKPOINT_FORMAT)
        self._last = time.monotonic()

    def _state(self, engine: Engine, rng: Rng, tape: Tape, history: History) -> tuple[Facts, Arrays]:
        own_facts, state = engine.pack()
        facts = {
            "layout": LAYOUT,
            "problem": self._problem,
            "unit": tape.unit,
            "features": self._columns(tape.n_features),
            "generator": to_json(rng.bit_generator.state),
            "start": list(engine.start),
            "drawn": [source.drawn for source in self._sampler.sources],
            "engine": engine.name,
            **own_facts,
        }
        arrays = prefixed("tape/", pack_tape(tape)) | prefixed("history/", history.to_arrays())
        arrays |= prefixed("state/", state)
        for place, source in enumerate(self._sampler.sources):
            arrays |= {f"{name}{place}": array for name, array in source.pack().items()}
        return facts, arrays

    def _columns(self, known: int | None) -> int | None:
        """How many columns rows have. Streams may know only after the first of them."""
        found = (source.n_features for source in self._sampler.sources if source.n_features is not None)
        return next(found, None) if known is None else known

    def rounds_done(self) -> int:
        """How many rounds are in the file; the sources are told what they have handed out in them."""
        if self._found is None:
            return 0
        facts, arrays = self._found
        with self._blaming_the_file():
            for place, (source, count) in enumerate(zip(self._sampler.sources, facts["drawn"], strict=True)):
                mine = {name.removesuffix(str(place)): array for name, array in arrays.items() if "/" not in name}
                source.restore(count, mine)
        return len(arrays["history/number"])

    def settled(self, settings: Settings, able: Callable[[str], bool]) -> Settings:
        """Settings with the engine that the run in the file has used; another one might round its history otherwise.

        ``able`` tells whether an engine can run this booster.
        """
        if self._found is None or settings.engine != "auto":
            return settings
        engine = self._found[0]["engine"]
        with self._blaming_the_file():
            if not able(engine):
                raise ValueError(f"it names an engine, {engine!r}, that cannot run this booster")
        return replace(settings, engine=engine)

    def resume(self, engine: Engine, rng: Rng, tape: Tape, rounds: int) -> tuple[Tape, History]:
        """The tape and the history to go on from: those in the file, or the empty ones if there is none."""
        if self._found is None:
            engine.pack()  # what cannot be kept is refused before the first round
            return tape, History()
        facts, arrays = self._found
        with self._blaming_the_file():
            features, ours = facts["features"], self._columns(tape.n_features)
            if facts["unit"] != tape.unit or (features != ours and None not in (features, ours)):
                raise ValueError("its margins have another unit, or its rows another number of columns")
            facts = {**facts, "features": features if ours is None else ours}
            found = unpack_tape(without_gaps(under(arrays, "tape/")), tape.unit, facts["features"] or 2**31)
            found.n_features = tape.n_features
            for source in self._sampler.sources:
                source.n_features = facts["features"]  # rows of another width are refused when they are drawn
            if len(found) > rounds:
                raise CheckpointError(
                    f"{self._path} holds {len(found)} rounds already. Got rounds={rounds}. Ask for at least as many, "
                    "or delete the file to start anew."
                )
            self._restore_generator(rng, facts["generator"])
            engine.start = tuple(facts["start"])
            self.rounds_done()  # once more: a new engine has drawn rows of its own
            history = check_history(under(arrays, "history/"), found, self._sampler.drawn, engine.start)
            engine.restore(found, facts, under(arrays, "state/"))
            check_same((facts, arrays), self._state(engine, rng, found, history))
        return found, history

    def _restore_generator(self, rng: Rng, state: Any) -> None:
        kind = type(rng.bit_generator).__name__
        if state.get("bit_generator") != kind:
            raise CheckpointError(
                f"{self._path} holds the state of another kind of generator than {kind}. Pass the same kind as before."
            )
        rng.bit_generator.state = from_json(state, rng.bit_generator.state)


def _read_whole(path: Path) -> tuple[Facts, Arrays]:
    try:
        return read(path, CHECKPOINT_FORMAT)
    except ModelFileError as error:  # its sentence is whole
        raise CheckpointError(str(error)) from None
