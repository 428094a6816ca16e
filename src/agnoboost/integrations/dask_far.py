"""Rows on the workers of a dask cluster: each keeps its own in bins, and answers for them.

Blocks are the partitions. An actor on every worker holds the bins of the partitions that the worker has (or was given,
where nobody has them yet), and a keeper over them; sums are added up here. Only these sums, and the rows near |H| = 1,
ever travel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import Any
from uuid import uuid4
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from ..basics.errors import RowsLostError
from ..basics.typing import Floats, Ints, Matrix
from ..kernels.cells import Layout
from ..rounds.far.blocks import Blocks
from ..rounds.far.table import FarTable, Sides
from ..rounds.stumps.counting import Counting
from ..rounds.stumps.keepers.base import Keeper
from ..rounds.stumps.keepers.parts import PartsKeeper
from .dask_rows import Partitions, codes_of, in_short, require_dask

MOMENT = 2.0  # seconds of silence after which it is asked whether all workers are still there
WAITING = 200_000  # what a question costs beside the passes, in rows (see Keeper.pass_cost)


class DaskBlocks(Blocks):
    """The partitions of a table and its labels; ``classes`` are numbered in this order."""

    def __init__(self, client: Any, parts: Partitions, classes: Floats, labeled: Ints, unlabeled: Ints):
        self._client, self._parts, self._classes = client, parts, classes
        self.labeled, self.unlabeled, self.features = labeled, unlabeled, parts.columns

    def each(self, work: Callable[..., Any], *own: Sequence[Any]) -> list[Any]:
        return list(self._client.gather(self._client.compute(self._tasks(work, *own))))

    def _tasks(self, work: Callable[..., Any], *own: Sequence[Any]) -> list[Any]:
        dask = require_dask()
        task = dask.delayed(partial(_on_block, work, self._classes), pure=False)
        blocks = zip(self._parts.X, self._parts.y, *own, strict=True)
        return [task(X, y, *arguments) for X, y, *arguments in blocks]

    def kept(self, layout: Layout, with_unlabeled: bool) -> FarTable:
        """Every worker encodes what it has."""
        rows = self.labeled + self.unlabeled if with_unlabeled else self.labeled
        plan = Placing.of(placed(self._client, self._parts, rows), rows)
        lookout = Lookout(self._client, frozenset(plan.workers))
        held = [
            self._client.submit(Host, key, size, self.features, workers=[worker], actor=True, key=key)
            for key, size, worker in zip(plan.keys, plan.sizes, plan.workers, strict=True)
        ]
        crew = Crew(lookout, lookout.results(held), held)
        fill = partial(_fill, layout=layout, with_unlabeled=with_unlabeled, compiled=self.large)
        tasks = self._tasks(fill, [plan.keys[host] for host in plan.host_of], plan.first)
        filled = [
            self._client.compute([tasks[block] for block in blocks], workers=[worker])
            for blocks, worker in zip(plan.blocks, plan.workers, strict=True)
        ]
        digests = {
            block: digest
            for blocks, own in zip(plan.blocks, filled, strict=True)
            for block, digest in zip(blocks, lookout.results(own), strict=True)
        }
        together = "".join(digests[block] for block in range(len(rows)))
        return DaskTable(layout, blake2b(together.encode(), digest_size=16).hexdigest(), crew)


@dataclass(frozen=True)
class Placing:
    """Who keeps what: for each worker the key of its host, its blocks and how many rows they have; for each block its
    host, and where it begins there."""

    workers: list[str]
    keys: list[str]
    blocks: list[list[int]]
    sizes: list[int]
    host_of: list[int]
    first: list[int]

    @classmethod
    def of(cls, homes: Sequence[str], rows: Ints) -> Placing:
        """By the worker and the number of rows of each block."""
        workers = list(dict.fromkeys(homes))
        host_of = [workers.index(home) for home in homes]
        blocks: list[list[int]] = [[] for _ in workers]
        sizes, first = [0] * len(workers), []
        for block, (host, count) in enumerate(zip(host_of, rows.tolist(), strict=True)):
            blocks[host].append(block)
            first.append(sizes[host])
            sizes[host] += count
        token = uuid4().hex
        keys = [f"agnoboost-rows-{token}-{number}" for number in range(len(workers))]
        return cls(workers, keys, blocks, sizes, host_of, first)


def _on_block(work: Callable[..., Any], classes: Floats, X: Any, y: Any, *own: Any) -> Any:
    return work(np.asarray(X), codes_of(y, classes), *own)


def _fill(X: Matrix, codes: Ints, key: str, first: int, layout: Layout, with_unlabeled: bool, compiled: bool) -> str:
    """Put the bins of a block where its worker keeps them; returns a digest of them."""
    if not with_unlabeled:
        X, codes = X[codes >= 0], codes[codes >= 0]
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    if key not in _HERE:
        raise RowsLostError("the worker that was to keep these rows has been started anew")
    return _HERE[key].fill(first, layout.encode([X], 1, compiled), codes.astype(np.int16))


def placed(client: Any, parts: Partitions, rows: Ints) -> list[str]:
    """Which worker keeps which block: one that has it already; others are spread evenly, in order."""
    threads: dict[str, int] = client.nthreads()
    if not threads:
        raise RowsLostError("the cluster has no workers")
    where = client.who_has()
    load, homes = dict.fromkeys(sorted(threads), 0.0), []
    for part, count in zip(parts.X, rows.tolist(), strict=True):
        there = [address for address in _holders(part, where) if address in threads]
        home = min(there or load, key=lambda address: load[address])
        load[home] += max(count, 1) / threads[home]
        homes.append(home)
    return homes


def _holders(part: Any, where: Mapping[Any, Sequence[str]]) -> Sequence[str]:
    """The workers that hold a part, or what it is made of."""
    graph, keys = dict(part.__dask_graph__()), [part.key]
    while keys:
        key = keys.pop()
        if where.get(key):
            return where[key]
        keys.extend(getattr(graph.get(key), "dependencies", ()))
    return ()


class Host:
    """An actor: the rows of one worker, in bins, and a keeper of them."""

    def __init__(self, key: str, rows: int, features: int):
        from distributed import get_worker

        self._threads = get_worker().state.nthreads
        self._codes = np.empty((rows, features), dtype=np.uint8)
        self._classes = np.empty(rows, dtype=np.int16)
        self._filled: dict[int, int] = {}  # how many rows came to which place
        self._keeper: Keeper | None = None
        _HERE[key] = self

    def fill(self, first: int, codes: npt.NDArray[np.uint8], classes: npt.NDArray[np.int16]) -> str:
        """The rows from number ``first`` on."""
        own = slice(first, first + len(codes))
        self._codes[own], self._classes[own] = codes, classes
        self._filled[first] = len(codes)
        digest = blake2b(codes.data if len(codes) else b"", digest_size=16)
        digest.update(classes.data if len(codes) else b"")
        return digest.hexdigest()

    def begin(self, counting: Counting, sides: Sides) -> tuple[int, int, int, float | None]:
        """Start a run: how many rows there are, and what the keeper says of lanes and of what answers cost."""
        from ..rounds.stumps.keepers.host import HostKeeper

        if sum(self._filled.values()) < len(self._codes):  # dask makes actors anew, without what they had
            raise RowsLostError("a worker has been started anew")
        self._keeper = None  # its memory goes first
        labels, weights = sides.labels(self._classes), sides.weights(self._classes)
        self._keeper = HostKeeper(counting, self._codes, weights, labels, self._threads)
        return self._keeper.rows, self._keeper.lanes, self._keeper.pass_cost, self._keeper.joint_cost

    def answer(self, question: str, arguments: tuple[Any, ...]) -> Any:
        """What the keeper says."""
        return getattr(self._keeper, question)(*arguments)


_HERE: WeakValueDictionary[str, Host] = WeakValueDictionary()  # hosts in this process; dask holds them, and lets go


@dataclass(frozen=True)
class Lookout:
    """Waits for answers of workers, and says so if one of them is gone."""

    client: Any
    workers: frozenset[str]

    def results(self, futures: Sequence[Any]) -> list[Any]:
        """What all of them give."""
        return [self._result(future) for future in futures]

    def _result(self, future: Any) -> Any:
        while True:
            try:
                return future.result(timeout=MOMENT)
            except TimeoutError:
                self._check()
            except RowsLostError:
                raise
            except Exception as error:
                raise RowsLostError(in_short(error)) from error

    def _check(self) -> None:
        if self.client.status != "running":
            raise RowsLostError("the scheduler does not answer")
        try:
            present = self.client.nthreads()
        except Exception as error:
            raise RowsLostError(in_short(error)) from error
        if gone := sorted(self.workers - set(present)):
            raise RowsLostError(f"the worker at {gone[0]} is gone")


@dataclass(frozen=True)
class Crew:
    """The hosts of all workers: ``held`` are dask's futures, with which they live."""

    lookout: Lookout
    hosts: list[Any]
    held: list[Any]

    def ask(self, method: str, *arguments: Any) -> list[Any]:
        """What each answers; they work at the same time."""
        try:
            asked = [getattr(host, method)(*arguments) for host in self.hosts]
        except RuntimeError as error:  # dask knows already that a worker is gone
            raise RowsLostError(in_short(error)) from error
        return self.lookout.results(asked)


class DaskTable(FarTable):
    """Rows on workers."""

    def __init__(self, layout: Layout, identity: str, crew: Crew):
        self.layout, self.identity, self._crew = layout, identity, crew

    def keeper(self, counting: Counting, sides: Sides) -> Keeper:
        return DaskKeeper(counting, sides, self._crew)

    def close(self) -> None:
        self._crew.hosts.clear()
        for future in self._crew.held:
            future.release()


class DaskKeeper(PartsKeeper):
    """The keepers of all workers as one."""

    def __init__(self, counting: Counting, sides: Sides, crew: Crew):
        rows, lanes, costs, joint_costs = zip(*crew.ask("begin", counting, sides), strict=True)
        super().__init__(counting, rows, min(lanes), max(costs) + WAITING, max(joint_costs))
        self._crew = crew

    def _ask(self, question: str, *arguments: Any) -> list[Any]:
        return self._crew.ask("answer", question, arguments)
