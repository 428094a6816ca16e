"""Progress of a long piece of work, in lines: what is done now, for how long so far, and about how long still."""

from __future__ import annotations

import time
from collections.abc import Callable


class Stages:
    """Stages of one piece of work; says nothing unless asked to.

    >>> stages = Stages(1, clock=iter([0.0, 0.0, 1.0, 3.0, 6.0]).__next__)
    >>> stages.begin("reading")
    agnoboost: reading
    >>> stages.plan(["bins", "trees"])
    >>> stages.begin("bins")
    agnoboost: [1/2] bins; 1 s so far
    >>> stages.begin("trees")
    agnoboost: [2/2] trees; 3 s so far, about 2 s to go
    >>> stages.end("done")
    agnoboost: done; 6 s in all
    """

    def __init__(self, verbose: int, clock: Callable[[], float] = time.monotonic):
        self._verbose, self._clock = verbose, clock
        self._start = clock()
        self._names: list[str] = []
        self._done = 0
        self._planned_at = 0.0

    def plan(self, names: list[str]) -> None:
        """What is still to come."""
        self._names = names

    def begin(self, name: str) -> None:
        if not self._verbose:
            return
        now = self._clock() - self._start
        if name not in self._names:
            print(f"agnoboost: {name}", flush=True)
            return
        place = self._names.index(name)
        text = f"agnoboost: [{place + 1}/{len(self._names)}] {name}; {spoken(now)} so far"
        if place == 0:
            self._planned_at = now
        else:  # as if stages were alike: a line every few seconds is better than a bar that lies
            text += f", about {spoken((now - self._planned_at) / place * (len(self._names) - place))} to go"
        print(text, flush=True)

    def end(self, summary: str) -> None:
        if self._verbose:
            print(f"agnoboost: {summary}; {spoken(self._clock() - self._start)} in all", flush=True)


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
