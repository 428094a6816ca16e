"""The change log has a section for the current version, and can be read by programs."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import agnoboost
from tools.changelog import for_release, own_version, sections

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
GOOD = "# Changelog\n\n## 0.2.0 (unreleased)\n\n- New.\n\n## 0.1.0 (2026-12-01)\n\n- First.\n"


def test_the_newest_section_is_of_this_version():
    assert sections(TEXT)[0].version == agnoboost.__version__


def test_the_version_is_said_in_one_place():
    """And taken from there by the build, the metadata of what is installed, and the command line."""
    assert own_version() == agnoboost.__version__ == version("agnoboost")
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'dynamic = ["version"]' in settings
    assert "\nversion =" not in settings
    assert "version:" not in (ROOT / "CITATION.cff").read_text(encoding="utf-8").replace("cff-version:", "")


def test_sections_are_read():
    new, old = sections(GOOD)
    assert (new.version, new.day, new.text) == ("0.2.0", None, "- New.")
    assert (old.version, str(old.day), old.text) == ("0.1.0", "2026-12-01", "- First.")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("# Changelog", "# News", "must begin with '# Changelog'"),
        ("(unreleased)", "", "A heading must be as in"),
        ("(unreleased)", "(soon)", "A heading must be as in"),
        ("0.2.0", "0.0.9", "The newest version must come first"),
        ("(2026-12-01)", "(unreleased)", "0.1.0 must have been released before 0.2.0"),
        ("(unreleased)", "(2026-11-30)", "0.1.0 must have been released before 0.2.0"),
        ("(2026-12-01)", "(2026-13-01)", "month must be in 1..12"),
        ("- First.", "Nothing.", "The section of 0.1.0 must say what is new"),
    ],
)
def test_what_is_not_well_formed_is_refused(before, after, message):
    assert before in GOOD
    with pytest.raises(ValueError, match=message):
        sections(GOOD.replace(before, after, 1))


def test_a_tag_is_published_only_if_all_agree():
    ready = GOOD.replace("unreleased", "2027-01-31")
    assert for_release("v0.2.0", ready, "0.2.0").text == "- New."
    for tag, own in (("v0.2.1", "0.2.0"), ("v0.2.0", "0.2.1"), ("0.2.0", "0.2.0")):
        with pytest.raises(ValueError, match="must agree"):
            for_release(tag, ready, own)
    with pytest.raises(ValueError, match="must have the day of its release"):
        for_release("v0.2.0", GOOD, "0.2.0")


def test_the_command_refuses_in_one_sentence():
    command = [sys.executable, ROOT / "tools" / "changelog.py", "v9.9.9"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("The tag, the version and the change log must agree.")
    assert done.stdout == ""
