"""Files that are made to take much memory: few of the shapes that `make fuzz` tries."""

import pytest

from fuzz.legs.large_files import LargeFiles
from fuzz.models import saved


@pytest.fixture(scope="module")
def leg(tmp_path_factory):
    folder, leg = tmp_path_factory.mktemp("large"), LargeFiles()
    saved(folder, ("stumps", "regression trees"))
    leg.start(folder)
    return leg


@pytest.mark.parametrize(
    "shape", ["steps", "stumps", "regression trees", "a tree of signs", "texts in a list", "columns"]
)
def test_they_take_no_more_than_is_promised(leg, shape):
    verdict = leg.run({"shape": shape, "entries": 2**18, "narrow": True, "pack": True})
    assert not verdict.outcome.is_finding, verdict
