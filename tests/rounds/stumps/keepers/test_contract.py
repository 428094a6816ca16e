"""Keepers in this machine's memory: the plain twin's answers."""

from functools import partial

import pytest
from keeper_contract import check_keeper

from agnoboost.rounds.stumps.keepers import host
from agnoboost.rounds.stumps.keepers.host import HostKeeper
from agnoboost.rounds.stumps.keepers.plain import PlainKeeper


def test_the_plain_keeper_agrees_with_itself():
    check_keeper(PlainKeeper)


@pytest.mark.parametrize("threads", [1, 3])
def test_the_host_keeper_agrees_with_the_plain_one(monkeypatch, threads):
    monkeypatch.setattr(host, "_SPLIT", 0)  # so that a few rows are split between threads too
    check_keeper(partial(HostKeeper, threads=threads))
