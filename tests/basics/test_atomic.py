"""Files that appear whole or not at all, whoever else writes at the same time."""

import os
import stat

import pytest

from agnoboost.basics.atomic import drop_leftovers, replacing


@pytest.mark.parametrize("name", ["run", "run.best"])
def test_what_another_process_is_writing_is_left_alone(tmp_path, name):
    with replacing(tmp_path / name) as file:
        file.write(b"precious")
        drop_leftovers(tmp_path / "run")
    assert (tmp_path / name).read_bytes() == b"precious"
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("name", ["a", "a[1]", "n" * 250, "\u00e4" * 125])
def test_old_parts_of_a_file_are_swept_up_and_no_others(tmp_path, name):
    with replacing(tmp_path / name):
        (part,) = tmp_path.iterdir()
        other = tmp_path / ".a.best.0a1b2c3d.part"
        other.touch()
        for left in (other, part):
            os.utime(left, (0, 0))  # long ago
        drop_leftovers(tmp_path / name)
        assert not part.exists()
        assert other.exists()
        part.touch()  # or there would be nothing to put in place


def test_names_as_long_as_they_get(tmp_path):
    with replacing(tmp_path / ("n" * 250)) as file:
        file.write(b"x")
    assert (tmp_path / ("n" * 250)).read_bytes() == b"x"


def test_the_mask_of_the_process_is_never_touched(tmp_path, monkeypatch):
    """Not even for a moment: other threads make files, too."""
    mask = os.umask(0o027)
    try:
        with monkeypatch.context() as patched:
            patched.setattr(os, "umask", lambda _: pytest.fail("the mask was set"))
            with replacing(tmp_path / "file") as file:
                file.write(b"x")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_what_replaces_a_private_file_is_private_from_the_beginning(tmp_path):
    (tmp_path / "file").touch(0o600)
    with replacing(tmp_path / "file"):
        modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {0o600}
