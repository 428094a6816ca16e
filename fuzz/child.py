"""A child of the campaign: warms up once, and lets copies of itself run the cases.

A copy (a fork) takes milliseconds to start, so that a case that kills it costs next to nothing. Alarms end copies that
hang: one counts seconds of the processor, which a busy machine cannot make longer, one those of the clock. A limit of
address space ends those that want too much. Each copy notes which case it is at before it begins.

`python -m fuzz.child LEG FOLDER REPORT` takes orders as lines of JSON; REPORT is the descriptor of a pipe for answers:
whatever parsers print cannot get into it.
"""

import json
import mmap
import os
import pkgutil
import resource
import signal
import struct
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import asdict
from importlib import import_module
from math import inf
from pathlib import Path
from typing import IO, Any

import agnoboost.kernels.compiled

from .leg import Leg, Recipe
from .legs import LEGS
from .outcomes import Outcome

OUR_FAULT = 99  # how a copy ends if the campaign itself is wrong
ALARMS = {"processor": signal.SIGPROF, "clock": signal.SIGALRM}
AT_ONCE = 2000  # cases of a copy, which then makes room for a fresh one


def main() -> None:
    name, folder, pipe = sys.argv[1:]
    leg = LEGS[name]()
    if leg.kernels:  # loading them later would count as memory
        for module in pkgutil.iter_modules(agnoboost.kernels.compiled.__path__):
            import_module(f"agnoboost.kernels.compiled.{module.name}")
    os.fsync = lambda file: None  # nothing here has to outlast the machine
    leg.start(Path(folder))
    with os.fdopen(int(pipe), "w", buffering=1) as report:
        _tell(report, ["ready"])
        for line in sys.stdin:
            order = json.loads(line)
            if "recipe" in order:
                _run(leg, iter([(0, order["recipe"])]), report)
            else:
                numbers = range(order["first"], order["last"], order["step"])
                cases = ((number, leg.numbered(order["seed"], number)) for number in numbers)
                _run(leg, cases, report, order["until"])
            _tell(report, ["done"])


def _tell(report: IO[str], what: Any) -> None:
    print(json.dumps(what), file=report)


def _run(leg: Leg, cases: Iterator[tuple[int, Recipe]], report: IO[str], until: float = inf) -> None:
    """Let copies run the cases, each from where the last one ended."""
    done = mmap.mmap(-1, 16)  # shared with the copies: cases that were begun, and whether there are more
    while True:
        began = struct.unpack("q", done[:8])[0]
        copy = os.fork()
        if copy == 0:
            try:
                _be_a_copy(leg, cases, report, done, until)
            except BaseException:
                traceback.print_exc()
                os._exit(OUR_FAULT)
        status = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
        count = struct.unpack("q", done[:8])[0]
        passed = [case for _, case in zip(range(count - began), cases, strict=False)]  # the copy has gone through them
        if status == OUR_FAULT:
            sys.exit(f"a bug of the campaign itself, at {passed[-1]}")
        if status:
            number, recipe = passed[-1]
            outcome = Outcome.HANG if -status in ALARMS.values() else Outcome.CRASH
            verdict = {"outcome": outcome, "detail": f"exit code {status}", "kind": _kind(recipe), "kills": 0}
            _tell(report, [number, verdict])
        elif done[8]:
            return


def _be_a_copy(leg: Leg, cases: Iterator[tuple[int, Recipe]], report: IO[str], done: mmap.mmap, until: float) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if leg.megabytes is not None:
        limit = _address_space() + leg.megabytes * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    for alarm in ALARMS.values():
        signal.signal(alarm, signal.SIG_DFL)  # ends us even inside a parser
    for count, (number, recipe) in enumerate(cases, 1):
        if time.monotonic() > until:
            break
        done[:8] = struct.pack("q", struct.unpack("q", done[:8])[0] + 1)
        _set_alarms(leg.seconds, leg.waiting)
        verdict = asdict(leg.run(recipe))
        _set_alarms(0, 0)
        verdict["kind"] = verdict["kind"] or _kind(recipe)
        _tell(report, [number, verdict])
        if count == AT_ONCE:
            os._exit(0)
    done[8] = 1
    os._exit(0)


def _set_alarms(of_processor: float, of_clock: float) -> None:
    signal.setitimer(signal.ITIMER_PROF, of_processor)
    signal.setitimer(signal.ITIMER_REAL, of_clock)


def _kind(recipe: Recipe) -> str:
    return str(recipe.get("depth") or recipe.get("base") or recipe.get("model") or recipe.get("kind") or "")


def _address_space() -> int:
    """Bytes that this process has mapped."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


if __name__ == "__main__":
    main()
