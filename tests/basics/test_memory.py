"""Sizes of memory, as written and as found."""

import pytest

from agnoboost.basics.memory import _of_this_group, free_memory, read_size


@pytest.mark.parametrize(("text", "size"), [("4GB", 4 * 10**9), ("512 mib", 512 * 10**6), ("2e9", None), ("-1", None)])
def test_sizes_are_read(text, size):
    if size is None:
        with pytest.raises(ValueError, match=r"such as 500MB or 4GB. Got"):
            read_size(text)
    else:
        assert read_size(text) == size


def test_memory_is_what_the_system_and_the_container_leave(tmp_path):
    assert 0 < free_memory() < 2**50
    assert _of_this_group(tmp_path) == 2**62
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("300\n")
    assert _of_this_group(tmp_path) == 2**62
    (tmp_path / "memory.max").write_text("1000\n")
    assert _of_this_group(tmp_path) == 700
