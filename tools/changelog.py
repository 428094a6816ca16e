"""CHANGELOG.md as it is promised to be: one section for each version, the newest first.

    python tools/changelog.py v0.1.0      # whether the tag may be published, and what is new in it

``## 0.2.0 (unreleased)`` becomes ``## 0.2.0 (2027-01-31)`` on the day of the release.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[1]
_HEADING = re.compile(r"(?P<version>\d+\.\d+\.\d+) \((?P<day>unreleased|\d{4}-\d\d-\d\d)\)")


@dataclass(frozen=True)
class Section:
    """What is new in a version; ``day`` is None as long as it is not released."""

    version: str
    day: date | None
    text: str

    @property
    def numbers(self) -> list[int]:
        return [int(part) for part in self.version.split(".")]


def sections(text: str) -> list[Section]:
    """All sections, checked."""
    title, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    if title.strip() != "# Changelog":
        raise ValueError(f"The change log must begin with '# Changelog' and a section. Got {title.strip()[:60]!r}.")
    found = [_section(part) for part in parts]
    for newer, older in pairwise(found):
        if not older.numbers < newer.numbers:
            raise ValueError(f"The newest version must come first. Got {newer.version} before {older.version}.")
        if older.day is None or (newer.day is not None and newer.day < older.day):
            raise ValueError(f"{older.version} must have been released before {newer.version}. Got {older.day}.")
    return found


def _section(part: str) -> Section:
    first, _, rest = part.partition("\n")
    heading = _HEADING.fullmatch(first.strip())
    if heading is None:
        raise ValueError(f"A heading must be as in '## 0.2.0 (unreleased)' or '## 0.2.0 (2027-01-31)'. Got {first!r}.")
    if not re.search(r"^- \S", rest, flags=re.MULTILINE):
        raise ValueError(f"The section of {heading['version']} must say what is new, in lines that begin with '- '.")
    day = None if heading["day"] == "unreleased" else date.fromisoformat(heading["day"])
    return Section(heading["version"], day, rest.strip())


def own_version() -> str:
    """The version in its one place, read without importing anything."""
    line = (ROOT / "src" / "agnoboost" / "_version.py").read_text(encoding="utf-8")
    return str(re.search(r'__version__ = "(.+)"', line)[1])  # type: ignore[index]


def for_release(tag: str, text: str, version: str) -> Section:
    """The section of a tag that may be published."""
    newest = sections(text)[0]
    if not tag == f"v{version}" == f"v{newest.version}":
        raise ValueError(
            "The tag, the version and the change log must agree. "
            f"Got {tag}, {version} in _version.py, and {newest.version} in CHANGELOG.md."
        )
    if newest.day is None:
        raise ValueError(f"{version} must have the day of its release in CHANGELOG.md. Got (unreleased).")
    return newest


if __name__ == "__main__":
    try:
        print(for_release(sys.argv[1], (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), own_version()).text)
    except ValueError as error:
        sys.exit(str(error))
