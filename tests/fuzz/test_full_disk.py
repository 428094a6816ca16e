"""Two stories of a disk that is really full; `make fuzz` has the others."""

import pytest

from fuzz.full_disk import is_possible
from fuzz.legs.full_disk import told


@pytest.mark.parametrize("story", ["saving", "checkpoints"])
def test_what_is_there_stays_whole_and_it_is_told(story, tmp_path):
    if not is_possible(tmp_path):
        pytest.skip("no file system of its own can be had here")
    done = told(story, tmp_path)
    assert done.returncode == 0, done.stderr
