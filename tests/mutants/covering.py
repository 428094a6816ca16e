"""Which tests run a line, and how long each test takes."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import coverage
import pytest

from .making import Lines, Mutant

AT_IMPORT = ""  # the context of what runs before the first test


@dataclass(frozen=True)
class Covered:
    """The tests of every line, and the seconds of every test."""

    lines: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]

    @classmethod
    def of_json(cls, saved: dict) -> Covered:
        lines = {file: {int(line): tests for line, tests in found.items()} for file, found in saved["lines"].items()}
        return cls(lines, saved["seconds"])

    def tests_of(self, mutant: Mutant) -> list[str]:
        """Tests that run the mutant's statement, the quickest first.

        What runs at import is run by everybody: the tests are then those of the scope around it, and in a module
        without any, those of its room.
        """
        place = mutant.place
        found = self._at(mutant.file, place.statement)
        if place.at_import or found == {AT_IMPORT}:
            around = (self._at(mutant.file, scope) - {AT_IMPORT} for scope in place.scopes)
            found = next(filter(None, around), None) or self._of_room(mutant.file)
        return sorted((test for test in found if test in self.seconds), key=lambda test: (self.seconds[test], test))

    def _at(self, file: str, lines: Lines) -> set[str]:
        by_line = self.lines.get(file, {})
        return {test for line in range(lines.first, lines.last + 1) for test in by_line.get(line, ())}

    def _of_room(self, file: str) -> set[str]:
        return {test for test in self.seconds if test.startswith(f"tests/{file.split('/')[0]}/")}


class Recorder:
    """A plugin of pytest that records the lines of every test, and its time."""

    def __init__(self, library: Path, files: Iterable[str]):
        self._library, self._files = library, tuple(files)
        self._coverage = coverage.Coverage(
            data_file=None, config_file=False, include=[str(library / file) for file in self._files]
        )
        self.seconds: dict[str, float] = {}

    def start(self) -> None:
        """From now on; before the library is imported."""
        self._coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self._coverage.switch_context(item.nodeid)
        start = time.perf_counter()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = time.perf_counter() - start
            self._coverage.switch_context(AT_IMPORT)

    def found(self) -> dict:
        """What :meth:`Covered.of_json` reads."""
        self._coverage.stop()
        data = self._coverage.get_data()
        lines = {file: data.contexts_by_lineno(str(self._library / file)) for file in self._files}
        return {"lines": lines, "seconds": self.seconds}
