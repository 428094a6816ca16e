"""Journals: a result that was changed after it was written is never read."""

import json
import random
import warnings
from pathlib import Path

import pytest

from agnoboost_experiments.journal import Journal

FACTS = {"study": "little", "command": "agnoboost little", "settings": {"seed": 0}, "versions": {"numpy": "2.0"}}
RESULTS = {f"task {number}": {"value": number / 3, "name": f"ümlaut {number}"} for number in range(5)}


@pytest.fixture
def path(tmp_path):
    """A journal of all results."""
    journal = Journal(tmp_path / "little.journal", FACTS)
    assert journal.read() == {}
    for name, result in RESULTS.items():
        journal.append({"name": name}, result)
    return tmp_path / "little.journal"


def read(path: Path, facts=FACTS):
    return {json.loads(key)["name"]: result for key, result in Journal(path, facts).read().items()}


def test_what_was_written_is_read(path):
    before = path.read_bytes()
    assert read(path) == RESULTS
    assert path.read_bytes() == before


def test_a_changed_figure_is_not_read(path):
    path.write_text(path.read_text().replace(str(2 / 3), str(2 / 3 + 0.1)))
    with pytest.warns(RuntimeWarning, match=r"little.journal. 1 of its lines cannot be trusted .* run again"):
        found = read(path)
    assert found == {name: result for name, result in RESULTS.items() if name != "task 2"}
    assert read(path) == found  # it is gone: nothing is said a second time


def test_a_line_of_another_study_is_not_read(path):
    other = Journal(path.parent / "other.journal", {**FACTS, "settings": {"seed": 1}})
    other.read()
    other.append({"name": "task 9"}, {"value": 9.0})
    line = (path.parent / "other.journal").read_text().splitlines()[1]
    path.write_text(path.read_text() + line + "\n")
    with pytest.warns(RuntimeWarning, match="1 of its lines"):
        assert read(path) == RESULTS


@pytest.mark.parametrize("head", ["", "{", '{"study": "little"}', json.dumps({**FACTS, "settings": 7, "checksum": ""})])
def test_a_damaged_first_line_is_made_up_for_by_the_others(path, head):
    path.write_text("\n".join([head, *path.read_text().splitlines()[1:], ""]))
    assert read(path) == RESULTS
    assert json.loads(path.read_text().splitlines()[0])["settings"] == {"seed": 0}


def old_journal(path, facts=FACTS):
    lines = [facts, *({"task": {"name": name}, "result": result} for name, result in RESULTS.items())]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.mark.parametrize("named", [{"command": "agnoboost little"}, {}])
def test_journals_without_checksums_are_gone_on_from_and_said_to_be_old(tmp_path, named):
    facts = {part: FACTS[part] for part in ("study", "settings", "versions")}
    path = tmp_path / "little.journal"
    old_journal(path, facts | named)
    with pytest.warns(RuntimeWarning, match="written before lines had checksums"):
        assert read(path) == RESULTS
    assert read(path) == RESULTS  # from now on its lines have checksums
    assert all("checksum" in json.loads(line) for line in path.read_text().splitlines())


def test_damage_to_an_old_journal_is_found_where_it_shows(tmp_path):
    path = tmp_path / "little.journal"
    old_journal(path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:3], lines[3][:-3], *lines[4:], ""]))
    with pytest.warns(RuntimeWarning, match="1 of its lines"):
        assert set(read(path)) == set(RESULTS) - {"task 2"}
    old_journal(path, FACTS | {"settings": {"seed": 1}})
    with pytest.raises(ValueError, match="settings differ"):
        read(path)


def test_no_damage_changes_a_result(path):
    whole, dice = path.read_bytes(), random.Random(0)
    lost = 0
    for _ in range(300):
        content = bytearray(whole)
        place = dice.randrange(len(content))
        if dice.random() < 0.5:
            content[place] ^= 1 << dice.randrange(8)
        else:
            del content[place : place + dice.randrange(1, 90)]
        path.write_bytes(bytes(content))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            found = read(path)
        assert found.items() <= RESULTS.items()
        lost += len(found) < len(RESULTS)
    assert lost > 150
