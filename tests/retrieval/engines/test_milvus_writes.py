"""What can go wrong between a client and its server."""

from pymilvus import MilvusException

from boolattn.retrieval.engines.opening import open_engine
from tests.retrieval.engines.films import DESCRIPTION, films, same


def test_documents_are_there_once_though_the_answer_was_lost(milvus, monkeypatch):
    engine = open_engine(f"{milvus.uri}/lost")
    engine.create(DESCRIPTION)
    write, answers = engine._client.insert, []

    def write_and_lose_the_answer(*given, **settings):
        answers.append(write(*given, **settings))
        raise MilvusException(message="connection lost")

    monkeypatch.setattr(engine._client, "insert", write_and_lose_the_answer)
    rows = films([str(n) for n in range(20)])
    engine.upsert(rows)
    assert answers[0]["insert_count"] == 20
    assert engine.count() == 20 and engine.shards() == {"s": 20}
    assert same(engine.fetch(rows.ids), rows)
    engine.drop()
