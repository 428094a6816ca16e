"""Small files that would take much memory are refused; what we write, however well it packs, is read."""

import numpy as np
import pytest

from agnoboost.files import archive, container
from agnoboost.files.archive import Bound
from agnoboost.files.container import ModelFileError, read, write
from agnoboost.files.object_limits import OBJECTS, room_of


@pytest.mark.parametrize("end", OBJECTS)
def test_a_file_of_zeros_may_not_become_millions_of_objects(end, monkeypatch, tmp_path):
    zeros = np.zeros(archive.ROOM.free // OBJECTS[end] + 100_000, dtype=np.int8)
    monkeypatch.setattr(container, "room_of", lambda arrays: 0)  # as a stranger writes it
    write(tmp_path / "model.agno", {"kind": "x"}, {f"tape0{end}": zeros})
    monkeypatch.undo()
    with pytest.raises(ModelFileError, match="bytes when it is unpacked; for its size"):
        read(tmp_path / "model.agno")


def test_short_numbers_count_as_what_they_become():
    assert room_of({"a": np.zeros(10, np.int8), "b": np.zeros((2, 5), np.float64), "c": np.zeros(10, bool)}) == 170


def test_the_room_grows_with_the_file():
    bound = Bound(100, 1 / 6)
    assert bound.most(50) == 400
    assert bound.least_size(400) == 50
    assert bound.least_size(401) == 51
    assert bound.least_size(99) == 0


@pytest.mark.parametrize(
    ("name", "bound"),
    [("ROOM", Bound(10, 1 / 6)), ("TEXT", Bound(10, 1)), ("VALUES", Bound(10, 16)), ("MEMBERS", Bound(3, 4000))],
)
def test_what_is_written_can_be_read(name, bound, monkeypatch, tmp_path):
    """What packs too well for its size is packed less."""
    arrays = {f"tape{number}/coef": np.zeros(1000, dtype=np.int64) for number in range(5)}
    facts = {"kind": "x", "values": [0] * 500}
    write(tmp_path / "usual.agno", facts, arrays)
    monkeypatch.setattr(archive, name, bound)
    with pytest.raises(ModelFileError, match="for its size"):
        read(tmp_path / "usual.agno")
    write(tmp_path / "model.agno", facts, arrays)
    assert read(tmp_path / "model.agno")[0] == facts
    size = (tmp_path / "model.agno").stat().st_size
    assert (tmp_path / "usual.agno").stat().st_size < size
    assert size < 40_000  # some of it is still packed


def test_what_could_not_be_read_is_not_written(monkeypatch, tmp_path):
    monkeypatch.setattr(archive, "MOST_BRACKETS", 10)
    with pytest.raises(ValueError, match="too large for that"):
        write(tmp_path / "model.agno", {"kind": [[]] * 20}, {})
    assert list(tmp_path.iterdir()) == []
