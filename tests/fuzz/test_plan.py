"""The whole campaign goes on where it was, and only with the sources that it began with."""

import json

import pytest

from fuzz import plan
from fuzz.campaign import Tally
from fuzz.page import record, tally_of

VERDICT = {"outcome": "crash", "detail": "exit code -11", "kind": "raw", "kills": 2}


def some_tally():
    tally = Tally("journals", seconds=1.5)
    tally.add(3, VERDICT)
    tally.add(4, {**VERDICT, "outcome": "same answer", "detail": ""})
    return tally


def test_a_tally_outlasts_its_process():
    tally = some_tally()
    (leg,) = json.loads(json.dumps(record([tally], "")))["legs"]
    again = tally_of(leg)
    assert (again.counts, again.kills, again.findings) == (tally.counts, tally.kills, tally.findings)


def test_two_tallies_together():
    both = some_tally() + some_tally()
    assert (both.cases, both.kills, both.seconds) == (4, 8, 3.0)
    (finding,) = both.findings.values()
    assert (finding.count, finding.number) == (2, 3)


def test_it_goes_on(tmp_path, monkeypatch):
    asked = []

    def run_leg(name, folder, seconds, cases, seed, jobs, first):
        asked.append((first, cases))
        if len(asked) == 3:
            raise KeyboardInterrupt
        tally = Tally(name)
        for number in range(first, first + cases):
            tally.add(number, {**VERDICT, "outcome": "same answer", "kills": 0})
        return tally

    monkeypatch.setattr(plan, "run_leg", run_leg)
    monkeypatch.setattr(plan, "CASES", {"journals": 10})
    monkeypatch.setattr(plan, "PARTS", 4)
    with pytest.raises(KeyboardInterrupt):
        plan.carry_out(tmp_path / "state", tmp_path, 0, 1, [])
    (tally,) = plan.carry_out(tmp_path / "state", tmp_path, 0, 1, [])
    assert tally.cases == 10
    assert asked == [(0, 3), (3, 3), (6, 3), (6, 3), (9, 1)]
    with pytest.raises(SystemExit, match="of another seed"):
        plan.carry_out(tmp_path / "state", tmp_path, 1, 1, [])
    monkeypatch.setattr(plan, "source_hash", lambda *packages: "other")
    with pytest.raises(SystemExit, match="other sources"):
        plan.carry_out(tmp_path / "state", tmp_path, 0, 1, [])
