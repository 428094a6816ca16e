"""A folder of messy files, each named after what is wrong with it: how it is read, or what is said."""

import tempfile
from pathlib import Path

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
from damage import damaged  # noqa: E402

from agnoboost.tables.files import TableFileError, read_table  # noqa: E402

MESSY = Path(__file__).parent / "messy"
GAP = None
TIMES = 2  # how often each file is damaged
YES_NO = ["yes", "no"]

# File: columns with their values (whole numbers, fractions, texts and truth values are told apart), and notes.
READ = {
    "a_word_among_numbers.csv": (
        {"age": [*map(float, range(1, 12)), GAP], "label": ["yes", "no"] * 6},
        ["column age: numbers; 'many' read as a gap."],
    ),
    "accounting_negatives.csv": (
        {"profit": [-1234.0, -5.5, 3.0], "label": [*YES_NO, GAP]},
        ["column profit: (1,234) read as -1234."],
    ),
    "aligned_by_blanks.txt": (
        {"size": [1.5, 12.25], "kind": ["a", "b"], "label": YES_NO},
        ["cells are separated by blanks"],
    ),
    "blanks_before_quotes.csv": (
        {"size": [1, 2], "city": ["Paris, France", "Rome, Italy"], "label": YES_NO},
        [],
    ),
    "one_column_with_decimal_commas.csv": ({"label": [0.5, 0.25]}, []),
    "column_without_name.csv": (
        {"column_1": [0, 1], "size": [1.5, 2.5], "label": YES_NO},
        ["column 1 has no name; it is called column_1"],
    ),
    "commas_at_the_end_of_rows.csv": (
        {"size": [1, 2], "label": YES_NO},
        ["empty cells beyond the header were left out in 2 lines (first: line 2)"],
    ),
    "constant_and_empty_columns.csv": (
        {"a": [1, 2, 3], "b": [5, 5, 5], "c": [np.nan] * 3, "label": ["yes", "no", "no"]},
        ["columns without any value: c.", "columns with the same value in all rows: b."],
    ),
    "country_codes.csv": (
        {"country": ["DE", GAP, "AT", "Nordics"], "plan": ["basic", "pro", GAP, "basic"], "label": YES_NO * 2},
        ["column country: 'NA' (1 row) is read as a gap. If it is a code like the others"],
    ),
    "currency_codes_and_decimal_commas.csv": (
        {"price": [1234.5, 2.5], "label": YES_NO},
        ["cells are separated by semicolons", "column price: 1.234,50 EUR read as 1234.5."],
    ),
    "currency_signs.csv": (
        {"price": [1234.5, -2.0], "cost": [3.0, 4.5], "label": YES_NO},
        ["column price: $1,234.50 read as 1234.5.", "column cost: 3.00 € read as 3."],
    ),
    "decimal_points_and_commas_mixed.csv": (
        {"a": [1.5, 2.25], "b": [1.5, 2.25], "label": YES_NO},
        ["cells are separated by semicolons", "column b: 1,5 read as 1.5."],
    ),
    "empty_columns_at_the_end.csv": ({"size": [1, 2], "label": YES_NO}, []),
    "feather_called.dat": ({"a": [1.5, 2.5], "kind": ["x", "y"], "label": YES_NO}, []),
    "json_lines.jsonl": (
        {"a": [1.0, 2.5, GAP], "kind": ["x", GAP, "007"], "label": [*YES_NO, GAP]},
        ["blanks around texts were left out in kind"],
    ),
    "json_list_without_suffix": ({"a": [1, 2], "label": YES_NO}, []),
    "label_with_blanks.csv": (
        {"size": [1, 2, 3, 4], "label": ["yes", "yes", "No", GAP]},
        ["labels in label: blanks around them were left out, as in 'yes ', ' No'"],
    ),
    "labels_called_na_and_none.csv": ({"size": [1, 2, 3, 4], "label": ["NA", "None", GAP, "NA"]}, []),
    "labels_one_and_one_point_zero.csv": (
        {"size": [1, 2, 3, 4], "label": [1.0, 1.0, 0.0, GAP]},
        ["labels in label: 1.0 and the same without decimals are one class"],
    ),
    "labels_that_differ_by_case.csv": (
        {"size": [1, 2, 3, 4], "label": ["yes", "No", "NO", "yes"]},
        ["labels in label differ by case only, and are different classes: 'No' (1 row), 'NO' (1 row)"],
    ),
    "labels_true_and_false.csv": ({"size": [1, 2, 3], "label": [True, False, GAP]}, []),
    "labels_with_a_mark_of_gaps.csv": (
        {"size": [1, 2, 3, 4], "label": ["yes", "no", "?", "yes"]},
        ["labels in label: '?' (1 row) is read as a class. Pass --missing-label '?' if it marks rows without label"],
    ),
    "labels_with_leading_zeros.csv": ({"size": [1, 2, 3], "label": ["007", "7", "007"]}, []),
    "minus_signs_of_typesetters.csv": (
        {"change": [-5.5, 3.5, -2.5], "label": ["yes", "no", "no"]},
        ["column change: \u22125.5 read as -5.5"],
    ),
    "names_with_blanks.csv": (
        {"size": [1, 2], "kind": ["a", "b"], "label": YES_NO},
        ["blanks and invisible characters around names of columns were left out: ' size ', '\\u200bkind'"],
    ),
    "old_mac_line_ends.csv": ({"size": [1, 2], "label": YES_NO}, []),
    "packed.csv.bz2": ({"size": [1.5, 2.5], "label": YES_NO}, []),
    "packed.csv.xz": ({"size": [1.5, 2.5], "label": YES_NO}, []),
    "packed_without_suffix": ({"size": [1.5, 2.5], "label": YES_NO}, []),
    "parquet_called.csv": ({"a": [1.5, 2.5], "kind": ["x", "y"], "label": YES_NO}, []),
    "percent_signs.csv": ({"rate": [0.12, 0.075], "label": YES_NO}, ["column rate: 7.5 % read as 0.075."]),
    "pipes.csv": ({"size": [1.5, 2.0], "city": ["a", "b"], "label": YES_NO}, ["cells are separated by |"]),
    "question_marks_among_numbers.csv": (
        {"age": [31.0, GAP, 45.0, GAP], "label": YES_NO * 2},
        ["column age: numbers; '?', '-' read as a gap."],
    ),
    "quotes_and_line_ends_in_cells.csv": (
        {"a": [1, 2], "city": ['the "old" one', "Rome,\nItaly"], "label": YES_NO},
        [],
    ),
    "semicolons_and_decimal_commas.csv": (
        {"size": [1.5, 2.0, 0.5], "price": [2.25, 3.75, 1234.5], "label": [*YES_NO, GAP]},
        ["separated by semicolons", "column size: 1,5 read as 1.5.", "column price: 1.234,5 read as 1234.5."],
    ),
    "rows_of_separators_only.csv": (
        {"size": [1.5, 2.5], "name": ["a", "b"], "label": YES_NO},
        ["separated by semicolons", "3 rows without any content left out (first: line 3)", "size: 1,5 read as 1.5"],
    ),
    "separator_inside_quotes.csv": (
        {"size": [1, 2], "city": ["Paris, France", "Rome; Italy"], "label": YES_NO},
        [],
    ),
    "separator_told_in_the_first_line.csv": (
        {"size": [1.5, 2.5], "label": YES_NO},
        ["column size: 1,5 read as 1.5."],
    ),
    "several_currencies.csv": (
        {"price": ["$5", "€5"], "label": YES_NO},
        ["column price: amounts in several currencies ($, €) are left as text"],
    ),
    "several_sheets.xlsx": (
        {"a": [1.0, 2.0, GAP], "mixed": [1.5, 2.0, 3.0], "label": [*YES_NO, GAP]},
        ["the first sheet, data, was read; there are data, notes (--sheet", "'a '", "column mixed: 1,5 read as 1.5"],
    ),
    "tabs.txt": ({"size": [1.5, 2.0], "city": ["New York, NY", "Paris"], "label": YES_NO}, []),
    "texts_with_blanks.csv": (
        {"kind": ["a", "a", GAP], "label": ["yes", "no", "no"]},
        ["blanks around texts were left out in kind"],
    ),
    "thousands_or_decimals_between_semicolons.csv": (
        {"price": [1.234, 5.678], "label": YES_NO},
        [
            "separated by semicolons",
            "column price: 1,234 read as 1.234, not as 1234 (nothing in the file settles it; --decimal . reads it the",
        ],
    ),
    "thousands_by_points_between_semicolons.csv": (
        {"people": [950.0, 1234.0, 12500.0], "b": [1, 2, 3], "label": ["no", "yes", "no"]},
        [
            "separated by semicolons",
            "column people: 1.234 read as 1234, not as 1.234 (nothing in the file settles it; --decimal . reads it the",
        ],
    ),
    "thousands_by_points_beside_decimal_points.csv": (
        {"people": [950.0, 1.234, 12.5], "b": [1.5, 2.0, 3.0], "label": ["no", "yes", "no"]},
        [
            "separated by semicolons",
            "column people: 1.234 read as 1.234, not as 1234 (as in other columns; --decimal , reads it the other way)",
        ],
    ),
    "three_decimals_between_commas.csv": ({"size": [950.0, 1.234, 12.5], "label": ["no", "yes", "no"]}, []),
    "thousands_or_decimals_in_quotes.csv": (
        {"price": [1234.0, 5678.0], "label": YES_NO},
        ["column price: 1,234 read as 1234, not as 1.234 (nothing in the file settles it; --decimal , reads it the"],
    ),
    "thousands_or_decimals_settled_by_another_column.csv": (
        {"price": [1.5, 2.25], "people": [1234.0, 5678.0], "label": YES_NO},
        [
            "separated by semicolons",
            "column price: 1,5 read as 1.5.",
            "column people: 1.234 read as 1234, not as 1.234 (as in other columns; --decimal . reads it the other way)",
        ],
    ),
    "thousands_with_apostrophes.csv": (
        {"people": [1234.0, 12345.5], "label": YES_NO},
        ["column people: 12\u2019345.5 read as 12345.5."],
    ),
    "thousands_with_blanks.csv": (
        {"people": [1234.0, 12345.0, 7654321.0], "label": [*YES_NO, GAP]},
        ["column people: 7\u202f654\u202f321 read as 7654321."],
    ),
    "thousands_with_commas.csv": (
        {"people": [1234567.0, 12345.0, 950.0], "label": [*YES_NO, GAP]},
        ["column people: 1,234,567 read as 1234567."],
    ),
    "thousands_with_points.csv": (
        {"people": [1234567.0, 12345.0, 950.0], "label": [*YES_NO, GAP]},
        ["separated by semicolons", "column people: 1.234.567 read as 1234567."],
    ),
    "three_decimals_below_one.csv": (
        {"share": [0.25, 0.125], "label": YES_NO},
        ["column share: 0,250 read as 0.25."],
    ),
    "two_separators_that_fit.csv": (
        {"last, first": ["Doe, Jo", "Roe, Al"], "label": YES_NO},
        ["cells are separated by semicolons"],
    ),
    "truth_values.csv": ({"member": [True, False], "active": [1.0, GAP], "label": YES_NO}, []),
    "utf16.csv": ({"size": [1, 2], "label": ["ja", "né"]}, ["it was read as UTF-16"]),
    "utf8_with_mark.csv": ({"size": [1, 2], "label": ["ja", "neé"]}, []),
    "whole_numbers_beyond_2_53.csv": (
        {"account": [12345678901234567, 12345678901234568], "a": [1, 2], "label": YES_NO},
        ["column account: whole numbers beyond 2^53, up to 12345678901234568, are rounded. Leave out identifiers"],
    ),
    "windows_1252.csv": (
        {"size": [1, 2], "city": ["Zürich", "€ville"], "label": YES_NO},
        ["it is no UTF-8, and was read as cp1252 (Western European), such as '1,Zürich,yes'"],
    ),
    "windows_line_ends_and_blank_lines.csv": ({"size": [1, 2], "label": YES_NO}, []),
    "words_among_numbers.csv": (
        {
            "amount": [1234.5, GAP, 3.5, GAP, 4.25, 5.5, 6.5],
            "broken": [1.0, 2.0, GAP, GAP, GAP, 3.0, GAP],
            "children": ["0", "1", "2", "3+", "0", "1", "2"],
            "marks": ["1,5", "2,5", "1.75", "3,5", "1,5", "2,5", "3,5"],
            "label": [*YES_NO * 3, "no"],
        },
        [
            "separated by semicolons",
            "column amount: 1.234,50 read as 1234.5; 'k.A.', 'folgt' read as a gap.",
            "column broken: numbers; '#WERT!', '#BEZUG!', '-' read as a gap.",
            "column children: 6 cells hold numbers, these do not: '3+'. All of it is read as text.",
            "column marks: some numbers have decimal points, others decimal commas. All of it is read as text.",
        ],
    ),
    "zipped.zip": ({"size": [1.5, 2.5], "label": YES_NO}, []),
}  # fmt: skip

# File: what the error says.
REFUSED = {
    "control_characters.csv": ["it has the control character '\\x00'"],
    "empty.csv": ["is empty: it has no rows and no header"],
    "header_only.csv": ["has no rows."],
    "json_with_broken_lines.jsonl": [
        "line 2 (Expecting value at character 19), line 3 (a list), line 4 (the name 'a' occurs twice)"
    ],
    "json_with_huge_numbers.jsonl": ["numbers beyond 1.8e308, in column 'a': line 1.", "--drop a"],
    "json_with_lists.jsonl": [
        "has 2 problems:",
        "cells of kind list in column 'a': line 1, line 2. A cell must be one number or text",
        "cells of kind dict in column 'b': line 1.",
        "To go on without: --drop a,b",
    ],
    "lists_in_cells.parquet": ["cells of kind ndarray in column 'a': row 1, row 2.", "--drop a"],
    "many_problems.csv": [
        "has 3 problems:",
        "line 3 (2)",
        "several columns of one name: 'a'",
        "beyond 1.8e308, in column 'b': line 2.",
        "--drop b",
    ],
    "neither_utf8_nor_windows.csv": ["neither UTF-8 nor cp1252 (byte 0x81 at place 8). Set its encoding (--encoding)"],
    "numbers_beyond_the_largest.csv": ["in column 'a': line 2.", "in column 'b': line 3.", "--drop a,b"],
    "only_blanks.csv": ["is empty"],
    "packed_and_cut_off.csv.gz": ["it is a packed file, but damaged"],
    "picture.csv": ["it is an image"],
    "quote_that_is_not_closed.csv": ["line 3 opens a quote that is not closed"],
    "quotes_inside_a_cell.csv": ["line 2 has quotes that do not match"],
    "rows_with_too_few_and_too_many_cells.csv": [
        "more or fewer cells than its header, which has 3: line 3 (2), line 4 (4)."
    ],
    "title_above_the_header.csv": [
        "Its first line has one cell, 'Sales of the year', but most lines have 3. Delete what stands above the names."
    ],
    "truncated.parquet": ["it is Parquet by its first bytes, but damaged"],
    "two_columns_of_one_name.csv": ["several columns of one name: 'a'"],
    "two_columns_of_one_name_but_for_a_blank.csv": ["several columns of one name: 'a'"],
    "two_files_zipped.zip": ["must hold one file, being an archive. It holds 2: a.csv, b.csv"],
    "utf16_without_mark.csv": ["looks like UTF-16 without a mark at its beginning. Pass --encoding utf-16-le."],
    "web_page.csv": ["is a web page"],
}


@pytest.fixture(autouse=True)
def _reader_of_workbooks(request):
    if "xlsx" in request.node.name:
        pytest.importorskip("openpyxl")


@pytest.mark.parametrize("name", READ)
def test_how_it_is_read(name):
    expected, expected_notes = READ[name]
    notes = []
    table = read_table(MESSY / name, "label", tell=notes.append)
    assert table.columns.tolist() == list(expected)
    for column, values in expected.items():
        assert gaps(table[column]) == gaps(values), column
        assert table[column].dtype.kind == pd.Series(values).dtype.kind, column
    assert len(notes) == len(expected_notes), notes
    for note, part in zip(notes, expected_notes, strict=True):
        assert part in note


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_said(name):
    with pytest.raises(TableFileError) as raised:
        read_table(MESSY / name, "label")
    assert str(raised.value).startswith(str(MESSY / name))
    for part in REFUSED[name]:
        assert part in str(raised.value)


def test_a_missing_header_is_told():
    notes = []
    read_table(MESSY / "header_missing.csv", "0", tell=notes.append)
    assert "the first line, 5.1, 3.5, 0, was read as the names of the columns, but looks like a row" in notes[0]


def test_every_file_is_used():
    assert {path.name for path in MESSY.iterdir()} == {*READ, *REFUSED, "header_missing.csv"}


def test_damaged_files_give_sentences_and_no_other_error():
    """Bytes are changed, left out and doubled at random: a table or our error comes out."""
    pytest.importorskip("openpyxl")
    rng = np.random.default_rng(0)
    outcomes = {"read": 0, "refused": 0}
    for path in sorted(MESSY.iterdir()):
        for data in damaged(path.read_bytes(), rng, TIMES):
            try:
                outcomes["read"] += len(read_bytes(data, path.suffix)) > 0
            except TableFileError as error:
                outcomes["refused"] += len(str(error)) > 10
    assert sum(outcomes.values()) == TIMES * len(list(MESSY.iterdir()))
    assert min(outcomes.values()) > 20


def gaps(values):
    return [GAP if pd.isna(value) else value for value in values]


def read_bytes(data, suffix):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"damaged{suffix}"
        path.write_bytes(data)
        return read_table(path, "label")


def test_a_feather_file_whose_texts_begin_nowhere_is_refused(tmp_path):
    frame = pd.DataFrame({"text": pd.Series(["some", "words", "here"] * 9, dtype="str"), "label": ["a", "b", "a"] * 9})
    frame.to_feather(tmp_path / "table.feather", compression="uncompressed")
    content = (tmp_path / "table.feather").read_bytes()
    kind = np.int64 if np.cumsum([0, 4, 5, 4]).astype(np.int64).tobytes() in content else np.int32
    starts = np.cumsum([0, 4, 5, 4]).astype(kind).tobytes()
    assert starts in content
    damaged = np.array([0, 4, np.iinfo(kind).max // 2, 13], dtype=kind).tobytes()
    (tmp_path / "table.feather").write_bytes(content.replace(starts, damaged, 1))
    with pytest.raises(TableFileError, match="damaged"):
        read_table(tmp_path / "table.feather", "label", tell=lambda message: None)
