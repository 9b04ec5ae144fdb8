"""What can go wrong between a client and its server."""

import pytest
from pymilvus import MilvusException

from boolattn.retrieval.engines.milvus_settling import SMALL
from boolattn.retrieval.engines.opening import open_engine
from tests.retrieval.engines.films import DESCRIPTION, films, same


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
