"""The paper cites what is in its bibliography, and its commands are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAPER = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")


def test_everything_cited_is_in_the_bibliography_and_the_other_way_round():
    entries = re.findall(r"^@\w+\{([\w-]+),", (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(set(entries)) == len(entries)
    assert set(re.findall(r"(?<![\w.])@([\w-]+)", PAPER)) == set(entries)


def test_its_head_and_its_sections_are_those_that_are_asked_for():
    yaml = pytest.importorskip("yaml")
    _, head, text = PAPER.split("---\n", 2)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= set(yaml.safe_load(head))
    sections = re.findall("^# (.*)$", text, re.MULTILINE)
    assert {"Summary", "Statement of need", "Related software", "Evaluation", "References"} <= set(sections)


def test_its_studies_and_scripts_are_there():
    from agnoboost_experiments import EXPERIMENTS

    studies = {study.name for study in EXPERIMENTS}
    assert set(re.findall(r"agnoboost reproduce ([\w-]+)", PAPER)) <= studies
    for script in re.findall(r"python (benchmarks/\w+\.py)", PAPER):
        assert (ROOT / script).exists()
    targets = set(re.findall(r"^([a-z-]+)(?: [a-z-]+)*:", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`make ([\w-]+)", PAPER)) <= targets
