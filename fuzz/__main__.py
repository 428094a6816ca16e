"""python -m fuzz: run a campaign and tell what came of it; or one case again."""

import argparse
import json
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

from .campaign import Child, run_leg, verdict_on
from .legs import LEGS
from .page import into_page, markdown, record
from .plan import carry_out


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("legs", nargs="*", choices=[*LEGS, []], help="which legs; all but the longest by default")
    parser.add_argument("--seconds", type=float, default=60.0, help="for all legs together")
    parser.add_argument("--cases", type=int, help="the most cases of each leg")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="children at a time")
    parser.add_argument("--out", type=Path, help="JSON file for the result")
    parser.add_argument("--page", type=Path, help="Markdown file whose figures are replaced")
    parser.add_argument("--campaign", type=Path, help="run all of plan.py; what is done is kept in this file")
    parser.add_argument("--recipe", help="run one recipe (JSON) of one leg again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        if options.recipe:
            (name,) = options.legs
            leg = LEGS[name]()
            leg.prepare(Path(folder))
            with Child(leg, Path(folder)) as child:
                print(json.dumps(verdict_on(child, json.loads(options.recipe)), indent=1))
            return
        if options.campaign:
            tallies = carry_out(options.campaign, Path(folder), options.seed, options.jobs, options.legs)
            command = ["python", "-m", "fuzz", "--campaign", options.campaign.name, "--seed", str(options.seed)]
            _report(options, record(tallies, shlex.join([*command, "--jobs", str(options.jobs)])))
            sys.exit(1 if any(tally.findings for tally in tallies) else 0)
        names = options.legs or [name for name, leg in LEGS.items() if leg.share]
        shares = {name: LEGS[name].share or 1.0 for name in names}
        tallies = []
        for name in names:
            seconds = options.seconds * shares[name] / sum(shares.values())
            tallies.append(run_leg(name, Path(folder) / name, seconds, options.cases, options.seed, options.jobs))
            print(markdown(record(tallies[-1:], "")), flush=True)
    words = ["python", "-m", "fuzz", *options.legs, "--seconds", f"{options.seconds:g}", "--seed", str(options.seed)]
    found = record(tallies, shlex.join([*words, "--jobs", str(options.jobs)]))
    _report(options, found)
    sys.exit(1 if any(tally.findings for tally in tallies) else 0)


def _report(options: argparse.Namespace, found: dict[str, Any]) -> None:
    if options.out:
        options.out.write_text(json.dumps(found, indent=1) + "\n")
    if options.page:
        into_page(options.page, markdown(found))


if __name__ == "__main__":
    main()
