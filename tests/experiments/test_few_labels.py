"""What the studies of few labels and of label models are made of: tables, splits, methods, situations."""

from types import SimpleNamespace

import numpy as np
import pytest

from agnoboost_experiments import label_models
from agnoboost_experiments.few_labels import design, methods, r_tables, tables
from agnoboost_experiments.few_labels.binary import Binary, from_frame
from agnoboost_experiments.few_labels.many_rows import MANY_ROWS
from agnoboost_experiments.few_labels.measures import calibration_error
from agnoboost_experiments.label_models import situations
from agnoboost_experiments.label_models.design import PAIRS
from agnoboost_experiments.label_models.split_table import SplitTable
from agnoboost_experiments.studies import carry_out


def test_halves_have_no_table_in_common_and_each_can_be_made():
    halves = [set(everybody) | set(folder) for everybody, folder in tables.HALVES.values()]
    assert not halves[0] & halves[1]
    assert sum(map(len, halves)) >= 12
    for half in tables.HALVES:
        for name in tables.names(half, None):
            table = tables.table(name, None)
            assert set(np.unique(table.y)) == {-1, 1}
            assert len(table.X) == len(table.y)


def test_made_tables_have_rows_for_many_labels():
    for name, made in MANY_ROWS.items():
        table = tables.table(name, None)
        assert set(np.unique(table.y)) == {-1, 1}
        assert len(table.X) >= 20_000
        assert 0.4 < np.mean(table.y > 0) < 0.6
        for small in (50, 1000):
            assert (name in tables.for_labels("reporting", None, small)) == (small >= made.fewest_labels)
    assert {"made: friedman, large", "made: mixed"} <= set(tables.for_labels("reporting", None, 100_000))
    assert tables.for_labels("development", None, 10_000) == []


def test_tables_of_r_report_where_they_can_be_had(monkeypatch):
    made = SimpleNamespace(binary=Binary(np.zeros((300, 1)), np.tile([-1, 1], 150)))
    monkeypatch.setattr(r_tables, "TABLES", {"small one of R": lambda: made})
    monkeypatch.setattr(r_tables, "PACKAGE", "numpy")
    tables.table.cache_clear()
    assert "small one of R" in tables.for_labels("reporting", None, 50)
    assert "small one of R" not in tables.for_labels("reporting", None, 300)
    assert "small one of R" not in tables.for_labels("development", None, 50)
    assert tables.table("small one of R", None) is made.binary
    monkeypatch.setattr(r_tables, "PACKAGE", "no_such_package")
    assert "small one of R" not in tables.for_labels("reporting", None, 50)


def test_the_mixed_table_has_categories_and_missing_values():
    table = tables.table("made: mixed", None)
    numbers = [column for column in range(table.X.shape[1]) if column not in table.categorical]
    missing = np.isnan(table.X).mean(axis=0)
    np.testing.assert_allclose(missing[numbers], [0.1, 0.1, 0.1, 0.1, 0.12, 0, 0, 0], atol=0.01)
    assert not missing[list(table.categorical)].any()
    assert [len(np.unique(table.X[:, column])) for column in table.categorical] == [3, 8, 20, 40]


def test_frames_keep_their_categories():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"size": [1.5, 2.5, 3.5], "kind": pandas.Categorical(["b", None, "a"])})
    found = from_frame(frame, np.array([1, -1, 1]))
    assert found.categorical == (1,)
    np.testing.assert_array_equal(found.X, [[1.5, 1.0], [2.5, np.nan], [3.5, 0.0]])


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


def test_there_are_a_dozen_peers_at_any_number_of_labels():
    for labels in design.SIZES:
        assert sum(method.takes(labels) for method in methods.PEERS.values()) >= 12


def test_pretrained_methods_need_weights_that_are_there(tmp_path, monkeypatch):
    """Otherwise their packages would go and fetch them."""
    there, gone = tmp_path / "weights.ckpt", tmp_path / "gone.ckpt"
    there.touch()
    monkeypatch.setattr(methods, "find_spec", lambda package: "installed")
    for name in ("TabPFN", "TabICL"):
        method = methods.METHODS[name]
        assert not method.installed
        monkeypatch.setenv(method.weights, str(gone))
        assert not method.installed
        monkeypatch.setenv(method.weights, str(there))
        assert method.installed


def test_calibration_error_of_the_truth_is_small():
    rng = np.random.default_rng(0)
    p = rng.random(50_000)
    assert calibration_error(p, rng.random(50_000) < p) < 0.01
    assert calibration_error(np.full(1000, 0.9), rng.random(1000) < 0.5) == pytest.approx(0.4, abs=0.05)


def test_situations_have_the_ways_that_are_compared():
    data = tables.table("made: friedman", None)
    rows = SplitTable(data, np.random.default_rng(0).permutation(len(data.y)), 0)
    for situation, make in situations.SITUATIONS.items():
        ways = make(rows, np.random.default_rng(0))
        compared = {way for name, *pair in PAIRS if name == situation for way in pair}
        assert compared <= set(ways)


def test_label_models_are_measured_and_written(tmp_path):
    made = label_models.EXPERIMENT.study(seeds=1, situations=("soft",), command="here")
    results = carry_out(made, tmp_path, 1)
    assert made.settings["tables"] == ["waveform", "made: friedman"]
    page, paths = label_models.EXPERIMENT.report(made, results, tmp_path)
    assert "teacher's probabilities" in page
    assert all(path.stat().st_size > 500 for path in paths)
