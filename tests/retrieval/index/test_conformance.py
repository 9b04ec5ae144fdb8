"""What every engine must do, asked of each for real."""

import dataclasses
import random
from datetime import timedelta

import numpy as np
import pytest

from boolattn.retrieval.index.lance import lance_index as lance
from boolattn.retrieval.index.milvus import milvus_index as milvus
from boolattn.retrieval.index.opening import open_engine
from boolattn.retrieval.index.protocol import Condition, IndexDescription, WrongIndexError
from tests.retrieval.index.films import DESCRIPTION, films, same

ODD_IDS = [
    "it's",
    'a "quoted" id',
    "back\\slash\\",
    "line\nbreak\ttab",
    "id in ['x'] or true",
    "100% _like_ %",
    "Ünïcode 電影 🎬",
    "\u2028\x7f\x01",
    " spaces ",
    "long " * 2000,
]


@pytest.fixture
def engine(engine_uri):
    engine = open_engine(engine_uri)
    engine.create(DESCRIPTION)
    yield engine
    engine.close()


def test_the_description_is_kept_and_another_refused(engine, engine_uri):
    again = open_engine(engine_uri)
    assert again.describe() == DESCRIPTION
    again.create(dataclasses.replace(DESCRIPTION, model="the same by another name"))
    assert again.describe() == DESCRIPTION
    others = {"fingerprint": "other", "dimension": 5, "similarity": "dot", "metadata": {"year": "text"}}
    for part, value in others.items():
        with pytest.raises(WrongIndexError, match=part):
            again.create(dataclasses.replace(DESCRIPTION, **{part: value}))


def test_an_index_that_was_made_anew_is_not_taken_for_the_old_one(engine_uri, monkeypatch):
    monkeypatch.setattr(lance, "SEEN_AFTER", timedelta(0))
    monkeypatch.setattr(milvus, "LOOKED_AFTER", 0)
    old, other = open_engine(engine_uri), open_engine(engine_uri)
    old.create(DESCRIPTION)
    old.upsert(films(["a"]))
    other.drop()
    other.create(dataclasses.replace(DESCRIPTION, fingerprint="another"))
    other.upsert(films(["a"]))
    for ask in (old.describe, lambda: old.search(np.ones(4, np.float32), 1), lambda: old.fetch(["a"])):
        with pytest.raises(WrongIndexError, match="made anew"):
            ask()


def test_an_index_that_is_not_there(engine_uri):
    engine = open_engine(engine_uri)
    vector = np.ones(4, np.float32)
    asked = (
        engine.describe,
        engine.count,
        engine.shards,
        lambda: engine.search(vector, 3),
        lambda: engine.fetch(["a"]),
    )
    for ask in asked:
        with pytest.raises(WrongIndexError, match="boolattn index"):
            ask()
    engine.drop()


def test_an_empty_index(engine):
    engine.settle()
    assert engine.count() == 0 and engine.shards() == {}
    assert engine.search(np.ones(4, np.float32), 3) == []
    assert len(engine.fetch(["a"])) == len(engine.fetch([])) == 0
    engine.upsert(films([]))
    engine.delete([])
    engine.delete(["a"])
    engine.delete_shard("s")
    assert engine.count() == 0


def test_any_string_is_an_id(engine):
    rows = films(ODD_IDS)
    engine.upsert(rows)
    assert engine.count() == len(ODD_IDS)
    assert same(engine.fetch(ODD_IDS), rows)
    backwards = engine.fetch([*reversed(ODD_IDS), "not there", ODD_IDS[0]])
    assert backwards.ids == ODD_IDS[::-1]
    assert np.array_equal(backwards.vectors, rows.vectors[::-1])
    for vector, doc_id in zip(rows.vectors, ODD_IDS, strict=True):
        assert engine.search(vector, 1)[0].doc_id == doc_id
    engine.upsert(films(ODD_IDS, seed=1))
    assert engine.count() == len(ODD_IDS)
    for doc_id in ODD_IDS[::2]:
        engine.delete([doc_id])
    assert engine.fetch(ODD_IDS).ids == ODD_IDS[1::2]


def test_scores_are_similarities(engine):
    rows = films([str(n) for n in range(50)])
    engine.upsert(rows)
    query = np.array([3, 1, -2, 0.5], np.float32)
    similarities = rows.vectors @ (query / np.linalg.norm(query))
    best = np.argsort(-similarities)
    for k in (7, 50, 60):
        hits = engine.search(query, k)
        assert [hit.doc_id for hit in hits] == [str(n) for n in best[:k]]
        np.testing.assert_allclose([hit.score for hit in hits], similarities[best[:k]], atol=1e-5)


def test_scores_by_dot_product(engine_uri):
    engine = open_engine(engine_uri)
    engine.create(IndexDescription("0123abcd", "a model", 4, "dot"))
    rows = films(["short", "long"])
    rows.vectors[:] = [[0.5, 0, 0, 0], [2, 2, 0, 0]]
    engine.upsert(rows)
    hits = engine.search(np.array([3, 0, 0, 0], np.float32), 2)
    assert [(hit.doc_id, round(hit.score, 4)) for hit in hits] == [("long", 6.0), ("short", 1.5)]
    assert same(engine.fetch(["short", "long"]), rows)


def test_writes_are_there_for_others_and_after_reopening(engine, engine_uri):
    rows = films(["a", "b", "c"], metadata=[{"year": 1999, "rating": 7.5}, {"seen": False}, {}])
    engine.upsert(rows)
    assert same(open_engine(engine_uri).fetch(["a", "b", "c"]), rows)
    engine.settle()
    engine.close()
    again = open_engine(engine_uri)
    assert again.count() == 3 and again.shards() == {"s": 3}
    assert same(again.fetch(["a", "b", "c"]), rows)
    assert again.search(rows.vectors[1], 1)[0].doc_id == "b"


def test_dropped_is_gone(engine, engine_uri):
    engine.upsert(films(["a"]))
    engine.drop()
    with pytest.raises(WrongIndexError):
        open_engine(engine_uri).count()
    engine.create(dataclasses.replace(DESCRIPTION, fingerprint="another"))
    assert engine.count() == 0 and engine.describe().fingerprint == "another"


def test_any_order_of_writes_ends_as_in_a_dictionary(engine):
    rng, expected = random.Random(0), {}
    ids = [f"doc {n}" for n in range(60)]
    for step in range(24):
        if rng.random() < 0.6:
            some, shard = rng.sample(ids, rng.randint(1, 20)), f"shard {rng.randint(0, 3)}"
            rows = films(some, shard=shard, seed=step, texts=[f"text {step}"] * len(some))
            engine.upsert(rows)
            expected |= {
                doc_id: (shard, f"text {step}", vector) for doc_id, vector in zip(some, rows.vectors, strict=True)
            }
        elif rng.random() < 0.6:
            some = rng.sample(ids, rng.randint(1, 10))
            engine.delete(some)
            expected = {doc_id: kept for doc_id, kept in expected.items() if doc_id not in some}
        elif rng.random() < 0.5:
            shard = f"shard {rng.randint(0, 3)}"
            engine.delete_shard(shard)
            expected = {doc_id: kept for doc_id, kept in expected.items() if kept[0] != shard}
        else:
            engine.settle()
        found = engine.fetch(ids)
        assert found.ids == [doc_id for doc_id in ids if doc_id in expected]
        assert found.texts == [expected[doc_id][1] for doc_id in found.ids]
        assert all(
            np.array_equal(vector, expected[doc_id][2]) for doc_id, vector in zip(found.ids, found.vectors, strict=True)
        )
    assert engine.count() == len(expected) > 20
    shards = [kept[0] for kept in expected.values()]
    assert engine.shards() == {shard: shards.count(shard) for shard in set(shards)}
    assert {hit.doc_id for hit in engine.search(np.ones(4, np.float32), 60)} == set(expected)


def test_rows_that_do_not_fit_are_refused_whole(engine):
    with pytest.raises(ValueError, match="dimension 4"):
        engine.upsert(films(["a"], dimension=5))
    with pytest.raises(ValueError, match="'twice'"):
        engine.upsert(films(["once", "twice", "twice"]))
    with pytest.raises(ValueError, match="'year' = 'old'"):
        engine.upsert(films(["a", "b"], metadata=[{}, {"year": "old"}]))
    with pytest.raises(ValueError, match="'colour'"):
        engine.search(np.ones(4, np.float32), 1, [Condition("colour", "=", "red")])
    assert engine.count() == 0


def test_long_texts_are_kept_as_far_as_they_fit(engine, engine_uri):
    text = "é電🎬" * 20_000
    engine.upsert(films(["long"], texts=[text]))
    [kept] = engine.fetch(["long"]).texts
    if engine_uri.startswith("lance"):
        assert kept == text
    else:
        assert text.startswith(kept) and 65_500 < len(("Title of long\n" + kept).encode()) <= 65_535


@pytest.mark.parametrize(("selectivity", "matching"), [(1, 6000), (0.1, 600), (0.01, 60)])
def test_filtered_recall(large, selectivity, matching):
    engine, rows, queries = large
    chosen = np.array([fields["year"] < 6000 * selectivity for fields in rows.metadata])
    where = [Condition("year", "<", int(6000 * selectivity))] if selectivity < 1 else []
    k, recalls = min(100, matching), []
    for query in queries:
        best = np.argsort(-np.where(chosen, rows.vectors @ query, -9))[:k]
        found = {hit.doc_id for hit in engine.search(query, 100, where)}
        assert len(found) == k
        recalls.append(len(found & {rows.ids[place] for place in best}) / k)
    assert chosen.sum() == matching
    assert np.mean(recalls) >= 0.95


@pytest.fixture(scope="module", params=["lance", "milvus"])
def large(request, tmp_path_factory):
    """6,000 documents: more than are searched without an index."""
    folder = tmp_path_factory.mktemp("large")
    where = f"lance://{folder}" if request.param == "lance" else request.getfixturevalue("milvus").uri
    engine = open_engine(f"{where}/large")
    engine.create(dataclasses.replace(DESCRIPTION, dimension=32))
    years = random.Random(0).sample(range(6000), 6000)
    ids = [str(n) for n in range(6000)]
    rows = films(ids, dimension=32, metadata=[{"year": year} for year in years])
    engine.upsert(rows)
    engine.settle()
    yield engine, rows, films(["q"] * 30, dimension=32, seed=1).vectors
    engine.drop()
