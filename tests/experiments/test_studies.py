"""Studies: the same result on any number of jobs, and after any interruption."""

from dataclasses import replace

import pytest

from agnoboost_experiments import studies
from agnoboost_experiments.studies import Study, carry_out, generator


def work(settings, task):
    return {"value": float(generator(settings["seed"], task["name"]).random()), "twice": 2 * task["number"]}


def make(count=6, work=work, **settings):
    tasks = [{"name": f"task {number}", "number": number} for number in range(count)]
    return Study("little", {"seed": 0, **settings}, tasks, work, "agnoboost little")


def test_the_result_does_not_depend_on_the_number_of_jobs(tmp_path):
    for jobs in (1, 2):
        (tmp_path / str(jobs)).mkdir()
    alone = carry_out(make(), tmp_path / "1", 1)
    assert carry_out(make(), tmp_path / "2", 2) == alone
    assert [result["twice"] for result in alone] == [0, 2, 4, 6, 8, 10]
    assert len({result["value"] for result in alone}) == 6


def test_a_run_that_was_cut_short_goes_on_where_it_stopped(tmp_path):
    whole = carry_out(make(), tmp_path, 1)
    (tmp_path / "little.journal").unlink()
    done = []

    def dies_in_the_fourth(settings, task):
        done.append(task["number"])
        if len(done) == 4:
            raise KeyboardInterrupt
        return work(settings, task)

    with pytest.raises(KeyboardInterrupt):
        carry_out(make(work=dies_in_the_fourth), tmp_path, 1)
    seen = []
    assert carry_out(make(work=dies_in_the_fourth), tmp_path, 1, lambda *counts: seen.append(counts)) == whole
    assert done == [0, 1, 2, 3, 3, 4, 5]
    assert seen == [(3, 6), (4, 6), (5, 6), (6, 6)]


def test_a_line_that_was_cut_short_is_done_again(tmp_path):
    whole = carry_out(make(), tmp_path, 1)
    journal = tmp_path / "little.journal"
    journal.write_text(journal.read_text()[:-20])
    counts = []
    with pytest.warns(RuntimeWarning, match="1 of its lines cannot be trusted"):
        assert carry_out(make(), tmp_path, 1, lambda *count: counts.append(count)) == whole
    assert counts == [(5, 6), (6, 6)]
    assert len(journal.read_text().splitlines()) == 7


def test_a_finished_study_is_not_run_again(tmp_path):
    def never(settings, task):
        raise AssertionError("run twice")

    assert carry_out(make(), tmp_path, 1) == carry_out(make(work=never), tmp_path, 1)


def test_the_journal_of_another_run_is_refused(tmp_path):
    carry_out(make(), tmp_path, 1)
    with pytest.raises(ValueError, match=r"settings differ.*--out, or delete"):
        carry_out(make(seed=1), tmp_path, 1)


def test_another_version_is_another_run(tmp_path, monkeypatch):
    carry_out(make(), tmp_path, 1)
    monkeypatch.setattr(studies, "versions", lambda: {"numpy": "1.0"})
    with pytest.raises(ValueError, match=r"versions differ"):
        carry_out(make(), tmp_path, 1)


def test_a_lasting_journal_goes_on_with_other_settings_and_versions(tmp_path, monkeypatch):
    lasting = {"lasting": {"seed": 0}}
    first = carry_out(replace(make(count=2, more="no"), **lasting), tmp_path, 1)
    monkeypatch.setattr(studies, "versions", lambda: {"numpy": "1.0"})
    counts = []
    both = carry_out(replace(make(more="yes"), **lasting), tmp_path, 1, lambda *count: counts.append(count))
    assert counts[0] == (2, 6)
    assert both[:2] == first
    with pytest.raises(ValueError, match=r"settings differ"):
        carry_out(replace(make(), lasting={"seed": 1}), tmp_path, 1)


def test_of_two_results_of_a_task_the_later_counts(tmp_path):
    def other(settings, task):
        return {"twice": -1}

    carry_out(make(), tmp_path, 1)
    again = replace(make(work=other), keeps=lambda task, result: task["number"] > 0)
    for _ in range(2):
        found = carry_out(again, tmp_path, 1)
        assert [result["twice"] for result in found] == [-1, 2, 4, 6, 8, 10]
    assert carry_out(make(), tmp_path, 1) == found


def test_a_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "little.journal").write_bytes(b"\xff\xfe\n")
    with pytest.raises(ValueError, match=r"little.journal is not a journal"):
        carry_out(make(), tmp_path, 1)


@pytest.mark.parametrize("text", ["hello\n", "\n", "[1]\n"])
def test_a_file_that_is_no_journal_is_refused_and_left_alone(tmp_path, text):
    (tmp_path / "little.journal").write_text(text)
    with pytest.raises(ValueError, match=r"little.journal"):
        carry_out(make(), tmp_path, 1)
    assert (tmp_path / "little.journal").read_text() == text


def test_names_have_their_own_random_numbers():
    assert generator(0, "a", 1).random() == generator(0, "a", 1).random()
    assert len({generator(0, "a", 1).random(), generator(0, "a", 2).random(), generator(1, "a", 1).random()}) == 3
