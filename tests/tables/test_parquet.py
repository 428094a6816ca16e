"""Parquet files a block at a time: the same cells as in one piece."""

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

from agnoboost.tables import parquet  # noqa: E402
from agnoboost.tables.files import read_table  # noqa: E402
from agnoboost.tables.parquet import ParquetTable, is_parquet, shape_of  # noqa: E402
from agnoboost.tables.reading.findings import TableFileError  # noqa: E402


def frame(rows=1000, seed=0):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.standard_normal((rows, 3)), columns=["a", " b ", "c"])
    table["count"] = rng.integers(0, 9, rows)
    table["plan"] = rng.choice(["basic", "plus", None], rows)
    table["when"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 10**5, rows), unit="min")
    table["label"] = rng.choice(["yes", "no", None], rows)
    return table


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(parquet, "BLOCK_VALUES", 700)
    monkeypatch.setattr(parquet, "HEAD", 120)
    monkeypatch.setattr(parquet, "SPREAD", 300)


@pytest.mark.parametrize("groups", [1000, 333, 100, 7], ids=lambda rows: f"{rows} rows a group")
def test_blocks_are_the_whole_table(tmp_path, groups):
    path = tmp_path / "table.parquet"
    frame().to_parquet(path, row_group_size=groups)
    notes = []
    table = ParquetTable(path, "label", drop=["count"], tell=notes.append)
    whole = read_table(path, "label", drop=["count"])
    assert table.names == ["a", "b", "c", "plan", "when"]
    blocks = table.blocks
    assert sum(block.rows for block in blocks) == table.rows == 1000
    assert max(block.rows for block in blocks) <= 100
    assert len(blocks) >= 10
    frames = list(table.frames())
    assert [len(part) for part in frames] == [block.rows for block in blocks]
    pd.testing.assert_frame_equal(pd.concat(frames, ignore_index=True), whole.drop(columns="label"))
    pd.testing.assert_frame_equal(table.head, whole.drop(columns="label")[: len(table.head)])
    assert any("blanks" in note for note in notes)
    spread = table.spread()
    assert 250 <= len(spread) <= 300
    assert set(spread["a"]).isdisjoint(table.head["a"])


def test_only_numbers_need_no_second_look(tmp_path):
    frame()[["a", "c", "count", "label"]].to_parquet(tmp_path / "numbers.parquet")
    assert ParquetTable(tmp_path / "numbers.parquet", "label").spread() is None


def test_the_index_of_pandas_is_no_column(tmp_path):
    table = frame().set_index(pd.Index(np.arange(1000)[::-1], name="number"))
    table.to_parquet(tmp_path / "indexed.parquet")
    assert "number" not in ParquetTable(tmp_path / "indexed.parquet", "label").names


@pytest.mark.parametrize(
    ("labels", "mark", "expected"),
    [
        (["yes", " no", None, "yes", ""], None, ["yes", "no", None, "yes", None]),
        (["007", "7", None, "7", "?"], "?", ["007", "7", None, "7", None]),
        ([1.0, np.nan, 0.0, 1.0, -1.0], None, [1.0, np.nan, 0.0, 1.0, -1.0]),
        ([3, 1, 3, 2, 9], "9", [3, 1, 3, 2, None]),
        ([True, False, None, True, True], None, [True, False, None, True, True]),
    ],
    ids=str,
)
def test_labels(tmp_path, labels, mark, expected):
    path = tmp_path / "labels.parquet"
    pd.DataFrame({"x": np.arange(200.0), "label": pd.Series(labels * 40)}).to_parquet(path, row_group_size=30)
    found = ParquetTable(path, "label").labels(mark)
    values = [None if number < 0 else found.values[number] for number in found.numbers]
    for value, wanted in zip(values, expected * 40, strict=True):
        assert (pd.isna(value) and pd.isna(wanted)) or value == wanted
    known = found.numbers[found.numbers >= 0]
    np.testing.assert_array_equal(np.bincount(known, minlength=len(found.rows)), found.rows)


def test_notes_on_labels_count_rows(tmp_path):
    path, notes = tmp_path / "labels.parquet", []
    pd.DataFrame({"x": np.arange(90.0), "label": ["Yes", "yes", "no"] * 30}).to_parquet(path)
    ParquetTable(path, "label", tell=notes.append).labels(None)
    assert any("differ by case only" in note and "'Yes' (30 rows)" in note for note in notes)


def test_files_that_cannot_be_used(tmp_path):
    path = tmp_path / "table.parquet"
    with pytest.raises(TableFileError, match=r"There is no file"):
        ParquetTable(path, "label")
    assert not is_parquet(path)
    path.write_bytes(b"PAR1 and nothing else")
    assert is_parquet(path)
    with pytest.raises(TableFileError, match=r"damaged or of a strange version"):
        shape_of(path)
    frame().to_parquet(path)
    assert shape_of(path) == (1000, 7)
    with pytest.raises(TableFileError, match=r"has no column 'labels'.*label"):
        ParquetTable(path, "labels")
    frame(rows=0).to_parquet(path)
    with pytest.raises(TableFileError, match=r"has no rows"):
        ParquetTable(path, "label")
    table = frame()
    table.loc[640, "c"] = np.inf
    table.to_parquet(path)
    with pytest.raises(TableFileError, match=r"infinite numbers.*'c': row 641"):
        list(ParquetTable(path, "label").frames())


def test_a_column_of_identifiers_holds_no_labels(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "MOST_LABELS", 100)
    frame().to_parquet(tmp_path / "table.parquet")
    with pytest.raises(TableFileError, match=r"more than 100 different labels in column 'a': these are no classes"):
        ParquetTable(tmp_path / "table.parquet", "a").labels(None)


def test_numbers_beyond_2_53_are_rounded_but_for_those_of_rows(tmp_path):
    table = frame()[["a", "label"]].assign(row=np.arange(1000) + 2**59)
    table["account"] = np.random.default_rng(1).integers(2**59, 2**60, 1000)
    table.to_parquet(tmp_path / "table.parquet", row_group_size=100)
    found = ParquetTable(tmp_path / "table.parquet", "label")
    assert found.head.dtypes.astype(str).to_dict() == {"a": "float64", "row": "int64", "account": "float64"}
    assert all(part["account"].dtype == np.float64 for part in found.frames())


def test_a_mark_that_no_label_has_is_told(tmp_path):
    frame().to_parquet(tmp_path / "table.parquet", row_group_size=100)
    notes = []
    ParquetTable(tmp_path / "table.parquet", "label", tell=notes.append).labels(["tbd", "no"])
    assert [note for note in notes if "no label is" in note] == [
        f"{tmp_path / 'table.parquet'}: no label is 'tbd' (--missing-label). Labels are 'no', 'yes'."
    ]
