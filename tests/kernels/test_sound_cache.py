"""Kernels that are kept on disk: whatever happens to the files, they are compiled anew."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("numba")
pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")

CODE = """
import sys
if "interrupted" in sys.argv:  # by Ctrl-C, while LLVM hands over what it has compiled; numba asks for this hook once
    from numba.core.codegen import CPUCodeLibrary
    def interrupted(*_):
        raise KeyboardInterrupt
    CPUCodeLibrary._object_compiled_hook = interrupted
from agnoboost.kernels.compiled import kernel, sound_cache
if "full" in sys.argv:
    def no_room(*_):
        raise OSError(28, "No space left on device")
    sound_cache.FunctionCache._save_overload = no_room
if "nowhere" in sys.argv:
    sound_cache.FunctionCache._impl_class._locator_classes = []
if "changed" in sys.argv:  # another file of kernels, which this one may call
    sound_cache.stamp_of_all_kernels = lambda: "other"
@kernel
def double(x):
    return 2 * x
try:
    print(double(4), sum(double.stats.cache_hits.values()))
except KeyboardInterrupt:
    print("stopped")
"""


@pytest.fixture
def run(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(CODE)

    def go(*words):
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        done = subprocess.run([sys.executable, script, *words], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    return go


def test_damaged_files_are_made_anew(run, tmp_path):
    assert run() == ["8", "0"]
    for ending in ("nbi", "nbc"):
        (path,) = (tmp_path / "cache").rglob(f"*.{ending}")
        path.write_bytes(path.read_bytes()[:20])
        assert run() == ["8", "0"]
    assert run() == ["8", "1"]


@pytest.mark.parametrize("where", ["full", "nowhere"])
def test_a_full_disk_or_none_at_all_costs_only_time(run, where):
    assert run(where) == ["8", "0"]


def test_ctrl_c_while_kernels_are_compiled_is_not_lost(run):
    assert run("interrupted") == ["stopped"]
    assert run() == ["8", "0"]


def test_a_change_of_any_kernel_compiles_all_anew(run):
    assert run() == ["8", "0"]
    assert run() == ["8", "1"]
    assert run("changed") == ["8", "0"]
    assert run("changed") == ["8", "1"]


def test_every_file_of_kernels_counts(tmp_path):
    from agnoboost.kernels.compiled.sound_cache import KERNELS, stamp_of_all_kernels

    assert {"tree_cuts.py", "tree_arithmetic.py"} <= {path.name for path in KERNELS.rglob("*.py")}
    inner = tmp_path / "inner" / "one.py"
    inner.parent.mkdir()
    found = []
    for text in ("x = 1", "x = 2", "x = 1"):
        inner.write_text(text)
        stamp_of_all_kernels.cache_clear()
        found.append(stamp_of_all_kernels(tmp_path))
    assert found[0] == found[2] != found[1]
