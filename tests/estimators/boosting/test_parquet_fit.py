"""Fits to Parquet files: the model of a table in memory, without ever having the table there."""

import tracemalloc
from functools import partial
from pathlib import Path

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

import agnoboost  # noqa: E402
from agnoboost import AgnosticBoostingClassifier, fit_parquet  # noqa: E402
from agnoboost.basics.stages import Stages  # noqa: E402
from agnoboost.estimators.boosting.parquet import ParquetBlocks  # noqa: E402
from agnoboost.kernels.cells import Layout  # noqa: E402
from agnoboost.rounds.far.blocks import Places, look_at  # noqa: E402
from agnoboost.tables import parquet  # noqa: E402
from agnoboost.tables.encoder import TableEncoder  # noqa: E402

Stumps = partial(AgnosticBoostingClassifier, weak_learner="stump", batch_size=None, random_state=0)


def frame(rows=3000, seed=0):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.standard_normal((rows, 4)), columns=list("abcd"))
    table["c"] = table["c"].round()
    table.loc[rng.random(rows) < 0.1, "d"] = np.nan
    table["plan"] = rng.choice(["basic", "plus", "pro"], rows)
    noise = rng.random(rows) < 0.1
    table["label"] = np.where((table["a"] + table["b"] + (table["plan"] == "pro") > 0) ^ noise, "yes", "no")
    table.loc[rng.random(rows) < 0.8, "label"] = None
    return table


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(parquet, "BLOCK_VALUES", 3000)


@pytest.fixture
def path(tmp_path):
    frame().to_parquet(tmp_path / "table.parquet", row_group_size=1300)
    return tmp_path / "table.parquet"


@pytest.mark.parametrize("settings", [{"unlabeled_weight": 1.0}, {}, {"unlabeled_weight": 0.5, "tune_threshold": True}])
def test_the_model_of_a_table_in_memory(path, settings):
    table = frame()
    here = Stumps(n_rounds=60, **settings).fit(table.drop(columns="label"), table["label"])
    model = fit_parquet(Stumps(n_rounds=60, **settings), path, "label")
    assert list(model.tape_.steps) == list(here.tape_.steps)
    assert model._cut == here._cut
    assert model.classes_.tolist() == ["no", "yes"]
    assert (model.n_labeled_, model.n_unlabeled_) == (here.n_labeled_, here.n_unlabeled_)
    rows = table.drop(columns="label")
    np.testing.assert_array_equal(model.predict_proba(rows), here.predict_proba(rows))
    assert [file.name for file in path.parent.iterdir()] == ["table.parquet"]


def test_files_and_checkpoints(path, tmp_path):
    settings = {"n_rounds": 80, "unlabeled_weight": 1.0, "validation_fraction": None}
    model = fit_parquet(Stumps(checkpoint=tmp_path / "run.state", **settings), path, "label", folder=tmp_path)
    assert model.history_.engines == ["far"]
    again = fit_parquet(Stumps(checkpoint=tmp_path / "run.state", **settings), path, "label")
    assert list(again.tape_.steps) == list(model.tape_.steps)
    model.save(tmp_path / "model.agno")
    loaded = agnoboost.load(tmp_path / "model.agno")
    rows = frame().drop(columns="label")
    np.testing.assert_array_equal(loaded.predict(rows), model.predict(rows))
    other = tmp_path / "other.parquet"
    frame(seed=1).to_parquet(other)
    with pytest.raises(ValueError, match=r"checkpoint of another run"):
        fit_parquet(Stumps(checkpoint=tmp_path / "run.state", **settings), other, "label")


def test_three_classes_and_a_mark_of_gaps(tmp_path):
    table = frame()
    table["label"] = np.where(table["label"].isna(), "?", table["label"].astype(str) + (table["c"] > 0).astype(str))
    table.to_parquet(tmp_path / "table.parquet")
    settings = {"n_rounds": 30, "unlabeled_weight": 1.0, "validation_fraction": None}
    model = fit_parquet(Stumps(**settings), tmp_path / "table.parquet", "label", missing_label="?", drop=["d"])
    here = Stumps(missing_label="?", **settings).fit(table.drop(columns=["label", "d"]), table["label"])
    assert model.classes_.tolist() == here.classes_.tolist()
    for found, expected in zip(model.tape_, here.tape_, strict=True):
        assert list(found.steps) == list(expected.steps)


def test_bad_input_is_told_before_any_work(path, tmp_path):
    with pytest.raises(ValueError, match=r"weak_learner must be 'stump'. Got 'tree'"):
        fit_parquet(AgnosticBoostingClassifier(batch_size=None), path, "label")
    with pytest.raises(ValueError, match=r"batch_size must be None. Got 'bootstrap'"):
        fit_parquet(AgnosticBoostingClassifier(weak_learner="stump"), path, "label")
    one = tmp_path / "one.parquet"
    frame().assign(label="yes").to_parquet(one)
    with pytest.raises(
        ValueError, match=r"at least 2 classes. Got one class, 'yes', in 3,000 rows, and 0 rows without"
    ):
        fit_parquet(Stumps(), one, "label")
    frame().assign(label=None).to_parquet(one)
    with pytest.raises(ValueError, match=r"at least 2 classes. Got none, and 3,000 rows without label"):
        fit_parquet(Stumps(), one, "label")
    frame().assign(label=[f"text {number}" for number in range(3000)]).to_parquet(one)
    with pytest.raises(ValueError, match=r"which come again\. Got 3,000 of them in 3,000 labeled rows"):
        fit_parquet(Stumps(), one, "label")


def test_memory_is_a_share_of_the_table(tmp_path, monkeypatch):
    """Bins go to the disk; what is held is a block, and a few bytes a row."""
    rows, columns = 200_000, 20
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((rows, columns), dtype=np.float32)).rename(columns=str)
    table.assign(label=rng.choice([0.0, 1.0, np.nan], rows)).to_parquet(tmp_path / "t.parquet", row_group_size=20_000)
    whole = 8 * rows * columns
    del table
    monkeypatch.setattr(parquet, "BLOCK_VALUES", 200_000)
    monkeypatch.setattr("agnoboost.kernels.binning.SAMPLE_ROWS", 2000)
    monkeypatch.setattr(parquet, "HEAD", 2000)
    found = parquet.ParquetTable(Path(tmp_path / "t.parquet"), "label")
    encoder, few = TableEncoder(None).fit(found.head), Places(np.arange(100), np.arange(0))
    classes = (found.labels(None).numbers % 2).astype(np.int16)
    look_at(ParquetBlocks(found, encoder, classes, tmp_path, Stages()), few)  # loads what is compiled
    tracemalloc.start()
    try:
        blocks = ParquetBlocks(found, encoder, found.labels(None).numbers % 2, tmp_path, Stages())
        bins, _ = look_at(blocks, few)
        kept = blocks.kept(Layout.of(bins, [np.zeros((1, columns))]), True)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert kept._codes.shape == (rows, columns)
    assert peak < 0.4 * whole
    kept.close()
