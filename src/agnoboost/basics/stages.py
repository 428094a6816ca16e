"""Progress of a long piece of work: what is done now, for how long so far, and about how long still.

Work says what it begins (:class:`Stages`); whoever wants to know is told by moments. In Python ``verbose=1`` prints
them as lines. A command listens to the fits that it starts (:func:`heard_by`), and draws a bar instead.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

QUICK = 2.0  # seconds: what is sooner done needs no lines
BREATH, PAUSE = 1.0, 10.0  # least seconds between two lines, and between two about the same stage


@dataclass(frozen=True)
class Moment:
    """``done`` of ``total`` stages lie behind, with what is done of the present one; total is 0 before there is a plan.

    >>> print(Moment("small trees", 2.5, 8, elapsed=12.0, left=26.4))
    [3/8] small trees; 12 s so far, about 26 s to go
    """

    stage: str
    done: float = 0.0
    total: int = 0
    elapsed: float = 0.0
    left: float | None = None  # seconds, if they can be guessed

    @property
    def share(self) -> float:
        return self.done / self.total if self.total else 0.0

    @property
    def label(self) -> str:
        return f"[{min(int(self.done) + 1, self.total)}/{self.total}] {self.stage}" if self.total else self.stage

    @property
    def to_go(self) -> str:
        return "" if self.left is None else f"about {spoken(max(1.0, round(self.left)))} to go"

    def __str__(self) -> str:
        so_far = f"{spoken(self.elapsed)} so far" if self.elapsed >= 0.1 else ""
        times = ", ".join(text for text in (so_far, self.to_go) if text)
        return f"{self.label}; {times}" if times else self.label


Show = Callable[[Moment], None]
_listener: ContextVar[Show | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(show: Show) -> Iterator[None]:
    """Work that is done inside tells ``show`` of its stages."""
    token = _listener.set(show)
    try:
        yield
    finally:
        _listener.reset(token)


def lines(write: Callable[[str], None]) -> Show:
    """Moments as lines: the first, and new stages once the work is not a quick one; else one now and then.

    >>> show = lines(print)
    >>> for seconds, stage in enumerate(["reading", "bins", "stumps", "stumps"]):
    ...     show(Moment(stage, elapsed=float(seconds)))
    agnoboost: reading
    agnoboost: stumps; 2 s so far
    """
    last: list[Moment] = []

    def show(moment: Moment) -> None:
        new = not last or moment.stage != last[0].stage
        if not last or moment.elapsed >= max(QUICK, last[0].elapsed + (BREATH if new else PAUSE)):
            last[:] = [moment]
            write(f"agnoboost: {moment}")

    return show


class Stages:
    """The stages of one piece of work. It says nothing unless it is asked to, or somebody listens.

    >>> stages = Stages(1, clock=iter([0.0, 0.0, 1.0, 1.0, 3.0, 6.0]).__next__)
    >>> stages.begin("reading")
    agnoboost: reading
    >>> stages.plan(["bins", "trees"])
    >>> stages.begin("bins")
    >>> stages.begin("trees")
    agnoboost: [2/2] trees; 3 s so far, about 2 s to go
    >>> stages.end("done")
    agnoboost: done; 6 s in all
    """

    def __init__(self, verbose: int = 0, show: Show | None = None, clock: Callable[[], float] = time.monotonic):
        self._verbose, self._clock = verbose, clock
        self._show = show or _listener.get() or (lines(_print) if verbose else None)
        self._start = self._counted_from = clock()
        self._names: list[str] = []
        self._stage, self._at = "", 0
        self._before: int | None = None  # pieces that were done before we began to count

    def plan(self, names: Sequence[str]) -> None:
        """What is still to come, in order. Time left is guessed as if all of it took equally long."""
        self._names, self._at, self._counted_from = list(names), 0, self._clock()

    def begin(self, name: str) -> None:
        """A stage that the plan does not have counts as part of the one before."""
        self._stage = name
        if name in self._names:
            self._at = self._names.index(name)
        self._tell(name, self._at, len(self._names))

    def inside(self, part: Moment) -> None:
        """How far the work of the present stage is, which has stages of its own."""
        self._tell(f"{self._stage}: {part.stage}", self._at + part.share, len(self._names))

    def count(self, done: int, total: int) -> None:
        """A stage without a plan, of many like pieces; the first call says how many were done before."""
        if self._before is None:
            self._before, self._counted_from = done, self._clock()
        self._tell(self._stage, done, total)

    def end(self, summary: str) -> None:
        if self._verbose:
            _print(f"agnoboost: {summary}; {spoken(self._clock() - self._start)} in all")

    def _tell(self, stage: str, done: float, total: int) -> None:
        if self._show is None:
            return
        now, new = self._clock(), done - (self._before or 0)
        left = (now - self._counted_from) * (total - done) / new if new > 0 else None
        self._show(Moment(stage, done, total, now - self._start, left))


def _print(text: str) -> None:
    print(text, flush=True)


def spoken(seconds: float) -> str:
    """A time as people say it.

    >>> spoken(0.04), spoken(75.0), spoken(4000.0)
    ('0.04 s', '1 min 15 s', '1 h 6 min')
    """
    if round(seconds) < 60:
        return f"{seconds:.2g} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
