"""The result as a page, with what people have said of the survivors."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

from .campaign import CAUGHT

INTRODUCTION = """# Mutants

A mutant is the library with one small bug planted in it: a comparison or a sign turned, a constant changed, a statement
deleted. Every mutant runs the tests that pass through its line (those of core, planner, labels, rl, rounds and the
theory), the quickest first, up to the first that fails. A mutant that none of them notices is a survivor: a gap in the
tests, or a change that nobody could see.
"""
VERDICTS = Path(__file__).with_name("verdicts.toml")


def read_verdicts(path: Path = VERDICTS) -> dict[tuple[str, str, str, str], str]:
    """What was said of a survivor, by its file, function, and the statement before and after."""
    said = tomllib.loads(path.read_text()).get("survivor", []) if path.exists() else []
    return {(one["file"], one["function"], one["before"], one["after"]): one["because"] for one in said}


def markdown(record: dict, verdicts: dict[tuple[str, str, str, str], str]) -> str:
    """The page of a campaign's record."""
    mutants = record["mutants"]
    survivors = [one for one in mutants if one["verdict"] not in CAUGHT]
    caught = len(mutants) - len(survivors)
    explained = sum(_name(one) in verdicts for one in survivors)
    lines = [
        INTRODUCTION,
        f"`{record['command']}` made this page: {len(mutants)} of {record['possible']} possible mutants, drawn from",
        f"every file in proportion. **{caught} were caught ({caught / len(mutants):.1%}), {len(survivors)} were not**;",
        f"{explained} of these are explained below.",
        "",
        *_table("file", "file", record, verdicts),
        "",
        *_table("change", "operator", record, verdicts),
    ]
    if survivors:
        lines += ["", "## Survivors", ""]
    for one in survivors:
        where = f"`{one['file']}`, line {one['line']}, `{one['function'] or 'module'}`"
        untested = " (no test runs it)" if one["verdict"] == "no test" else ""
        lines += [
            f"- {where}, {one['operator']}{untested}: {verdicts.get(_name(one), '**not explained yet**')}",
            "", "  ```diff", f"  - {one['before']}", f"  + {one['after']}", "  ```",
        ]  # fmt: skip
    return "\n".join(lines) + "\n"


def stale(record: dict, verdicts: Iterable[tuple[str, str, str, str]]) -> list[str]:
    """Verdicts on mutants that did not survive, or are no more."""
    survivors = {_name(one) for one in record["mutants"] if one["verdict"] not in CAUGHT}
    return [" | ".join(name) for name in verdicts if name not in survivors]


def _name(one: dict) -> tuple[str, str, str, str]:
    return one["file"], one["function"], one["before"], one["after"]


def _table(title: str, kind: str, record: dict, verdicts: dict) -> list[str]:
    rows = [
        f"| {title} | mutants | killed | out of time | survived | of these explained |",
        "|---|---|---|---|---|---|",
    ]
    mutants = record["mutants"]
    groups = {one[kind]: [] for one in mutants}
    for one in mutants:
        groups[one[kind]].append(one)
    for name, group in [*groups.items(), ("all", mutants)]:
        survivors = [one for one in group if one["verdict"] not in CAUGHT]
        counts = [len(group), *(sum(one["verdict"] == verdict for one in group) for verdict in CAUGHT), len(survivors)]
        explained = sum(_name(one) in verdicts for one in survivors)
        rows.append(f"| {name} | " + " | ".join(map(str, [*counts, explained])) + " |")
    return rows
