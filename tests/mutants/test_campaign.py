"""A whole campaign, on a library of a few lines."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

LIBRARY = """\
def larger(a, b):
    return a if a > b else b


def steps(n):
    while n > 0:
        n -= 1
    return 0


def unused(x):
    return x
"""
TESTS = """\
from agnoboost.core.rules import larger, steps


def test_larger():
    assert larger(1, 2) == 2


def test_steps():
    assert steps(2) == 0
"""
SCRIPT = """\
import json, sys
from pathlib import Path
from mutants import campaign, trial

root = Path(sys.argv[1])
campaign.ROOT, campaign.LIBRARY = root, root / "src" / "agnoboost"
campaign.ROOMS, campaign.TESTS = ["core"], ["tests/core"]
trial.HEAVY, trial.START = (), 2
mutants = [mutant for mutants in campaign.all_mutants(campaign.mutated_files()).values() for mutant in mutants]
results = campaign.run(mutants, root / "out", jobs=2, keep_caught=False)
print(json.dumps({result.after: [result.verdict, result.by] for result in results}))
"""


@pytest.fixture
def project(tmp_path):
    for name, text in {
        "pyproject.toml": '[tool.pytest.ini_options]\naddopts = ["--import-mode=importlib"]\n',
        "src/agnoboost/__init__.py": "",
        "src/agnoboost/core/__init__.py": "",
        "src/agnoboost/core/rules.py": LIBRARY,
        "tests/core/test_rules.py": TESTS,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def start(project):
    command = [sys.executable, "-c", SCRIPT, str(project)]
    return subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True)


def run(project):
    done = start(project)
    assert done.returncode == 0, done.stderr
    *progress, result = done.stdout.splitlines()
    return progress, json.loads(result)


def test_a_campaign(project):
    progress, found = run(project)
    assert found == {
        "return None": ["no test", ""],
        "return a if a >= b else b": ["survived", ""],
        "return a if True else b": ["killed", "tests/core/test_rules.py::test_larger"],
        "return a if False else b": ["survived", ""],
        "while False": ["survived", ""],
        "while n >= 0": ["survived", ""],
        "while n > 1": ["survived", ""],
        "pass": ["timeout", "tests/core/test_rules.py::test_steps"],
        "n += 1": ["timeout", "tests/core/test_rules.py::test_steps"],
        "n -= 2": ["survived", ""],
        "return 1": ["killed", "tests/core/test_rules.py::test_steps"],
    }
    assert len(progress) == 14  # one for every mutant, and one before them: "return None" is three of them
    for tree in (project, project / "out/copy-0", project / "out/copy-1"):  # every mutant has been taken back
        assert (tree / "src/agnoboost/core/rules.py").read_text() == LIBRARY

    progress, again = run(project)  # from the journal
    assert again == found
    assert progress == []


def test_tests_that_fail_anyway_stop_a_campaign(project):
    (project / "tests/core/test_rules.py").write_text("def test_wrong():\n    assert False\n")
    done = start(project)
    assert done.returncode == 1
    assert "Tests fail on the source as it is" in done.stderr
