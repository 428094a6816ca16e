"""Work that needs a cluster, and ends if the cluster does."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import Any, TypeVar

AWAY = 30  # seconds without a connection after which a scheduler is not waited for any longer
LOST = 60  # seconds after the loss of a worker in which a distributed run may tell of it itself
EVERY = 5  # seconds between two looks at the workers

Found = TypeVar("Found")


def while_connected(client: Any, work: Callable[[], Found], pinned: bool = False) -> Found:
    """What ``work`` gives.

    A client that has lost its scheduler looks for it without end, and whoever waits for results waits as long. So does
    a distributed run whose parts are ``pinned`` to workers of which one was lost: dask waits for it to come back under
    the same address. So work is done in a thread of its own, and left behind with an OSError in these cases.
    """
    watch = _Watch(client, pinned)
    found: Future[Found] = Future()

    def do() -> None:
        try:
            found.set_result(work())
        except BaseException as error:
            found.set_exception(error)

    Thread(target=do, daemon=True, name="agnoboost-dask").start()
    while True:
        try:
            return found.result(timeout=1.0)
        except TimeoutError:
            if found.done():  # it was an error of the work itself
                raise
        watch.check()


class _Watch:
    """Looks once a second whether the cluster is there."""

    def __init__(self, client: Any, pinned: bool):
        self._client = client
        self._workers = self._present() if pinned else frozenset()
        self._away = self._looks = self._incomplete = 0

    def check(self) -> None:
        """Raise ConnectionError if it is not."""
        connected = self._client.status == "running"
        self._away = 0 if connected else self._away + 1
        if self._away > AWAY:
            raise ConnectionError(f"there was no connection to the scheduler for {AWAY} seconds")
        self._looks += 1
        if self._workers and connected and self._looks % EVERY == 0:
            missing = self._workers - self._present()
            self._incomplete = self._incomplete + EVERY if missing else 0
            if self._incomplete > LOST:
                raise ConnectionError(f"the worker {min(missing)} was lost, and the others wait for it")

    def _present(self) -> frozenset[str]:
        """The addresses of the workers; all that were known if the scheduler does not answer."""
        try:
            return frozenset(self._client.sync(self._client.scheduler.ncores, callback_timeout=EVERY))
        except (TimeoutError, OSError):
            return getattr(self, "_workers", frozenset())


def gathered(client: Any, tasks: list[Any]) -> Any:
    """What tasks on parts of the table give. dask makes up for lost workers, and nobody for a lost scheduler."""
    from distributed import CancelledError
    from distributed.scheduler import KilledWorker

    try:
        return while_connected(client, lambda: client.gather(client.compute(tasks)))
    except (CancelledError, KilledWorker, OSError) as error:
        first_line = (str(error).splitlines() or [""])[0][:200]
        raise RuntimeError(
            f"The dask cluster was lost while it looked at the table ({type(error).__name__}: {first_line}). No model "
            "was made. Start the scheduler and its workers again, with a new client, and fit again."
        ) from error
