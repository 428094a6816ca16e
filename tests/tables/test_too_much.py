"""Files that are small and would become huge are refused before they do; odd cells take no odd time."""

import bz2
import gzip
import io
import json
import lzma
import re
import zipfile

import pytest

pytest.importorskip("pandas")
from agnoboost.tables.files import TableFileError, read_table
from agnoboost.tables.reading import json_lines, unpacking
from agnoboost.tables.reading.shapes import Shapes, _zeros_as_ones


def test_names_that_differ_from_row_to_row(tmp_path, monkeypatch):
    path = tmp_path / "keys.jsonl"
    path.write_text("\n".join(json.dumps({"y": row % 2, f"k{row}": 1}) for row in range(50)))
    assert read_table(path, "y").shape == (50, 51)
    monkeypatch.setattr(json_lines, "MANY_CELLS", 50 * 51 - 1)
    with pytest.raises(TableFileError, match=r"51 different names in 50 JSON objects, too many.*same names"):
        read_table(path, "y")
    monkeypatch.setattr(json_lines, "EMPTIEST", 26)  # two of 51 are there
    assert read_table(path, "y").shape == (50, 51)


@pytest.mark.parametrize("zeros", [*range(18), 127, 128, 129])
def test_shapes_of_zeros_are_those_of_one_by_one(zeros):
    run = "0" * zeros
    for text in (f"1{run}", f"{run}1{run},{run}5", f"11{run}2{run}0.0{run}9\0{run}", run):
        expected = re.sub(r"1[01]*", lambda found: "1" * len(found[0]), text)
        assert _zeros_as_ones(text.encode()) == expected.encode()


def test_many_zeros_take_few_passes():
    """One pass for each zero took minutes."""
    shapes = Shapes(["$1" + "0" * 100_000] + ["$50"] * 20_000)
    assert shapes.shapes == ["$" + "1" * 100_001, "$11"]


def zipped(names):
    def pack(data):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in names:
                archive.writestr(name, data)
        return file.getvalue()

    return pack


def lying(data):
    """An archive that says of its file that it is small."""
    packed = zipped(["table.csv"])(data)
    size, small = len(data).to_bytes(4, "little"), (100).to_bytes(4, "little")
    assert packed.count(size) == 2
    return packed.replace(size, small)


TABLE = b"a,y\n" + b"1,0\n" * 50_000
PACKERS = {
    "gzip": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zip": zipped(["table.csv"]),
    "workbook": zipped([unpacking.WORKBOOK, "xl/sheet1.xml"]),
}


@pytest.mark.parametrize("kind", PACKERS)
def test_what_unpacks_to_too_much_is_refused_on_the_way(tmp_path, monkeypatch, kind):
    path, packed = tmp_path / "table", PACKERS[kind](TABLE)
    path.write_bytes(packed)
    monkeypatch.setattr(unpacking, "CHUNK", 1000)
    if kind != "workbook":
        assert len(read_table(path, "y")) == 50_000
    expected = rf"is {len(packed):,} bytes that unpack to more than {{}}\. .* unpack it yourself"
    with monkeypatch.context() as less:
        less.setattr(unpacking, "MOST", len(TABLE) - 1)
        with pytest.raises(TableFileError, match=expected.format(f"{len(TABLE) - 1:,}")):
            read_table(path, "y")
    monkeypatch.setattr(unpacking, "PLENTY", 50_000)
    monkeypatch.setattr(unpacking, "MOST_TIMES", 3)
    with pytest.raises(TableFileError, match=expected.format("50,000")):
        read_table(path, "y")


def test_of_a_workbook_all_files_count(tmp_path, monkeypatch):
    path = tmp_path / "table.xlsx"
    path.write_bytes(PACKERS["workbook"](TABLE))
    monkeypatch.setattr(unpacking, "MOST", 2 * len(TABLE) - 1)
    with pytest.raises(TableFileError, match="unpack to more than"):
        read_table(path, "y")


def test_what_an_archive_says_of_its_size_is_not_believed(tmp_path):
    path = tmp_path / "table.zip"
    path.write_bytes(lying(TABLE))
    with pytest.raises(TableFileError, match="a zip archive, but damaged"):
        read_table(path, "y")
