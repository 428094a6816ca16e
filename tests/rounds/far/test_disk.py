"""Rows in a file: the answers of rows in memory, and nothing left on the disk."""

import os
from collections import namedtuple
from pathlib import Path

import keeper_contract
import numpy as np
import pytest

from agnoboost.kernels.binning import Bins
from agnoboost.kernels.cells import Layout
from agnoboost.rounds.far import disk
from agnoboost.rounds.far.disk import DiskTable
from agnoboost.rounds.far.table import Sides
from agnoboost.rounds.stumps.keepers.plain import PlainKeeper

LayoutOf = namedtuple("LayoutOf", "categorical start")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["equal weights", "different weights"])
def test_rows_on_a_disk_answer_as_rows_in_memory(tmp_path, kind, seed):
    rng = np.random.default_rng(seed)
    counting, codes, _, _ = keeper_contract.random_rows(rng, kind, int(rng.integers(2, 500)))
    classes = rng.integers(-1, 3, len(codes)).astype(np.int16)
    sides = Sides(2, 0, 1) if kind == "equal weights" else Sides(1, 7, 2)
    blocks = [(codes[own], classes[own]) for own in np.array_split(np.arange(len(codes)), 3)]
    layout = LayoutOf(np.zeros(codes.shape[1], dtype=bool), counting.start)
    table = DiskTable(layout, iter(blocks), len(codes), tmp_path, 2)
    plain = PlainKeeper(
        counting, codes, sides.weights(classes).astype(np.int64), sides.labels(classes).astype(np.int64)
    )
    keeper_contract.compare(table.keeper(counting, sides), plain, rng, kind, f"{kind} {seed}")
    assert list(tmp_path.iterdir()) == []  # the file has no name
    table.close()


def test_a_disk_without_room_is_refused_before_any_work(tmp_path, monkeypatch):
    X = np.arange(40.0).reshape(20, 2)
    layout = Layout.of(Bins.from_data(X), [X])
    usage = namedtuple("Usage", "total used free")
    monkeypatch.setattr(disk.shutil, "disk_usage", lambda folder: usage(100, 61, 39))

    def never():
        raise AssertionError("work was begun")
        yield

    with pytest.raises(OSError, match=r"need 40 bytes on a disk. .* has 39 left. Choose another folder"):
        DiskTable(layout, never(), 20, tmp_path, 1)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files")
def test_a_table_that_fails_while_it_is_written_leaves_nothing(tmp_path):
    X = np.arange(40.0).reshape(20, 2)
    layout = Layout.of(Bins.from_data(X), [X])

    def failing():
        yield layout.encode([X])[:10], np.zeros(10, dtype=np.int16)
        raise ValueError("damaged")

    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(ValueError, match="damaged"):
        DiskTable(layout, failing(), 20, tmp_path, 1)
    assert list(tmp_path.iterdir()) == []
    assert len(os.listdir("/proc/self/fd")) == before
