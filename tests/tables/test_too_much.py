"""Files that are small and would become huge are refused before they do; odd cells take no odd time."""

import json
import re

import pytest

pytest.importorskip("pandas")
from agnoboost.tables.files import TableFileError, read_table  # noqa: E402
from agnoboost.tables.reading import json_lines  # noqa: E402
from agnoboost.tables.reading.shapes import Shapes, _zeros_as_ones  # noqa: E402


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
