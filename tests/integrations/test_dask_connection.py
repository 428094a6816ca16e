"""Work that waits for a scheduler ends when there is none; without dask itself."""

import time
from types import SimpleNamespace

import pytest

from agnoboost.integrations import dask_connection
from agnoboost.integrations.dask_connection import while_connected

RUNNING, LOST = SimpleNamespace(status="running"), SimpleNamespace(status="connecting")


def test_results_and_errors_come_through():
    assert while_connected(RUNNING, lambda: 7) == 7
    assert while_connected(LOST, lambda: 7) == 7  # soon enough
    for error in (ValueError("no"), TimeoutError("of the work"), KeyboardInterrupt()):

        def fail(error=error):
            raise error

        with pytest.raises(type(error)) as caught:
            while_connected(RUNNING, fail)
        assert caught.value is error


def test_a_scheduler_that_does_not_come_back_is_told(monkeypatch):
    monkeypatch.setattr(dask_connection, "AWAY", 1)
    with pytest.raises(ConnectionError, match="no connection to the scheduler for 1 seconds"):
        while_connected(LOST, lambda: time.sleep(20))


class Cluster:
    """A client that knows some workers."""

    status = "running"

    def __init__(self, *answers):
        self._answers = list(answers)
        self.scheduler = SimpleNamespace(ncores=None)

    def sync(self, function, callback_timeout):
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_a_run_that_waits_for_a_lost_worker_is_ended(monkeypatch):
    monkeypatch.setattr(dask_connection, "EVERY", 1)
    monkeypatch.setattr(dask_connection, "LOST", 1)
    client = Cluster({"tcp://a": 1, "tcp://b": 1}, {"tcp://a": 1, "tcp://c": 1})
    with pytest.raises(ConnectionError, match="the worker tcp://b was lost"):
        while_connected(client, lambda: time.sleep(20), pinned=True)


def test_workers_that_come_and_silent_schedulers_are_no_loss(monkeypatch):
    monkeypatch.setattr(dask_connection, "EVERY", 1)
    monkeypatch.setattr(dask_connection, "LOST", 0)
    client = Cluster({"tcp://a": 1}, {"tcp://a": 1, "tcp://b": 1}, TimeoutError(), {"tcp://a": 1})
    assert while_connected(client, lambda: time.sleep(3.5) or 5, pinned=True) == 5


def test_one_that_comes_back_is_waited_for(monkeypatch):
    monkeypatch.setattr(dask_connection, "AWAY", 1)
    client = SimpleNamespace(status="connecting")

    def work():
        time.sleep(0.5)
        client.status = "running"
        time.sleep(2.5)
        return 3

    assert while_connected(client, work) == 3
