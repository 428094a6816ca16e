import json
import re

import numpy as np
import pytest

import agnoboost
from agnoboost.datasets import load
from agnoboost_experiments.demo import boosters, machine
from agnoboost_experiments.demo.__main__ import main
from agnoboost_experiments.demo.mails import keyword_filter, make_split
from agnoboost_experiments.splits import RowSplit


def test_the_demo_writes_its_figures_and_its_plot(tmp_path, capsys, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(boosters, "ROUNDS", 8)
    quick = agnoboost.AgnosticBoostingClassifier
    monkeypatch.setitem(boosters.METHODS, quick.__name__, boosters.ours(lambda **given: quick(n_rounds=20, **given)))
    main(["--out", str(tmp_path / "new" / "folder"), "--seeds", "2", "--jobs", "1"])
    figures = json.loads((tmp_path / "new" / "folder" / "demo.json").read_text())
    assert set(figures["accuracy"]["20%"]) == set(boosters.METHODS)
    assert all(0.4 < value < 1 for scores in figures["accuracy"].values() for v in scores.values() for value in v)
    assert list(figures["machine"]) == [machine.FILTER, *machine.WAYS]
    assert all(0.7 < value < 1 for own in figures["machine"].values() for v in own.values() for value in v)
    for picture in ("demo.png", "machine.png"):
        assert (tmp_path / "new" / "folder" / picture).stat().st_size > 10_000
    printed = capsys.readouterr().out
    assert next(iter(figures["accuracy"]["0%"])) == "TableClassifier"
    assert re.search(r"TableClassifier +0\.\d+ \+- 0\.\d+ +[+-]0\.\d+ \+- 0\.\d+ +\d+\.\d\d\n", printed)
    assert re.search(r"What the filter adds .*: accuracy [+-]0\.\d+ \+- \d\.\d+, AUC", printed)
    assert len(re.findall(r"\n  \([\d.]+ (s|min)", printed)) == 2
    assert "demo.png" in printed
    model = agnoboost.load(tmp_path / "new" / "folder" / "model.agno")
    assert type(model) is agnoboost.TableClassifier
    assert (model.n_labeled_, model.n_unlabeled_) == (150, 2951)
    assert "What the model is made of" in (tmp_path / "new" / "folder" / "report.html").read_text()


def test_splits_are_disjoint_and_test_labels_are_clean(rng):
    split = make_split(0.5, rng)
    sizes = [len(split.labeled[1]), len(split.chooser[1]), len(split.unlabeled), len(split.test[1])]
    assert sizes == [100, 50, 2951, 1500]
    table = load("spambase")
    label = {}
    for x, y in zip(map(bytes, table.X), table.y, strict=True):
        label.setdefault(x, set()).add(int(y))
    assert all(int(y) in label[bytes(x)] for x, y in zip(*split.test, strict=True))
    wrong = sum(int(y) not in label[bytes(x)] for x, y in zip(*split.labeled, strict=True))
    assert 25 < wrong < 75


def test_the_choice_never_sees_the_test_rows(rng):
    """Other test labels must leave the chosen model, and so its predictions, as they were."""
    split = make_split(0.0, rng)
    other = RowSplit(split.labeled, split.chooser, split.unlabeled, (split.test[0], -split.test[1]))
    for name in ("TableClassifier", "Algorithm 1", "PAB", "random forest"):
        scores = [boosters.METHODS[name](part, np.random.default_rng(1)).accuracy for part in (split, other)]
        assert sum(scores) == pytest.approx(1.0), name


def test_a_split_depends_on_its_seeds_alone(monkeypatch):
    """So the order of the splits, and the number of processes that share them, cannot matter."""
    monkeypatch.setattr(boosters, "METHODS", {"random forest": boosters.forest})
    first = boosters.score_split(0.2, 0, 3)
    boosters.score_split(0.0, 0, 1)
    assert boosters.score_split(0.2, 0, 3) == first
    assert boosters.score_split(0.2, 0, 4) != first
    more = {"another": boosters.forest, "random forest": boosters.forest}
    monkeypatch.setattr(boosters, "METHODS", more)
    assert boosters.score_split(0.2, 0, 3)["random forest"] == first["random forest"]  # wherever it stands in the list


def test_the_filter_was_not_made_by_looking_at_labels():
    """It is a rule: what it says of a mail does not depend on the others; and it is right more often than not."""
    table = load("spambase")
    said = keyword_filter(table.X)
    assert np.array_equal(said[5:9], keyword_filter(table.X[5:9]))
    assert 0.8 < np.mean(said == table.y) < 0.95


def test_gains_are_paired():
    scores = {machine.GOLD: [(0.8, 0.9), (0.9, 0.95)], machine.BOTH: [(0.82, 0.9), (0.92, 0.96)]}
    found = machine.gains(scores)
    assert found["accuracy"]["mean"] == pytest.approx(0.02)
    assert found["accuracy"]["half_width"] == pytest.approx(0.0, abs=1e-9)
    assert found["AUC"]["mean"] == pytest.approx(0.005)
    assert machine.by_measure(scores[machine.GOLD]) == {"accuracy": [0.8, 0.9], "AUC": [0.9, 0.95]}


def test_what_is_learned_beside_the_filter_never_sees_the_test_rows(rng):
    split = make_split(0.0, rng)
    other = RowSplit(split.labeled, split.chooser, split.unlabeled, (split.test[0][:10], -split.test[1][:10]))
    first, second = (machine.WAYS[machine.BOTH](part).predict_proba(split.test[0]) for part in (split, other))
    assert np.array_equal(first, second)
