"""What the user can set, and what comes back as it was written."""

import csv
import gzip
import io
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pd = pytest.importorskip("pandas")
from agnoboost.tables.files import TableFileError, read_table  # noqa: E402


def written(folder, text, name="t.csv", encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def error_of(*arguments, **options):
    with pytest.raises(TableFileError) as raised:
        read_table(*arguments, **options)
    return str(raised.value)


def test_what_is_set_counts(tmp_path):
    table = read_table(written(tmp_path, "a;b,label\n1;2,yes\n"), sep=";")
    assert table.columns.tolist() == ["a", "b,label"]
    assert read_table(written(tmp_path, "a\tb\n1\tx\n"), sep="tab")["b"].tolist() == ["x"]
    assert read_table(written(tmp_path, "a,b\n1,é\n", encoding="cp850"), encoding="cp850")["b"].tolist() == ["é"]
    open_case = written(tmp_path, 'price,size\n"1,234",7\n"5,678",8\n', "open.csv")
    assert read_table(open_case, decimal=",")["price"].tolist() == [1.234, 5.678]
    assert read_table(open_case, decimal=".")["price"].tolist() == [1234, 5678]
    semicolons = written(tmp_path, "price;size\n1.234;7\n5.678;8\n")
    assert read_table(semicolons)["price"].tolist() == [1234, 5678]
    assert read_table(semicolons, decimal=".")["price"].tolist() == [1.234, 5.678]
    assert read_table(semicolons, decimal=",")["price"].tolist() == [1234, 5678]
    assert read_table(open_case, usual_decimal=",")["price"].tolist() == [1.234, 5.678]
    assert read_table(open_case)["price"].tolist() == [1234, 5678]
    assert read_table(semicolons, usual_decimal=",")["price"].tolist() == [1234, 5678]
    assert read_table(semicolons, usual_decimal=",", decimal=".")["price"].tolist() == [1.234, 5.678]
    shown = written(tmp_path, "price;size\n1.234;0.5\n5.678;8\n", "shown.csv")
    assert read_table(shown, usual_decimal=",")["price"].tolist() == [1.234, 5.678]  # as the other column shows
    commas = written(tmp_path, "price;size\n1,234;7\n5,678;8\n", "commas.csv")
    assert read_table(commas)["price"].tolist() == [1.234, 5.678]
    assert read_table(commas, usual_decimal=".")["price"].tolist() == [1234, 5678]
    one_way = written(tmp_path, "price;size\n1.25;7\n5.5;8\n")
    assert read_table(one_way, decimal=",")["price"].tolist() == [1.25, 5.5]  # there is no other way


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sep": "--"}, "cannot be read with the separator '--'. Expected one character"),
        ({"encoding": "klingon"}, "cannot be read with the encoding 'klingon', which is not known"),
        ({"encoding": "ascii"}, "cannot be read as ascii"),
        ({"decimal": "x"}, "Expected a point or a comma"),
        ({"target": "labl"}, "has no column 'labl'. Its columns are: size, kind, label. Did you mean 'label'?"),
        ({"drop": ["SIZE"]}, "has no column 'SIZE'. Its columns are: size, kind, label. Did you mean 'size'?"),
        ({"columns": ["size", "kin"]}, "lacks the column(s) 'kin', which the model needs. Did you mean 'kind'?"),
    ],
)
def test_mistakes_get_a_sentence(tmp_path, options, message):
    path = written(tmp_path, "size,kind,label\n1,é,yes\n2,b,no\n")
    assert message in error_of(path, **options)


def test_places_that_are_no_files(tmp_path):
    assert "There is no file" in error_of(tmp_path / "gone.csv")
    assert "is a folder" in error_of(tmp_path)


def test_columns_that_are_not_wanted_are_not_looked_at(tmp_path):
    path = written(tmp_path, 'a,"b,c",d,label\n1e999,1,x,yes\n2,inf,y,no\n')
    message = error_of(path, "label")
    assert "To go on without: --drop a --drop b,c" in message
    assert "To go on without" not in error_of(path, columns=["a", "b,c", "d"])  # a model needs all of these
    assert read_table(path, "label", drop=["a", "b,c"]).columns.tolist() == ["d", "label"]
    assert read_table(path, "label", drop=["a,d", "b,c"]).columns.tolist() == ["label"]
    assert read_table(path, columns=["d"]).columns.tolist() == ["d"]
    assert read_table(path, "label", columns=["d"]).columns.tolist() == ["d", "label"]


def test_columns_that_must_stay_text(tmp_path):
    path = written(tmp_path, "code,price\n7,1.5\n12,2.5\n")
    assert read_table(path)["code"].tolist() == [7, 12]
    assert read_table(path, text=["code"])["code"].tolist() == ["7", "12"]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["01067", "10115"], ["01067", "10115"]),
        (["01067", "", "NA", " 10115"], ["01067", None, None, "10115"]),
        (["01067", "1011"], [1067, 1011]),
        (["0", "1"], [0, 1]),
        (["10115", "10117"], [10115, 10117]),
        (["0.5", "1.5"], [0.5, 1.5]),
        (["-07", "+12", "012"], [-7, 12, 12]),
        (["1e5", "007"], [1e5, 7]),
    ],
)
def test_codes_with_leading_zeros_stay_text(tmp_path, cells, expected):
    path = written(tmp_path, "a,b\n" + "".join(f"1,{cell}\n" for cell in cells))
    notes = []
    found = read_table(path, tell=notes.append)["b"]
    assert [None if pd.isna(one) else one for one in found] == expected
    is_text = isinstance(expected[0], str)
    assert (
        any("column b: codes with leading zeros, such as 01067, are left as text" in note for note in notes) == is_text
    )
    assert read_table(path, numbers=["b"])["b"].dtype.kind in "if"


def test_a_mark_of_rows_without_label(tmp_path):
    notes = []
    path = written(tmp_path, "a,label\n1,0\n2,1\n3,?\n")
    labels = read_table(path, "label", missing_label="?", tell=notes.append)["label"]
    assert labels[:2].tolist() == [0, 1]
    assert labels.isna().tolist() == [False, False, True]
    assert notes == []


def test_further_columns_of_labels_are_read_as_the_target_is(tmp_path):
    """Columns to learn from would be told to be codes, and None would be a gap."""
    notes = []
    path = written(tmp_path, "a,llm,rule,label\n1,007,None,x\n2,012,yes,y\n3,007,,x\n")
    found = read_table(path, "label", labels=["llm,rule"], drop=["rule"], tell=notes.append)
    assert found.columns.tolist() == ["a", "llm", "rule", "label"]
    assert found["llm"].tolist() == ["007", "012", "007"]
    assert found["rule"][:2].tolist() == ["None", "yes"]
    assert found["rule"].isna().tolist() == [False, False, True]
    assert not any("codes" in note for note in notes)
    assert "has no column 'lm'" in error_of(path, "label", labels=["lm"])


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["1", "0", "1"], [1, 0, 1]),
        (["1.0", "0.0", "1.0"], [1, 0, 1]),
        (["-1", "1", "2"], [-1, 1, 2]),
        (["0.25", "0.5", "1"], [0.25, 0.5, 1.0]),
        (["+1", "1", "2"], ["+1", "1", "2"]),
        (["01", "1", "2"], ["01", "1", "2"]),
        (["9007199254740993", "9007199254740992", "1"], ["9007199254740993", "9007199254740992", "1"]),
    ],
)
def test_labels_are_numbers_only_where_nothing_is_lost(tmp_path, cells, labels):
    path = written(tmp_path, "a,label\n" + "".join(f"1,{cell}\n" for cell in cells))
    found = read_table(path, "label")["label"].tolist()
    assert found == labels
    assert [type(one) for one in found] == [type(one) for one in labels]


def test_sheets(tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"a": [1]}).to_excel(book, sheet_name="first", index=False)
        pd.DataFrame({"b": [2]}).to_excel(book, sheet_name="second", index=False)
        pd.DataFrame().to_excel(book, sheet_name="third", index=False)
    assert read_table(path).columns.tolist() == ["a"]
    assert read_table(path, sheet="second").columns.tolist() == ["b"]
    assert read_table(path, sheet="2").columns.tolist() == ["b"]
    assert "no sheet 'secnd'. Its sheets are: first, second, third (--sheet NAME). Did" in error_of(path, sheet="secnd")
    assert "sheet 'first'. It has others: 'second', 'third' (--sheet NAME)." in error_of(path, target="b")
    assert "is empty: the sheet 'third'" in error_of(path, sheet="third")


def test_columns_of_one_name_in_files_with_types(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "t.parquet"
    parquet.write_table(arrow.table([[1, 2], [3, 4]], names=["a", " a"]), path)
    assert "several columns of one name: 'a'" in error_of(path)


def test_many_notes_of_one_kind_are_counted(tmp_path):
    notes = []
    names = [f"c{i}" for i in range(20)]
    path = written(tmp_path, "\n".join([";".join(names), ";".join(["1,5"] * 20), ";".join(["2,25"] * 20)]))
    read_table(path, tell=notes.append)
    assert len(notes) == 7  # separator, five columns, and how many more
    assert "and 15 more columns with numbers that are not plainly written" in notes[-1]


TEXTS = st.text("abz äöüé,;|\t\"'.$%()0", max_size=8).map(lambda text: f"x{text}x")
ROWS = st.lists(
    st.tuples(
        st.integers(-(10**8), 10**8).map(lambda cents: cents / 100),
        st.none() | st.integers(-(10**7), 10**7),
        st.none() | TEXTS,
        st.none() | st.sampled_from(["yes", "NA", "007", "7", "nö"]),
    ),
    min_size=1,
    max_size=6,
)


def number(value, decimals, decimal, thousands):
    """As people write it."""
    text = "" if value is None else f"{value:,.{decimals}f}"
    return text.replace(",", "T").replace(".", decimal).replace("T", thousands)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    rows=ROWS,
    separator=st.sampled_from(",;\t|"),
    marks=st.sampled_from([(".", ""), (".", ","), (".", " "), (".", "'"), (",", ""), (",", "."), (",", "\u00a0")]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    line_end=st.sampled_from(["\n", "\r\n"]),
    packed=st.booleans(),
)
def test_any_dialect_comes_back_as_it_was(rows, separator, marks, encoding, line_end, packed):
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=separator, lineterminator=line_end)
    writer.writerow(["size", "people", "text", "label"])
    for size, people, text, label in rows:
        writer.writerow([number(size, 2, *marks), number(people, 0, *marks), text or "", label or ""])
    data = file.getvalue().encode(encoding)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table"
        path.write_bytes(gzip.compress(data) if packed else data)
        table = read_table(path, "label")
    assert table.columns.tolist() == ["size", "people", "text", "label"]
    for name, values in zip(table.columns, zip(*rows, strict=True), strict=True):
        found = [None if pd.isna(value) else value for value in table[name]]
        if name == "label":  # numbers if all of them are 7
            found = [f"{one:g}" if isinstance(one, (int, float)) else one for one in found]
        assert found == list(values), name


def test_the_example_of_the_page_prints_what_it_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "tables.md").read_text()
    block, expected = re.search(r"```python\n(.*?)```\n\nprints\n\n```\n(.*?)```", page, re.DOTALL).groups()
    exec(block, {})
    assert capsys.readouterr().out == expected


def test_rows_for_a_model_keep_their_places(tmp_path):
    """A row without content between others gets its prediction; those below the table are no rows."""
    notes = []
    path = written(tmp_path, "a,b\n1,x\n,\n2,y\n,\n,\n")
    table = read_table(path, columns=["a", "b"], tell=notes.append)
    assert table["b"].isna().tolist() == [False, True, False]
    assert "2 rows without any content at the end left out (first: line 5)" in notes[0]
