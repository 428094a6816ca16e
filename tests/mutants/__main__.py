"""python -m mutants: run a campaign, or go on with it, and write its result."""

import argparse
import json
import platform
import signal
import sys
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from .campaign import ROOT, all_mutants, mutated_files, run, sample
from .page import markdown, read_verdicts, stale


def main() -> None:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=320, help="how many mutants, about")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=[""], help="files or rooms, such as core/tape.py or rl/")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep-caught", action="store_true", help="do not try again what older tests have caught")
    parser.add_argument("--work", type=Path, default=ROOT / "out" / "mutants", help="folder of the journal and copies")
    parser.add_argument("--out", type=Path, help="JSON file for the result")
    parser.add_argument("--page", type=Path, help="Markdown file for the result")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped; the same command goes on from here"))

    possible = all_mutants([file for file in mutated_files() if file.startswith(tuple(options.only))])
    chosen = sample(possible, options.count, options.seed)
    results = run(chosen, options.work.resolve(), options.jobs, options.keep_caught)
    only = f" --only {' '.join(options.only)}" if any(options.only) else ""
    record = {
        "command": f"python -m mutants --count {options.count} --seed {options.seed}{only}",
        "versions": {**{name: version(name) for name in ("numpy", "pytest")}, "python": platform.python_version()},
        "possible": sum(map(len, possible.values())),
        "mutants": [asdict(result) for result in results],
    }
    verdicts = read_verdicts()
    if options.out:
        options.out.write_text(json.dumps(record, indent=1) + "\n")
    text = markdown(record, verdicts)
    if options.page:
        options.page.write_text(text)
    else:
        print(text)
    for name in stale(record, verdicts):
        print(f"a verdict on no survivor of this campaign: {name}")


if __name__ == "__main__":
    main()
