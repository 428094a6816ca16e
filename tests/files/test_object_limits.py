"""Small files that would become many objects are refused; honest models with many of them are not."""

import numpy as np
import pytest

from agnoboost.files import container, object_limits
from agnoboost.files.container import ModelFileError, read, write
from agnoboost.files.object_limits import LIMITS, ObjectLimit, too_many

NAMES = {"/set_ends": "booster0/set_ends", "/tree/below": "tape0/tree/below", "/which": "tape/which"}


@pytest.mark.parametrize("end", LIMITS)
def test_a_file_of_zeros_may_not_become_millions_of_objects(end, monkeypatch, tmp_path):
    zeros = np.zeros(2 * LIMITS[end].free, dtype=np.int8)
    monkeypatch.setattr(container, "too_many", lambda arrays, size: None)  # as a stranger writes it
    write(tmp_path / "model.agno", {"kind": "x"}, {NAMES[end]: zeros})
    with pytest.raises(ModelFileError, match=LIMITS[end].what):
        read(tmp_path / "model.agno")


def test_the_limit_grows_with_the_file():
    arrays = {"tape0/regression_tree/set_ends": np.zeros(60_000), "tape0/regression_tree/below": np.zeros(10**6)}
    assert "60,000 trees" in too_many(arrays, 1000)
    assert too_many(arrays, 64 * 10_000) is None


def test_what_is_written_can_be_read(monkeypatch, tmp_path):
    monkeypatch.setattr(object_limits, "LIMITS", {"/which": ObjectLimit("steps", 10, 8)})
    arrays = {"tape0/which": np.zeros(3000, dtype=np.int64)}
    write(tmp_path / "model.agno", {"kind": "x"}, arrays)
    assert (tmp_path / "model.agno").stat().st_size > 24_000  # not packed
    assert np.array_equal(read(tmp_path / "model.agno")[1]["tape0/which"], arrays["tape0/which"])
