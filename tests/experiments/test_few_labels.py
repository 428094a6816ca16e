"""The studies of few labels and of label models: splits, levels, ranks, pages."""

import json
from dataclasses import replace

import numpy as np
import pytest

from agnoboost_experiments import few_labels, label_models
from agnoboost_experiments.few_labels import design, methods, tables
from agnoboost_experiments.few_labels.ranking import groups
from agnoboost_experiments.label_models import situations
from agnoboost_experiments.label_models.design import PAIRS
from agnoboost_experiments.studies import carry_out

FAST = ("FewLabelClassifier", "logistic regression, CV", "HistGradientBoosting", "SelfTraining(logistic)")


def test_halves_have_no_table_in_common_and_each_can_be_made():
    halves = [set(everybody) | set(folder) for everybody, folder in tables.HALVES.values()]
    assert not halves[0] & halves[1]
    assert sum(map(len, halves)) >= 12
    for half in tables.HALVES:
        for name in tables.names(half, None):
            table = tables.table(name, None)
            assert set(np.unique(table.y)) == {-1, 1}
            assert len(table.X) == len(table.y)


def test_splits_share_no_row_and_flips_change_labels_only():
    clean = tables.split("digits, odd", None, 100, 0.0, 0)
    noisy = tables.split("digits, odd", None, 100, 0.3, 0)
    np.testing.assert_array_equal(clean.labeled[0], noisy.labeled[0])
    np.testing.assert_array_equal(clean.test[1], noisy.test[1])
    assert 15 < np.sum(clean.labeled[1] != noisy.labeled[1]) < 45
    rows = [set(map(bytes, part)) for part in (clean.labeled[0], clean.unlabeled, clean.test[0])]
    assert not rows[0] & rows[1]
    assert not rows[0] & rows[2]
    assert not rows[1] & rows[2]


def test_rare_classes_have_five_labels():
    for seed in range(5):
        y = tables.split("ionosphere", None, 50, 0.3, seed).labeled[1]
        assert min(np.sum(y == 1), np.sum(y == -1)) >= 5


@pytest.mark.parametrize("name", [name for name in methods.METHODS if name != "EBM"])
def test_every_method_learns(name):
    if not methods.METHODS[name].installed:
        pytest.skip(f"needs {methods.METHODS[name].package}")
    split = tables.split("breast cancer", None, 100, 0.0, 0)
    positive = methods.probabilities(name, split, 0)
    assert positive.shape == split.test[1].shape
    assert np.mean((positive >= 0.5) == (split.test[1] > 0)) > 0.85


def test_calibration_error_of_the_truth_is_small():
    rng = np.random.default_rng(0)
    p = rng.random(50_000)
    assert design.calibration_error(p, rng.random(50_000) < p) < 0.01
    assert design.calibration_error(np.full(1000, 0.9), rng.random(1000) < 0.5) == pytest.approx(0.4, abs=0.05)


def test_methods_of_fewer_seeds_are_levelled():
    """Run on the easy split only, a method must not look better for it."""
    results = [{"a": [0.9], "b": [0.8], "slow": [0.85]}, {"a": [0.5], "b": [0.4]}]
    found = design.levelled(results, ["a", "b", "slow"])[:, 0]
    np.testing.assert_allclose(found, [0.7, 0.6, 0.65])


def test_bars_join_what_cannot_be_told_apart():
    assert groups([1.0, 1.5, 3.0, 3.2], 1.0) == [(0, 1), (2, 3)]
    assert groups([1.0, 5.0], 1.0) == []


def test_the_study_is_carried_out_and_written(tmp_path, monkeypatch):
    monkeypatch.setattr(design, "METHODS", {name: methods.METHODS[name] for name in FAST})
    made = few_labels.EXPERIMENT.study(seeds=2, labels=(50,), flips=(0.0, 0.2), command="here")
    small = ["sonar", "breast cancer"]
    made.settings["tables"] = small
    made = replace(made, tasks=[task for task in made.tasks if task["table"] in small])
    results = carry_out(made, tmp_path, 1)
    page, paths = few_labels.EXPERIMENT.report(made, results, tmp_path)
    assert paths[1].read_text() == page
    assert "**FewLabelClassifier**" in page
    assert "sonar, breast cancer" in page
    assert all(path.stat().st_size > 500 for path in paths)
    ranks = json.loads(paths[0].read_text())["ranks"]["accuracy"]["over_blocks"]
    assert sum(ranks.values()) == pytest.approx(len(FAST) * (len(FAST) + 1) / 2)


def test_situations_have_the_ways_that_are_compared():
    data = tables.table("made: friedman", None)
    rows = situations.SplitTable(data, np.random.default_rng(0).permutation(len(data.y)), 0)
    for situation, make in situations.SITUATIONS.items():
        ways = make(rows, np.random.default_rng(0))
        compared = {way for name, *pair in PAIRS if name == situation for way in pair}
        assert compared <= set(ways)


def test_label_models_are_measured_and_written(tmp_path):
    made = label_models.EXPERIMENT.study(seeds=1, situations=("soft",), command="here")
    results = carry_out(made, tmp_path, 1)
    assert made.settings["tables"] == ["waveform", "made: friedman"]
    page, paths = label_models.EXPERIMENT.report(made, results, tmp_path)
    assert "FewLabel, teacher's probabilities" in page
    assert all(path.stat().st_size > 500 for path in paths)
