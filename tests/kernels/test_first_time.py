"""The word about compiling: once, when it takes long, and never for kernels that are on disk."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

pytest.importorskip("numba")
from agnoboost.kernels.compiled.first_time import NOTE, FirstTime


def happening(module="agnoboost.kernels.compiled.trees"):
    return SimpleNamespace(data={"dispatcher": SimpleNamespace(__module__=module)})


def test_said_once_after_a_second_of_compiling(capsys):
    first = FirstTime(clock=iter([0.0, 0.6, 10.0, 10.3, 10.4, 20.0, 20.3, 20.4]).__next__)
    for _ in range(2):  # 0.6 and 0.4 seconds: small additions to what is on disk
        first.on_start(happening())
        first.on_end(happening())
    assert not capsys.readouterr().err
    first.on_start(happening("somebody.else"))
    first.on_end(happening("somebody.else"))
    first.on_start(happening())  # 10.4
    first.on_start(happening())  # 20.0: inside of the other
    assert capsys.readouterr().err == NOTE + "\n"
    first.on_start(happening())
    assert not capsys.readouterr().err


CODE = """
import numba
from agnoboost.kernels.compiled import first_time, kernel
first_time.WORTH_A_WORD = -1.0
@kernel
def double(x):
    return 2 * x
double.__module__ = "agnoboost.made_up"
print(double(4))
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_numba_speaks_only_when_it_compiles(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(CODE)
    said = []
    for _ in range(2):
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment, timeout=100)
        assert done.stdout == "8\n", done.stderr
        said.append(done.stderr)
    assert said == [NOTE + "\n", ""]
