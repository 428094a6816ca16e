"""The whole campaign: so many cases of each leg. What is done is kept in a file, and gone on from.

Cases belong to the code that they were run on: a file of other sources of the library is refused.
"""

import json
from math import inf
from pathlib import Path

import agnoboost
from agnoboost.basics.atomic import write_text
from agnoboost_experiments.studies import source_hash

from .campaign import Tally, run_leg
from .legs import LEGS
from .page import record, tally_of

# At least 100,000 damaged files, 20,000 tables and 300 kills; in the order in which they are run.
CASES = {
    "tables": 20_000,
    "models": 45_000,
    "kills": 120,
    "checkpoints": 20_000,
    "journals": 20_000,
    "table files": 20_000,
    "large files": 400,
}
PARTS = 20  # after each of which the file is written


def carry_out(path: Path, folder: Path, seed: int, jobs: int, only: list[str]) -> list[Tally]:
    """Run what is left of the plan, and give the tallies of all of it; ``only`` names legs, or none for all."""
    known = {"source": source_hash(Path(agnoboost.__file__).parent), "seed": seed}
    tallies = _read(path, known)
    for name in only or CASES:
        whole = CASES.get(name, LEGS[name].cases or 1)
        while (done := tallies.setdefault(name, Tally(name)).cases) < whole:
            part = min(whole - done, -(-whole // PARTS))
            tallies[name] += run_leg(name, folder / name, inf, part, seed, jobs, first=done)
            found = record(list(tallies.values()), "")
            write_text(path, json.dumps({**known, **found}, indent=1) + "\n")
            print(f"{name}: {tallies[name].cases} of {whole}, {len(tallies[name].findings)} findings", flush=True)
    return [tallies[name] for name in LEGS if name in tallies]


def _read(path: Path, known: dict[str, object]) -> dict[str, Tally]:
    """What is done already."""
    if not path.exists():
        return {}
    found = json.loads(path.read_text())
    if {name: found[name] for name in known} != known:
        raise SystemExit(f"{path} is of other sources of the library, or of another seed. Delete it to start anew.")
    return {leg["leg"]: tally_of(leg) for leg in found["legs"]}
