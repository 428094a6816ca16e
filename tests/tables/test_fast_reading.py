"""The fast ways of reading give the same tables, notes and errors as the careful ones."""

import csv
import io
import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
from damage import damaged  # noqa: E402

from agnoboost.tables.files import TableFileError, read_table  # noqa: E402
from agnoboost.tables.reading import blanks, lines, machine_numbers, splitting  # noqa: E402
from agnoboost.tables.reading.cells import written_number  # noqa: E402
from agnoboost.tables.reading.machine_numbers import plain_numbers  # noqa: E402
from agnoboost.tables.reading.shapes import Shapes  # noqa: E402

MESSY = Path(__file__).parent / "messy"
TEXTS = [path for path in sorted(MESSY.iterdir()) if path.suffix in (".csv", ".txt", ".dat")]
CELLS = [
    "1",
    "-2.5",
    "007",
    "1,5",
    "1.234",
    "x y",
    " x",
    "",
    "",
    "NA",
    "?",
    "true",
    "False",
    "é",
    "€5",
    '"q"',
    "a\nb",
    "3e5",
]


def outcome(path, **options):
    notes = []
    try:
        table = read_table(path, tell=notes.append, **options)
    except TableFileError as error:
        return str(error), notes
    return table, notes


def careful(monkeypatch, path, **options):
    with monkeypatch.context() as without:
        without.setattr(lines, "split_plainly", lambda *_: None)
        without.setattr(machine_numbers, "arrow_texts", lambda _: None)
        without.setattr(blanks, "arrow_texts", lambda _: None)
        return outcome(path, **options)


def assert_same(monkeypatch, path, **options):
    found, notes = outcome(path, **options)
    expected, expected_notes = careful(monkeypatch, path, **options)
    assert notes == expected_notes
    if isinstance(expected, str):
        assert found == expected
    else:
        pd.testing.assert_frame_equal(found, expected, check_exact=True)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_messy_files(monkeypatch, path):
    assert_same(monkeypatch, path, target="label")


def test_damaged_files(monkeypatch, tmp_path):
    rng = np.random.default_rng(1)
    for path in TEXTS:
        for data in damaged(path.read_bytes(), rng, 1):
            (tmp_path / "t.csv").write_bytes(data)
            assert_same(monkeypatch, tmp_path / "t.csv")


def test_random_files(monkeypatch, tmp_path):
    """Rows of random cells, in any quoting, with blank lines, and now and then a row that is too long."""
    draw = random.Random(0)
    split = 0
    for _ in range(40):
        width = draw.randint(2, 4)
        kinds = [draw.sample(CELLS, draw.randint(1, 4)) for _ in range(width)]
        separator = draw.choice(",;\t|")
        file = io.StringIO(newline="")
        quoting = draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
        writer = csv.writer(file, delimiter=separator, quoting=quoting, lineterminator="\n")
        writer.writerow([draw.choice(["a", "b\nc", "d"]) + str(i) for i in range(width)])
        for _ in range(draw.randint(1, 6)):
            writer.writerow([draw.choice(kind) for kind in kinds] + ["9"] * (draw.random() < 0.02))
            file.write("\n" * (draw.random() < 0.1))
        text = file.getvalue()
        split += splitting.split_plainly(text, separator, 1) is not None
        path = tmp_path / "t.csv"
        path.write_bytes(text.encode())
        assert_same(monkeypatch, path, sep=separator)
    assert split > 20


@pytest.mark.parametrize(
    "text",
    [
        'a,b\n1,x"y"\n',  # a quote inside
        'a,b\n1,"x"y\n',
        'a,b\n1,"x\n',
        'a,b\n1, "x"\n2, y\n',  # blanks before quotes
        'a,b\n1,"x, "\n2, y\n',
        'a,b\n1,""\n"",""\n2,""""\n',
        "a,b\n1,2,3\n",
        "a,b\n1,2\n  \n3,4\n",
        "a,b\n\ufeffx,2\ny,4\n",
        "\n\na,b\n\n1,2\n\n3,1e999\n",  # the line is told
        'a,"b\nc"\n1,"x\n\ny"\n\n3,x\n1e999,x\n',
        "a,b\n1,2",
        "a,b\n1," + "x" * 140_000 + "\n",  # beyond what the careful reader takes
        "a,b\n1," + "x" * 130_000 + "\n",
        "a\x0bb,c\n1,x\x0cy\n2,\x85\n3,\u2028\n",  # line ends for some
        "a,b\n0x1F,nan\n0x2F,NAN\n",
        "a,b\n+1,99999999999999999999\n+2,1\n",
        "a,b\n9223372036854775808,-9223372036854775808\n1,2\n",
        "a,b\n1_0,١٢\n2_0,٣\n",
        "a,b\n-0,18446744073709551615\nNA,\n",
    ],
)
def test_odd_corners(monkeypatch, tmp_path, text):
    (tmp_path / "t.csv").write_bytes(text.encode())
    assert_same(monkeypatch, tmp_path / "t.csv", sep=",")


def test_plain_numbers_are_what_pandas_finds(monkeypatch):
    draw = random.Random(0)
    cells = ["".join(draw.choice("01259.+-eE") for _ in range(draw.randint(1, 5))) for _ in range(400)]
    columns = [pd.Series(pair, dtype=str) for pair in pairwise(cells)]
    floats = [f"{draw.gauss(0, 10 ** draw.randint(-9, 9)):.{draw.randint(0, 20)}f}" for _ in range(2000)]
    columns.append(pd.Series([*floats, None], dtype=str))
    found = [plain_numbers(column) for column in columns]
    monkeypatch.setattr(machine_numbers, "arrow_texts", lambda _: None)
    for column, numbers in zip(columns, found, strict=True):
        expected = plain_numbers(column)
        assert (numbers is None) == (expected is None), column.tolist()
        if expected is not None:
            pd.testing.assert_series_equal(numbers, expected, check_exact=True)
    assert sum(numbers is not None for numbers in found) > 30


def test_numbers_are_the_nearest_ones_that_there_are(monkeypatch):
    """Written and read again they are the same, to the last bit, whoever reads them."""
    values = np.random.default_rng(0).normal(size=2000)
    column = pd.Series([repr(float(value)) for value in values], dtype=str)
    np.testing.assert_array_equal(plain_numbers(column), values)
    monkeypatch.setattr(machine_numbers, "arrow_texts", lambda _: None)
    np.testing.assert_array_equal(plain_numbers(column), values)


def test_shapes_read_as_cells_do():
    draw = random.Random(0)
    parts = [
        "-",
        "(",
        ")",
        "$",
        "EUR",
        " ",
        "%",
        "1",
        "0",
        "00",
        "234",
        "987",
        "05",
        ",",
        ".",
        "'",
        "\u2212",
        "\u00a0",
        "٣",
        "e5",
        "€",
    ]
    cells = sorted({"".join(draw.choice(parts) for _ in range(draw.randint(1, 6))) for _ in range(20_000)})
    cells += ["\0", "1\0", *(f"{sign}{value:,.2f} €" for value in range(800, 1300, 7) for sign in "-+")]
    numbers = [cell for cell in cells if written_number(cell) is not None]
    shapes = Shapes(cells)
    assert shapes.spread([one is not None for one in shapes.numbers]).tolist() == [
        written_number(c) is not None for c in cells
    ]
    assert len(numbers) > 1000
    for mark in ".,":
        allowed = [cell for cell in numbers if written_number(cell).under(mark) is not None]
        shapes = Shapes(numbers)
        by_shape = shapes.spread([number.under(mark) is not None for number in shapes.numbers])
        assert by_shape.tolist() == [written_number(cell).under(mark) is not None for cell in numbers]
        assert not shapes.allow(mark)
        assert Shapes(allowed).allow(mark)
        np.testing.assert_array_equal(
            Shapes(allowed).under(mark), [written_number(cell).under(mark) for cell in allowed]
        )
