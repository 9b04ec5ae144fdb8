"""The load generator, on the running service: what it counts is what happened."""

import asyncio
from urllib.parse import urlsplit

import numpy as np
import pytest

from boolattn_lab.costs.service_clients import QUERIES, Seen, Server, closed_loop, open_loop
from boolattn_lab.costs.service_load import recovery, slope


@pytest.fixture
def target(server):
    address = urlsplit(server.url)
    return Server(address.hostname, address.port, server.process.pid)


def test_clients_that_ask_one_after_the_other(target):
    seen = asyncio.run(closed_loop(target, clients=4, seconds=3))
    assert set(seen.statuses) == {200} and len(seen.seconds) == len(seen.finished) == seen.statuses[200] >= 4
    assert 0 < seen.percentile(50) <= seen.percentile(99)


def test_queries_at_a_fixed_rate(target):
    memory = []
    seen = asyncio.run(open_loop(target, rate=5, seconds=4, memory=memory))
    assert sum(seen.statuses.values()) == 20 and set(seen.statuses) <= {200, 429}
    assert len(memory) >= 3 and all(size > 50 for _, size in memory)
    assert asyncio.run(recovery(target, usual=60)) < 30


def test_a_server_that_is_gone_is_counted():
    seen = asyncio.run(open_loop(Server("127.0.0.1", 9, 1), rate=10, seconds=1))
    assert seen.statuses == {"lost": 10} and seen.rate == 0


def test_the_rate_leaves_out_what_was_answered_later():
    seen = Seen(begun=100.0, sending=30.0, finished=[100 + n / 10 for n in range(600)])
    assert seen.rate == pytest.approx(10, rel=0.01)


def test_slope():
    times = np.arange(0, 600, 5.0)
    assert slope([(at, 500 + at / 60) for at in times]) == pytest.approx(1.0)
    assert slope([(at, 500.0) for at in times]) == pytest.approx(0.0, abs=1e-9)


def test_most_queries_exclude_nothing():
    assert sum("but not" in query for query in QUERIES) == 1
