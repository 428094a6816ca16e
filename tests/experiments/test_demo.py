import json
import re

import numpy as np
import pytest

import agnoboost
from agnoboost_experiments import demo


def test_the_demo_writes_its_figures_and_its_plot(tmp_path, capsys, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(demo, "ROUNDS", 8)
    quick = agnoboost.AgnosticBoostingClassifier
    monkeypatch.setitem(demo.METHODS, quick.__name__, demo.ours(lambda **given: quick(n_rounds=20, **given)))
    demo.main(["--out", str(tmp_path / "new" / "folder"), "--seeds", "2", "--jobs", "1"])
    figures = json.loads((tmp_path / "new" / "folder" / "demo.json").read_text())
    assert set(figures["accuracy"]["20%"]) == set(demo.METHODS)
    assert all(0.4 < value < 1 for scores in figures["accuracy"].values() for v in scores.values() for value in v)
    assert (tmp_path / "new" / "folder" / "demo.png").stat().st_size > 10_000
    printed = capsys.readouterr().out
    assert next(iter(figures["accuracy"]["0%"])) == "TableClassifier"
    assert re.search(r"TableClassifier +0\.\d+ \+- 0\.\d+ +[+-]0\.\d+ \+- 0\.\d+ +\d+\.\d\d\n", printed)
    assert len(re.findall(r"took [\d.]+ (s|min)", printed)) == 2
    assert "demo.png" in printed
    model = agnoboost.load(tmp_path / "new" / "folder" / "model.agno")
    assert type(model) is agnoboost.TableClassifier
    assert (model.n_labeled_, model.n_unlabeled_) == (150, 2951)
    assert "What the model is made of" in (tmp_path / "new" / "folder" / "report.html").read_text()


def test_splits_are_disjoint_and_test_labels_are_clean(rng):
    split = demo.make_split(0.5, rng)
    sizes = [len(split.labeled[1]), len(split.chooser[1]), len(split.unlabeled), len(split.test[1])]
    assert sizes == [100, 50, 2951, 1500]
    table = demo.load("spambase")
    label = {}
    for x, y in zip(map(bytes, table.X), table.y, strict=True):
        label.setdefault(x, set()).add(int(y))
    assert all(int(y) in label[bytes(x)] for x, y in zip(*split.test, strict=True))
    wrong = sum(int(y) not in label[bytes(x)] for x, y in zip(*split.labeled, strict=True))
    assert 25 < wrong < 75


def test_the_choice_never_sees_the_test_rows(rng):
    """Other test labels must leave the chosen model, and so its predictions, as they were."""
    split = demo.make_split(0.0, rng)
    other = demo.RowSplit(split.labeled, split.chooser, split.unlabeled, (split.test[0], -split.test[1]))
    for name in ("TableClassifier", "Algorithm 1", "PAB", "random forest"):
        scores = [demo.METHODS[name](part, np.random.default_rng(1)).accuracy for part in (split, other)]
        assert sum(scores) == pytest.approx(1.0), name


def test_a_split_depends_on_its_seeds_alone(monkeypatch):
    """So the order of the splits, and the number of processes that share them, cannot matter."""
    monkeypatch.setattr(demo, "METHODS", {"random forest": demo.forest})
    first = demo.score_split(0.2, 0, 3)
    demo.score_split(0.0, 0, 1)
    assert demo.score_split(0.2, 0, 3) == first
    assert demo.score_split(0.2, 0, 4) != first
    monkeypatch.setattr(demo, "METHODS", {"another": demo.METHODS["random forest"], "random forest": demo.forest})
    assert demo.score_split(0.2, 0, 3)["random forest"] == first["random forest"]  # wherever it stands in the list
