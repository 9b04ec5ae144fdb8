"""Failures between a client and its server."""

from statistics import median
from time import perf_counter

import pytest
from pymilvus import MilvusException

from boolattn.retrieval.index.milvus.client import SMALL
from boolattn.retrieval.index.open_index import open_index
from tests.retrieval.index.films import DESCRIPTION, films, same


def test_what_the_server_refuses_is_reported(milvus):
    index = open_index(f"{milvus.uri}/not-a-name-for-milvus")
    with pytest.raises(OSError, match=r"not-a-name-for-milvus: .*Invalid collection name"):
        index.create(DESCRIPTION)


@pytest.mark.parametrize("written", [True, False])
def test_documents_are_stored_once_although_the_answer_was_lost(milvus, monkeypatch, written):
    index = open_index(f"{milvus.uri}/lost")
    index.create(DESCRIPTION)
    client, answers = index._client.client, []
    write = client.insert

    def lose_the_answer(*given, **settings):
        answers.append(write(*given, **settings) if written else {"insert_count": 0})
        raise MilvusException(message="connection lost")

    monkeypatch.setattr(client, "insert", lose_the_answer)
    rows = films([str(n) for n in range(20)])
    index.upsert(rows)
    assert [answer["insert_count"] for answer in answers] == [20 * written]
    assert index.count() == 20 and index.shards() == {"s": 20}
    assert same(index.fetch(rows.ids), rows)
    index.drop()


def test_settled_means_that_the_graph_is_searched(milvus):
    index = open_index(f"{milvus.uri}/settled")
    index.create(DESCRIPTION)
    index.upsert(films([str(n) for n in range(SMALL + 1)]))
    index.settle()
    [segment] = index._client.list_loaded_segments("settled")
    assert (segment.num_rows, segment.index_name) == (SMALL + 1, "vector")
    index.drop()


def test_a_client_that_only_searches_does_not_wait_for_others_writes(milvus):
    writer = open_index(f"{milvus.uri}/waiting")
    writer.create(DESCRIPTION)
    rows = films(["a", "b"])
    writer.upsert(rows)
    reader = open_index(f"{milvus.uri}/waiting")
    assert same(reader.fetch(["a", "b"]), rows)
    seconds = {index: [] for index in (writer, reader)}
    for _ in range(9):
        for index, taken in seconds.items():
            start = perf_counter()
            index.fetch(["a"])
            taken.append(perf_counter() - start)
    assert median(seconds[reader]) < median(seconds[writer]) / 2
    writer.drop()


def test_documents_missed_while_they_are_rewritten_are_fetched_again(milvus, monkeypatch):
    writer = open_index(f"{milvus.uri}/rewritten")
    writer.create(DESCRIPTION)
    rows = films(["a", "b", "c"])
    writer.upsert(rows)
    reader = open_index(f"{milvus.uri}/rewritten")
    asked = reader._client.client.query

    def miss_one(name, which, **settings):
        found = asked(name, which, **settings)
        return found if settings["consistency_level"] == "Strong" else [row for row in found if row["id"] != "b"]

    monkeypatch.setattr(reader._client.client, "query", miss_one)
    assert same(reader.fetch(["a", "b", "c"]), rows)
    assert reader.fetch(["no such document"]).ids == []
    writer.drop()
