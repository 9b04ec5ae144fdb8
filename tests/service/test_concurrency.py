"""Many clients at once: every vector is the one that a single client gets."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest
from hypothesis import settings

from tests.retrieval.search.vietnam import FILMS, QUERY

CALLS = 5 * settings.default.max_examples  # 500; 5,000 with --hypothesis-profile=search
THREADS, COROUTINES = 8, 32
QUERIES = [
    QUERY,
    "war films",
    "a",
    "films without war",
    "python web frameworks other than django",
    "cowboys NOT space",
    "why does my cat not eat",
    "how to cook rice without a rice cooker",
    "the best old books about a river in Vietnam for children who like trains, boats and long summers",
    *FILMS.values(),
]


def body(number):
    query = QUERIES[number % len(QUERIES)]
    return {"input": [query] if number % 3 else [query, QUERIES[number % 7]], "model": "m-query"}


@pytest.fixture(scope="module")
def expected(model):
    return {query: model.encode_query(query) for query in QUERIES}


def wrong(number, answer, expected):
    rows = [np.array(row["embedding"], np.float32) for row in answer.json()["data"]]
    return not all(map(np.array_equal, rows, [expected[query] for query in body(number)["input"]]))


def test_threads_and_coroutines_get_what_a_single_call_gets(server, expected):
    with ThreadPoolExecutor(THREADS + 1) as threads:
        coroutines = threads.submit(lambda: asyncio.run(_coroutines(server.url, expected)))
        with httpx.Client(base_url=server.url, timeout=120) as client:
            found = threads.map(
                lambda number: wrong(number, client.post("/v1/embeddings", json=body(number)), expected),
                range(CALLS // 2),
            )
            assert sum(found) == 0
        assert coroutines.result() == 0


async def _coroutines(url, expected):
    numbers = iter(range(CALLS // 2, CALLS))
    async with httpx.AsyncClient(base_url=url, timeout=120) as client:

        async def ask():
            return sum(
                [wrong(number, await client.post("/v1/embeddings", json=body(number)), expected) for number in numbers]
            )

        return sum(await asyncio.gather(*(ask() for _ in range(COROUTINES))))
