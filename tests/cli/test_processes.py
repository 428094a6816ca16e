"""The command line as real processes: a terminal, exit codes, Ctrl-C, and what is not installed."""

import os
import pty
import subprocess
import sys

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("typer")

QUICK = ("--classifier", "boosting", "--rounds", "20", "--step-size", "0.06", "--folds", "2", "--jobs", "1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("processes")
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.integers(18, 80, 120), "churn": rng.choice(["yes", "no"], 120)})
    table.loc[80:, "churn"] = None
    table.to_csv(path / "train.csv", index=False)
    return path


def test_in_a_real_terminal_there_is_a_progress_bar(folder):
    command = [sys.executable, "-m", "agnoboost", "fit", "train.csv", "--target", "churn", "--out", "t.agno", *QUICK]
    shown = bytearray()

    def read(descriptor):
        data = os.read(descriptor, 4096)
        shown.extend(data)
        return data

    here, stdout = os.getcwd(), os.dup(1)
    sink = os.open(os.devnull, os.O_WRONLY)
    try:
        os.chdir(folder)
        os.dup2(sink, 1)
        status = pty.spawn(command, read)
    finally:
        os.dup2(stdout, 1)
        os.chdir(here)
        os.close(sink)
        os.close(stdout)
    assert os.waitstatus_to_exitcode(status) == 0
    assert b"training" in shown
    assert b"Model written to t.agno" in shown


def test_as_a_process(folder):
    """What all other tests here do without one."""
    for arguments, code in ((["--version"], 0), (["fit", "gone.csv", "--target", "churn"], 2)):
        done = subprocess.run(
            [sys.executable, "-m", "agnoboost", *arguments], cwd=folder, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == code
        assert "Traceback" not in done.stderr
    assert "There is no file gone.csv" in done.stderr


def test_without_the_extra_the_command_says_what_to_install(folder):
    code = "import sys; sys.modules['typer'] = None; from agnoboost.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "pip install 'agnoboost[cli]'" in done.stderr


@pytest.mark.parametrize("raised", ["KeyboardInterrupt", "ImportError('failed') from KeyboardInterrupt()"])
def test_ctrl_c_while_the_command_is_loaded(raised):
    code = f"""if True:
        import sys
        class Stop:
            def find_spec(self, name, *more):
                if name == "typer":
                    raise {raised}
        sys.meta_path.insert(0, Stop())
        from agnoboost.cli import main
        main()
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "Stopped.\n")
