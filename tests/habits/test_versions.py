"""Versions of what we build on and of our tools: said once, or held together here."""

import re
import tomllib
from pathlib import Path

import pytest

from tools.minimum_versions import bounds, constraints

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = {path.name: yaml.safe_load(path.read_text()) for path in (ROOT / ".github" / "workflows").glob("*.yml")}


def test_the_lowest_set_has_every_requirement():
    found = bounds()
    assert {"numpy", "scipy", "scikit-learn", "numba"} <= set(found)
    for lines in SETTINGS["project"]["optional-dependencies"].values():
        for line in lines:
            name = re.match(r"[\w-]+", line)[0]
            assert name in found or name == "agnoboost"
    assert f"numpy=={found['numpy']}\n" in constraints()


@pytest.mark.parametrize(
    ("line", "message"),
    [("numpy", "a name and a lowest version"), ("numpy>=2,<3", "a name"), ("numpy>=1.0", "numpy must have one lowest")],
)
def test_other_requirements_are_refused(line, message, tmp_path):
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(text.replace('    "scipy>=', f'    "{line}",\n    "scipy>=', 1))
    with pytest.raises(ValueError, match=message):
        bounds(tmp_path / "pyproject.toml")


def test_hooks_use_the_tools_of_the_tests():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    pinned = {line for hook in hooks for line in hook["additional_dependencies"] if "==" in line}
    assert pinned == set(SETTINGS["dependency-groups"]["lint"])


def test_the_oldest_and_the_newest_python_are_tested():
    named = [line.rsplit(" ", 1)[1] for line in SETTINGS["project"]["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert WORKFLOWS["tests.yml"]["jobs"]["test"]["strategy"]["matrix"]["python"] == [named[0], named[-1]]
    assert SETTINGS["project"]["requires-python"] == f">={named[0]}"
    assert SETTINGS["tool"]["ruff"]["target-version"] == f"py{named[0].replace('.', '')}"
    (lowest,) = [step for step in WORKFLOWS["tests.yml"]["jobs"]["minimum"]["steps"] if "python-version" in str(step)]
    assert lowest["with"]["python-version"] == named[0]


def test_jobs_call_targets_that_there_are():
    """And nothing else of ours: what fails there can be repeated anywhere."""
    targets = set(re.findall(r"^([a-z-]+)(?: [a-z-]+)*:", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    steps = [step for flow in WORKFLOWS.values() for job in flow["jobs"].values() for step in job.get("steps", [])]
    called = [step["run"] for step in steps if "run" in step]
    made = [
        re.match(r"make ([a-z-]+)( [A-Z]+=\S+)*$", line) for line in called if not line.startswith(("choco ", "brew "))
    ]
    assert all(made)
    assert {one[1] for one in made} >= {"test", "test-minimum", "test-nightly", "wheel", "docs"}
    assert {one[1] for one in made} <= targets
