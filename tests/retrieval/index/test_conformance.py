"""Requirements for every index, tested on each real one."""

import dataclasses
import random
from collections import Counter
from datetime import timedelta

import numpy as np
import pytest

from boolattn.retrieval.index.lance import lance_index as lance
from boolattn.retrieval.index.milvus import milvus_index as milvus
from boolattn.retrieval.index.open_index import open_index
from boolattn.retrieval.index.protocol import Filter, IndexDescription, WrongIndexError
from tests.retrieval.backends import BACKENDS
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
def index(index_uri):
    index = open_index(index_uri)
    index.create(DESCRIPTION)
    yield index
    index.close()


def test_the_description_is_kept_and_another_refused(index, index_uri):
    again = open_index(index_uri)
    assert again.describe() == DESCRIPTION
    again.create(dataclasses.replace(DESCRIPTION, model="the same by another name"))
    assert again.describe() == DESCRIPTION
    others = {"fingerprint": "other", "dimension": 5, "similarity": "dot", "metadata": {"year": "text"}}
    for part, value in others.items():
        with pytest.raises(WrongIndexError, match=part):
            again.create(dataclasses.replace(DESCRIPTION, **{part: value}))


def test_what_documents_are_can_be_declared_later(index, index_uri, monkeypatch):
    monkeypatch.setattr(lance, "SEEN_AFTER", timedelta(0))
    monkeypatch.setattr(milvus, "LOOKED_AFTER", 0)
    reader = open_index(index_uri)
    assert reader.describe().documents is None
    for documents in ("things", "pages"):
        index.declare(documents)
        declared = dataclasses.replace(DESCRIPTION, documents=documents)
        assert index.describe() == reader.describe() == open_index(index_uri).describe() == declared
        index.upsert(films(["a"]))
        index.settle()
        index.create(DESCRIPTION)
        assert open_index(index_uri).describe() == declared


def test_a_recreated_index_is_not_mistaken_for_the_old_one(index_uri, monkeypatch):
    monkeypatch.setattr(lance, "SEEN_AFTER", timedelta(0))
    monkeypatch.setattr(milvus, "LOOKED_AFTER", 0)
    old, other = open_index(index_uri), open_index(index_uri)
    old.create(DESCRIPTION)
    old.upsert(films(["a"]))
    other.drop()
    other.create(dataclasses.replace(DESCRIPTION, fingerprint="another"))
    other.upsert(films(["a"]))
    vector = np.ones(4, np.float32)
    asked = old.describe, lambda: old.search(vector, 1), lambda: old.nearest(vector[None], 1), lambda: old.fetch(["a"])
    for ask in asked:
        with pytest.raises(WrongIndexError, match="recreated"):
            ask()


def test_a_missing_index(index_uri):
    index = open_index(index_uri)
    vector = np.ones(4, np.float32)
    asked = (
        index.describe,
        index.count,
        index.shards,
        lambda: index.search(vector, 3),
        lambda: index.nearest(vector[None], 3),
        lambda: index.fetch(["a"]),
    )
    advice = "index_folder" if index_uri.startswith("memory") else "boolattn index"
    for ask in asked:
        with pytest.raises(WrongIndexError, match=f"there is no index {index_uri}: create it with `{advice}"):
            ask()
    index.drop()


def test_an_empty_index(index):
    index.settle()
    assert index.count() == 0 and index.shards() == {}
    assert index.search(np.ones(4, np.float32), 3) == []
    assert len(index.nearest(np.ones((1, 4), np.float32), 3)) == 0
    assert len(index.fetch(["a"])) == len(index.fetch([])) == 0
    index.upsert(films([]))
    index.delete([])
    index.delete(["a"])
    index.delete_shard("s")
    assert index.count() == 0


def test_any_string_is_an_id(index):
    rows = films(ODD_IDS)
    index.upsert(rows)
    assert index.count() == len(ODD_IDS)
    assert same(index.fetch(ODD_IDS), rows)
    backwards = index.fetch([*reversed(ODD_IDS), "not there", ODD_IDS[0]])
    assert backwards.ids == ODD_IDS[::-1]
    assert np.array_equal(backwards.vectors, rows.vectors[::-1])
    for vector, doc_id in zip(rows.vectors, ODD_IDS, strict=True):
        assert index.search(vector, 1)[0].doc_id == doc_id
    index.upsert(films(ODD_IDS, seed=1))
    assert index.count() == len(ODD_IDS)
    for doc_id in ODD_IDS[::2]:
        index.delete([doc_id])
    assert index.fetch(ODD_IDS).ids == ODD_IDS[1::2]


def test_scores_are_similarities(index):
    rows = films([str(n) for n in range(50)])
    index.upsert(rows)
    query = np.array([3, 1, -2, 0.5], np.float32)
    similarities = rows.vectors @ (query / np.linalg.norm(query))
    best = np.argsort(-similarities)
    for k in (7, 50, 60):
        hits = index.search(query, k)
        assert [hit.doc_id for hit in hits] == [str(n) for n in best[:k]]
        np.testing.assert_allclose([hit.score for hit in hits], similarities[best[:k]], atol=1e-5)


def test_scores_by_dot_product(index_uri):
    index = open_index(index_uri)
    index.create(IndexDescription("0123abcd", "a model", 4, "dot"))
    rows = films(["short", "long"])
    rows.vectors[:] = [[0.5, 0, 0, 0], [2, 2, 0, 0]]
    index.upsert(rows)
    hits = index.search(np.array([3, 0, 0, 0], np.float32), 2)
    assert [(hit.doc_id, round(hit.score, 4)) for hit in hits] == [("long", 6.0), ("short", 1.5)]
    assert same(index.fetch(["short", "long"]), rows)


@pytest.mark.parametrize(("k", "earliest"), [(1, 0), (100, 0), (100, 5990), (600, 0)])
def test_the_nearest_documents_are_those_that_a_search_finds(large, k, earliest):
    index, _, queries = large
    where = [Filter("year", ">=", earliest)] if earliest else []
    for query in queries[:3]:
        found = index.nearest(query[None], k, where)
        assert len(found) == min(k, 6000 - earliest)
        assert same(found, index.fetch([hit.doc_id for hit in index.search(query, k, where)]))
    several = [hit.doc_id for query in queries[:3] for hit in index.search(query, k, where)]
    assert same(index.nearest(queries[:3], k, where), index.fetch(several))


def test_writes_are_visible_to_others_and_after_reopening(index, index_uri):
    rows = films(["a", "b", "c"], metadata=[{"year": 1999, "rating": 7.5}, {"seen": False}, {}])
    index.upsert(rows)
    assert same(open_index(index_uri).fetch(["a", "b", "c"]), rows)
    index.settle()
    index.close()
    again = open_index(index_uri)
    assert again.count() == 3 and again.shards() == {"s": 3}
    assert same(again.fetch(["a", "b", "c"]), rows)
    assert again.search(rows.vectors[1], 1)[0].doc_id == "b"


def test_dropped_is_gone(index, index_uri):
    index.upsert(films(["a"]))
    index.drop()
    with pytest.raises(WrongIndexError):
        open_index(index_uri).count()
    index.create(dataclasses.replace(DESCRIPTION, fingerprint="another"))
    assert index.count() == 0 and index.describe().fingerprint == "another"


def test_any_order_of_writes_ends_as_in_a_dictionary(index):
    rng, expected = random.Random(0), {}
    ids = [f"doc {n}" for n in range(60)]
    for step in range(24):
        if rng.random() < 0.6:
            some, shard = rng.sample(ids, rng.randint(1, 20)), f"shard {rng.randint(0, 3)}"
            rows = films(some, shard=shard, seed=step, texts=[f"text {step}"] * len(some))
            index.upsert(rows)
            expected |= {
                doc_id: (shard, f"text {step}", vector) for doc_id, vector in zip(some, rows.vectors, strict=True)
            }
        elif rng.random() < 0.6:
            some = rng.sample(ids, rng.randint(1, 10))
            index.delete(some)
            expected = {doc_id: kept for doc_id, kept in expected.items() if doc_id not in some}
        elif rng.random() < 0.5:
            shard = f"shard {rng.randint(0, 3)}"
            index.delete_shard(shard)
            expected = {doc_id: kept for doc_id, kept in expected.items() if kept[0] != shard}
        else:
            index.settle()
        found = index.fetch(ids)
        assert found.ids == [doc_id for doc_id in ids if doc_id in expected]
        assert found.texts == [expected[doc_id][1] for doc_id in found.ids]
        assert all(
            np.array_equal(vector, expected[doc_id][2]) for doc_id, vector in zip(found.ids, found.vectors, strict=True)
        )
    assert index.count() == len(expected) > 20
    shards = [kept[0] for kept in expected.values()]
    assert index.shards() == {shard: shards.count(shard) for shard in set(shards)}
    some = list(expected)[::2]
    assert index.shards_of([*some, "missing"]) == Counter(expected[doc_id][0] for doc_id in some)
    assert index.shards_of([]) == {}
    assert {hit.doc_id for hit in index.search(np.ones(4, np.float32), 60)} == set(expected)


def test_a_batch_with_an_invalid_row_is_refused_completely(index):
    with pytest.raises(ValueError, match="dimension 4"):
        index.upsert(films(["a"], dimension=5))
    with pytest.raises(ValueError, match="'twice'"):
        index.upsert(films(["once", "twice", "twice"]))
    with pytest.raises(ValueError, match="'year' = 'old'"):
        index.upsert(films(["a", "b"], metadata=[{}, {"year": "old"}]))
    with pytest.raises(ValueError, match="'colour'"):
        index.search(np.ones(4, np.float32), 1, [Filter("colour", "=", "red")])
    assert index.count() == 0


def test_long_texts_are_truncated(index, index_uri):
    text = "é電🎬" * 20_000
    index.upsert(films(["long"], texts=[text]))
    [kept] = index.fetch(["long"]).texts
    if not index_uri.startswith("milvus"):
        assert kept == text
    else:
        assert text.startswith(kept) and 65_500 < len(("Title of long\n" + kept).encode()) <= 65_535


@pytest.mark.parametrize(("selectivity", "matching"), [(1, 6000), (0.1, 600), (0.01, 60)])
def test_filtered_recall(large, selectivity, matching):
    index, rows, queries = large
    chosen = np.array([fields["year"] < 6000 * selectivity for fields in rows.metadata])
    where = [Filter("year", "<", int(6000 * selectivity))] if selectivity < 1 else []
    k, recalls = min(100, matching), []
    for query in queries:
        best = np.argsort(-np.where(chosen, rows.vectors @ query, -9))[:k]
        found = {hit.doc_id for hit in index.search(query, 100, where)}
        assert len(found) == k
        recalls.append(len(found & {rows.ids[place] for place in best}) / k)
    assert chosen.sum() == matching
    assert np.mean(recalls) >= 0.95


@pytest.fixture(scope="module", params=BACKENDS)
def large(request, tmp_path_factory, place_of):
    """6,000 documents: more than are searched without an index."""
    index = open_index(f"{place_of(request.param, tmp_path_factory.mktemp('large'))}/large")
    index.create(dataclasses.replace(DESCRIPTION, dimension=32))
    years = random.Random(0).sample(range(6000), 6000)
    ids = [str(n) for n in range(6000)]
    rows = films(ids, dimension=32, metadata=[{"year": year} for year in years])
    index.upsert(rows)
    index.settle()
    yield index, rows, films(["q"] * 30, dimension=32, seed=1).vectors
    index.drop()
