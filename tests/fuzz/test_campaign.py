"""The campaign itself: every way to go wrong is noticed, told apart, and made small."""

import json

import pytest

from fuzz.campaign import run_leg
from fuzz.legs.trial import FAULTS
from fuzz.page import BEGIN, END, into_page, markdown, record


@pytest.fixture(scope="module")
def tally(tmp_path_factory):
    return run_leg("trial", tmp_path_factory.mktemp("trial"), seconds=60, cases=None, seed=1, jobs=1)


def test_every_fault_is_noticed(tally):
    counts = {outcome: count for (_, outcome), count in tally.counts.items()}
    assert counts == {
        "same answer": 2,
        "refused by us": 2,
        "foreign exception": 2,
        "too much memory": 2,
        "hang": 2,
        "crash": 4,
    }


def test_findings_are_counted_by_cause_and_made_small(tally):
    found = {finding.recipe["fault"]: finding for finding in tally.findings.values()}
    assert set(found) == set(FAULTS) - {"none", "refused"}
    for finding in found.values():
        assert finding.count == 2
        assert finding.recipe["ballast"] == []
    assert found["abort"].detail == "exit code -6"
    assert found["foreign"].detail.startswith("KeyError in trial.py:")


def test_the_page_has_the_table_and_the_commands(tally, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    into_page(page, markdown(record([tally], "python -m fuzz trial")))
    text = page.read_text()
    assert text.startswith("before")
    assert text.endswith("after\n")
    assert "old" not in text
    row = next(line for line in text.splitlines() if line.startswith("| cases that go wrong on purpose"))
    assert [cell.strip() for cell in row.split("|")][3:12] == ["14", "2", "0", "2", "0", "2", "2", "2", "4"]
    assert json.dumps({"fault": "abort", "ballast": []}) in text
