"""From results to ranks, shares and differences, for each number of labels."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from agnoboost.basics.typing import Floats

from ..statistics import interval_over
from ..studies import Result, Study, Task
from .measures import MEASURES, RANKED
from .methods import METHODS, PEERS
from .ranking import mean_ranks

NEAR = 0.003  # no more than this behind the best peer
Block = tuple[str, int, float]  # table, labels, flips
Values = dict[str, Floats]  # method -> measures


def summarise(made: Study, results: list[Result]) -> dict[str, Any]:
    """All figures of the page; what is independent are the tables, so errors are those of means over tables."""
    check_rows(made.tasks, results)
    earlier = read_earlier(made.settings.get("beside"), made.settings["half"])
    found, rows = block_means(made.tasks, results), block_rows(made.tasks, results)
    check_same_rows(earlier, found, rows)
    blocks = {
        block: _in_order(earlier.blocks.get(block, {}) | found.get(block, {})) for block in earlier.blocks | found
    }
    check_methods(blocks)
    sizes = dict.fromkeys(labels for _, labels, _ in blocks)
    methods = list(dict.fromkeys(name for values in blocks.values() for name in values))
    main = next((name for name in methods if name not in PEERS), None)
    facts = made.facts
    return {
        **facts,
        "settings": facts["settings"] | {"methods": methods, "measured": made.settings["methods"]},
        "main": main,
        "measured_by": _measured_by(made.tasks, results, earlier, found),
        "measures": MEASURES,
        "sizes": [
            _size({block: found for block, found in blocks.items() if block[1] == labels}, main)
            | {"seeds": len({task["seed"] for task in made.tasks if task["labels"] == labels}) or earlier.seeds[labels]}
            for labels in sizes
        ],
        "blocks": [
            {
                "table": block[0],
                "labels": block[1],
                "flips": block[2],
                "rows": rows.get(block, earlier.rows.get(block)),
                "values": _rounded(values),
            }
            for block, values in blocks.items()
        ],
    }


@dataclass(frozen=True)
class Earlier:
    """What an earlier result holds, of which some tables or methods are measured anew."""

    blocks: dict[Block, Values]
    rows: dict[Block, int | None]
    measured_by: dict[str, list[str]]
    seeds: dict[int, int]


def read_earlier(path: str | None, half: str) -> Earlier:
    """Nothing where there is no path; of other tables or other measures nothing can stand beside."""
    if path is None:
        return Earlier({}, {}, {}, {})
    found = json.loads(Path(path).read_text())
    if found.get("measures") != list(MEASURES) or found["settings"]["half"] != half:
        raise ValueError(
            f"--beside must name a result of few-labels with the same measures on {half} tables. Got {path}."
        )
    named = {(block["table"], block["labels"], block["flips"]): block for block in found["blocks"]}
    return Earlier(
        {name: {one: np.array(own) for one, own in block["values"].items()} for name, block in named.items()},
        {name: block.get("rows") for name, block in named.items()},
        found["measured_by"],
        {size["labels"]: size["seeds"] for size in found["sizes"]},
    )


def check_same_rows(earlier: Earlier, found: dict[Block, Values], rows: dict[Block, int]) -> None:
    """Methods of two runs can be compared on a table if both have seen the same rows of it."""
    for block, values in found.items():
        left = set(earlier.blocks.get(block, ())) - set(values)
        if left and earlier.rows[block] != rows[block]:
            raise ValueError(
                f"The earlier result has other rows of {block[0]} with {block[1]} labels than this run (the table has "
                f"changed, or the number of splits), or does not say which: {sorted(left)[0]} cannot stand beside. "
                "Measure all methods on that table anew."
            )


def check_methods(blocks: dict[Block, Values]) -> None:
    """Ranks need the same methods on all tables."""
    methods: dict[int, set[str]] = {}
    for (table, labels, _), values in blocks.items():
        if odd := methods.setdefault(labels, set(values)) ^ set(values):
            raise ValueError(
                f"All tables must have the same methods. With {labels} labels {table} differs by {sorted(odd)[0]!r}. "
                "Run the same methods on all tables (--method), with the same packages installed."
            )


def check_rows(tasks: list[Task], results: list[Result]) -> None:
    """Results of different days can be compared if they were measured on the same rows."""
    seen: dict[tuple[Any, ...], int] = {}
    for task, result in zip(tasks, results, strict=True):
        split = (task["table"], task["labels"], task["flips"], task["seed"])
        if seen.setdefault(split, result["rows"]) != result["rows"]:
            raise ValueError(
                f"{task['method']} was measured on other rows of {task['table']} than the methods before it: "
                "the tables have changed. Delete the journal to start anew."
            )


def block_means(tasks: list[Task], results: list[Result]) -> dict[Block, Values]:
    """The mean of every method over the seeds, for each table, number of labels and rate of flips."""
    found: dict[Block, dict[int, dict[str, list[float]]]] = {}
    for task, result in zip(tasks, results, strict=True):
        seeds = found.setdefault((task["table"], task["labels"], task["flips"]), {})
        seeds.setdefault(task["seed"], {})[task["method"]] = result["values"]
    return {block: levelled(list(seeds.values())) for block, seeds in found.items()}


def block_rows(tasks: list[Task], results: list[Result]) -> dict[Block, int]:
    """A number that tells the rows of a block, all splits together, from others."""
    sums: dict[Block, dict[int, int]] = {}
    for task, result in zip(tasks, results, strict=True):
        sums.setdefault((task["table"], task["labels"], task["flips"]), {})[task["seed"]] = result["rows"]
    return {block: crc32(json.dumps(sorted(found.items())).encode()) for block, found in sums.items()}


def _in_order(values: Values) -> Values:
    return {name: values[name] for name in METHODS if name in values}


def levelled(by_seed: list[dict[str, list[float]]]) -> Values:
    """The mean of every method over the seeds.

    A method that was run on fewer seeds is measured by its distance from the mean of all others on those seeds.
    """
    methods = list(dict.fromkeys(name for found in by_seed for name in found))
    everywhere = [name for name in methods if all(name in found for found in by_seed)]
    level = np.array([np.mean([found[name] for name in everywhere], axis=0) for found in by_seed])
    means = {}
    for name in methods:
        own = [place for place, found in enumerate(by_seed) if name in found]
        distance = np.array([by_seed[place][name] for place in own]) - level[own]
        means[name] = level.mean(axis=0) + distance.mean(axis=0)
    return means


def _size(blocks: dict[Block, Values], main: str | None) -> dict[str, Any]:
    """What there is to say about one number of labels."""
    methods = list(next(iter(blocks.values())))
    tables = [table for table, _, _ in blocks]
    columns = {name: np.array([found[name] for found in blocks.values()]) for name in methods}
    summary: dict[str, Any] = {
        "labels": next(iter(blocks))[1],
        "flips": sorted({flips for _, _, flips in blocks}),
        "tables": list(dict.fromkeys(tables)),
        "means": {name: column.mean(axis=0).tolist() for name, column in columns.items()},
        "ranks": {
            measure: ranks({name: column[:, MEASURES.index(measure)] for name, column in columns.items()}, main, higher)
            for measure, higher in RANKED.items()
        },
    }
    peers = [name for name in methods if name in PEERS]
    if main not in methods or not peers:
        return summary
    # differences as gains of ours: positive is better, whatever the measure
    gains = {peer: {m: _gain(columns[main], columns[peer], m) for m in RANKED} for peer in peers}
    behind_best = {m: np.min([gains[peer][m] for peer in peers], axis=0) for m in RANKED}
    return summary | {
        "near": {m: float(np.mean(behind_best[m] >= -NEAR)) for m in RANKED},
        "ahead": {m: float(np.mean(behind_best[m] > 0.0)) for m in RANKED},
        "against": {peer: {m: interval_over(gains[peer][m], tables) for m in RANKED} for peer in peers},
        "best_peers": {table: {m: _best_peer(gains, m, table, tables) for m in RANKED} for table in summary["tables"]},
    }


def ranks(columns: Values, main: str | None, higher: bool) -> dict[str, float]:
    """Mean ranks over blocks, among the peers and our main method; our others are ranked in the main one's place."""

    def among_peers(*own: str) -> dict[str, float]:
        group = [name for name in columns if name in PEERS or name in own]
        if not group:
            return {}
        found = mean_ranks(np.column_stack([columns[name] for name in group]), higher)
        return dict(zip(group, found.tolist(), strict=True))

    together = among_peers(*[name for name in columns if name == main])
    return {name: together[name] if name in together else among_peers(name)[name] for name in columns}


def _gain(ours: Floats, other: Floats, measure: str) -> Floats:
    place = MEASURES.index(measure)
    return np.asarray((ours[:, place] - other[:, place]) * (1.0 if RANKED[measure] else -1.0))


def _best_peer(gains: dict[str, dict[str, Floats]], measure: str, table: str, tables: list[str]) -> dict[str, Any]:
    """The peer that is best on one table, over all rates of flips, and what we gain on it."""
    own = np.array(tables) == table
    means = {peer: float(gain[measure][own].mean()) for peer, gain in gains.items()}
    best = min(means, key=lambda peer: means[peer])
    return {"peer": best, "gain": means[best]}


def _measured_by(
    tasks: list[Task], results: list[Result], earlier: Earlier, found: dict[Block, Values]
) -> dict[str, list[str]]:
    """What measured each method; earlier versions only where some of their results are left."""
    versions = {
        method: list(known)
        for method, known in earlier.measured_by.items()
        if any(method in values and method not in found.get(block, ()) for block, values in earlier.blocks.items())
    }
    for task, result in zip(tasks, results, strict=True):
        own = versions.setdefault(task["method"], [])
        if result["by"] not in own:
            own.append(result["by"])
    return versions


def _rounded(found: Values) -> dict[str, list[float]]:
    return {name: values.round(5).tolist() for name, values in found.items()}
