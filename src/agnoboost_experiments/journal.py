"""Journals of studies: results that outlast the process, one line each, every line with a checksum.

A line that does not agree with its checksum, or that was cut short, counts for nothing: its task is run again.
"""

from __future__ import annotations

import json
import warnings
from hashlib import sha256
from pathlib import Path
from typing import Any

from agnoboost.basics.atomic import write_text
from agnoboost.basics.places import place_of

Line = dict[str, Any]  # what JSON can hold

SAME = ("study", "settings", "versions")  # what a journal must share with the study that goes on from it


def key_of(task: Line) -> str:
    """A task's name in a journal."""
    return json.dumps(task, sort_keys=True)


class Journal:
    """One line a result, after a line that says which study it belongs to; of two lines on a task the later counts.

    The checksum of a line covers what it says and the study that it belongs to.
    """

    def __init__(self, path: Path, facts: Line):
        self._path, self._facts = path, facts
        self._study = json.dumps([facts[part] for part in SAME], sort_keys=True)

    def read(self) -> dict[str, Any]:
        """The results that are there, by task. Damaged lines are dropped, and said so; another study's are refused."""
        if not place_of(self._path).is_regular:
            raise ValueError(f"{self._path} must be a file that can be read again. Choose another folder with --out.")
        if not self._path.exists():
            write_text(self._path, self._checked(self._facts))
            return {}
        head, *lines = self._path.read_text(encoding="utf-8", errors="replace").split("\n")
        rest = lines.pop() if lines else ""  # nothing, if the last line is whole
        old = _is_old(head)
        kept = [entry for line in lines if (entry := self._entry(line, old)) is not None]
        self._check_head(head, bool(kept) and not old)
        damaged = len(lines) - len(kept) + bool(rest)
        if damaged or old or not self._agrees(head):
            self._tell(damaged, old)
            write_text(self._path, "".join(map(self._checked, [self._facts, *kept])))
        return {key_of(entry["task"]): entry["result"] for entry in kept}

    def append(self, task: Line, result: Any) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(self._checked({"task": task, "result": result}))

    def _checked(self, line: Line) -> str:
        """A line with its checksum."""
        text = json.dumps(line)
        return json.dumps({**json.loads(text), "checksum": self._checksum(text)}) + "\n"

    def _checksum(self, text: str) -> str:
        return sha256(f"{self._study}\n{text}".encode()).hexdigest()[:16]

    def _agrees(self, line: str) -> bool:
        """Whether a line is as it was written for this study."""
        found = _as_dict(line)
        return found is not None and found.pop("checksum", None) == self._checksum(json.dumps(found))

    def _entry(self, line: str, old: bool) -> Line | None:
        """A task with its result; None where the line is damaged."""
        found = _as_dict(line)
        if found is None or not {"task", "result"} <= set(found):
            return None
        trusted = self._agrees(line) or (old and set(found) == {"task", "result"})
        return {"task": found["task"], "result": found["result"]} if trusted else None

    def _check_head(self, head: str, has_ours: bool) -> None:
        """Refuse what is no journal, and that of another study. A damaged first line is made up for by whole others."""
        if self._agrees(head) or has_ours:
            return
        found = _as_dict(head)
        if found is None or not set(SAME) <= set(found):
            raise ValueError(f"{self._path} is not a journal of agnoboost. Delete it, or use another folder.")
        if differs := [part for part in SAME if found[part] != self._facts[part]]:
            raise ValueError(
                f"{self._path} belongs to another run: its {' and '.join(differs)} differ. Choose another folder "
                f"with --out, or delete that file to start anew."
            )

    def _tell(self, damaged: int, old: bool) -> None:
        said = ["It was written before lines had checksums: results that can be read are taken as they are."] * old
        if damaged:
            said.append(
                f"{damaged} of its lines cannot be trusted (damaged or cut short): what they held is run again."
            )
        if said:
            warnings.warn(f"Going on from {self._path}. {' '.join(said)}", RuntimeWarning, stacklevel=4)


def _is_old(head: str) -> bool:
    """Whether a journal begins as they did before lines had checksums."""
    return set(_as_dict(head) or ()) in (set(SAME), {*SAME, "command"})


def _as_dict(line: str) -> Line | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
