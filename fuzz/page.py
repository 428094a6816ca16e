"""The result of a campaign, as JSON and as a table."""

import json
import platform
from collections import Counter
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import agnoboost

from .campaign import Finding, Tally, signature
from .legs import LEGS
from .outcomes import Outcome

BEGIN, END = "<!-- figures: fuzz -->", "<!-- end of figures -->"


def record(tallies: list[Tally], command: str) -> dict[str, Any]:
    """All that a campaign has found."""
    packages = ("numpy", "scikit-learn", "pandas")
    versions = {"agnoboost": agnoboost.__version__, "python": platform.python_version()}
    return {
        "command": command,
        "versions": versions | {name: version(name) for name in packages},
        "legs": [
            {
                "leg": tally.leg,
                "seconds": round(tally.seconds, 1),
                "kills": tally.kills,
                "counts": [[*key, count] for key, count in sorted(tally.counts.items())],
                "findings": [asdict(finding) for finding in tally.findings.values()],
            }
            for tally in tallies
        ],
    }


def tally_of(leg: dict[str, Any]) -> Tally:
    """The tally that :func:`record` kept."""
    counts = Counter({(kind, outcome): count for kind, outcome, count in leg["counts"]})
    found = [Finding(**finding) for finding in leg["findings"]]
    own = {signature({**asdict(finding), "kind": finding.kind}): finding for finding in found}
    return Tally(leg["leg"], counts, leg["kills"], leg["seconds"], own)


def markdown(found: dict[str, Any]) -> str:
    """The table, and the findings with the commands that show them again."""
    lines = [f"`{found['command']}`, agnoboost {found['versions']['agnoboost']}:", ""] if found["command"] else []
    lines += [f"| what | kind | cases | {' | '.join(Outcome)} |", "|---" * (3 + len(Outcome)) + "|"]
    for leg in found["legs"]:
        kinds: dict[str, Counter[str]] = {}
        for kind, outcome, count in leg["counts"]:
            kinds.setdefault(kind, Counter())[outcome] += count
        for kind, counts in kinds.items():
            lines.append(_row(LEGS[leg["leg"]].what, kind, counts))
        if len(kinds) > 1:
            lines.append(_row(LEGS[leg["leg"]].what, "**all**", sum(kinds.values(), Counter())))
    lines += ["", f"Seconds: {', '.join(map(_pace, found['legs']))}."]
    for leg in found["legs"]:
        for finding in leg["findings"]:
            again = f"python -m fuzz '{leg['leg']}' --recipe '{json.dumps(finding['recipe'])}'"
            lines += ["", f"- **{finding['outcome']}** ({finding['count']}): {_flat(finding['detail'])}"]
            lines += [f"  - {_flat(finding['told'])}", f"  - `{again}`"]
    return "\n".join(lines) + "\n"


def _pace(leg: dict[str, Any]) -> str:
    cases = sum(count for *_, count in leg["counts"])
    kills = f", {leg['kills']} kills" if leg["kills"] else ""
    return f"{leg['leg']} {leg['seconds']:.0f} ({cases / max(leg['seconds'], 0.1):.1f} cases a second{kills})"


def _row(what: str, kind: str, counts: Counter[str]) -> str:
    numbers = " | ".join(str(counts[outcome]) for outcome in Outcome)
    return f"| {what} | {kind} | {sum(counts.values())} | {numbers} |"


def _flat(text: str) -> str:
    return " ".join(text.split())[:300]


def into_page(path: Path, text: str) -> None:
    """Put the result between the marks of a page."""
    before, _, rest = path.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    path.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}")
