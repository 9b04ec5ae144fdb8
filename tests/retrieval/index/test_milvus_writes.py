"""What can go wrong between a client and its server."""

from statistics import median
from time import perf_counter

import pytest
from pymilvus import MilvusException

from boolattn.retrieval.index.milvus.compaction import SMALL
from boolattn.retrieval.index.opening import open_engine
from tests.retrieval.index.films import DESCRIPTION, films, same


def test_what_the_server_refuses_is_told(milvus):
    engine = open_engine(f"{milvus.uri}/not-a-name-for-milvus")
    with pytest.raises(OSError, match=r"not-a-name-for-milvus: .*Invalid collection name"):
        engine.create(DESCRIPTION)


@pytest.mark.parametrize("written", [True, False])
def test_documents_are_there_once_though_no_answer_came(milvus, monkeypatch, written):
    engine = open_engine(f"{milvus.uri}/lost")
    engine.create(DESCRIPTION)
    client, answers = engine._client.client, []
    write = client.insert

    def lose_the_answer(*given, **settings):
        answers.append(write(*given, **settings) if written else {"insert_count": 0})
        raise MilvusException(message="connection lost")

    monkeypatch.setattr(client, "insert", lose_the_answer)
    rows = films([str(n) for n in range(20)])
    engine.upsert(rows)
    assert [answer["insert_count"] for answer in answers] == [20 * written]
    assert engine.count() == 20 and engine.shards() == {"s": 20}
    assert same(engine.fetch(rows.ids), rows)
    engine.drop()


def test_settled_means_that_the_graph_is_searched(milvus):
    engine = open_engine(f"{milvus.uri}/settled")
    engine.create(DESCRIPTION)
    engine.upsert(films([str(n) for n in range(SMALL + 1)]))
    engine.settle()
    [segment] = engine._client.list_loaded_segments("settled")
    assert (segment.num_rows, segment.index_name) == (SMALL + 1, "vector")
    engine.drop()


def test_who_only_searches_does_not_wait_for_the_writes_of_others(milvus):
    writer = open_engine(f"{milvus.uri}/waiting")
    writer.create(DESCRIPTION)
    rows = films(["a", "b"])
    writer.upsert(rows)
    reader = open_engine(f"{milvus.uri}/waiting")
    assert same(reader.fetch(["a", "b"]), rows)
    seconds = {engine: [] for engine in (writer, reader)}
    for _ in range(9):
        for engine, taken in seconds.items():
            start = perf_counter()
            engine.fetch(["a"])
            taken.append(perf_counter() - start)
    assert median(seconds[reader]) < median(seconds[writer]) / 2
    writer.drop()
