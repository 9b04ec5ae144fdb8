"""One model and one index, shared by eight threads that encode, plan, search and explain."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import settings

from boolattn import DualEncoder, ReadingOptions, Searcher, explain, open_index
from boolattn.backbones.storage.fingerprint import document_fingerprint
from boolattn.retrieval.index.protocol import IndexDescription, Rows
from tests.retrieval.search.vietnam import FILMS, QUERY

CALLS = 2 * settings.default.max_examples  # 200; 2,000 with --hypothesis-profile=search
THREADS = 8
QUERIES = [
    QUERY,
    "war films",
    "films without war",
    "a love story in Hanoi or a cooking show, but nothing about soldiers and their trenches",
    "cowboys NOT space",
]


@pytest.fixture(scope="module", params=["learned", "rules"])
def searcher(request, start):
    model = DualEncoder.training_free(start)
    model.options = ReadingOptions(reader=request.param)
    vectors = model.encode_document(list(FILMS.values()), normalize_embeddings=True)
    index = open_index(f"memory://threads-{request.param}")
    index.create(IndexDescription(document_fingerprint(model), "small", vectors.shape[1], "cosine", {}))
    index.upsert(Rows(list(FILMS), [""] * len(FILMS), list(FILMS.values()), vectors, [{}] * len(FILMS)))
    return model, Searcher(model, index)


def call(number, model, searcher):
    query = QUERIES[number // 4 % len(QUERIES)]
    kind = number % 4
    if kind == 0:
        return model.encode_query([query, *QUERIES[:2]]).tobytes()
    if kind == 1:
        return str(model.plan(query))
    if kind == 2:
        return [(hit.doc_id, hit.score) for hit in searcher.search(query, 5)]
    explained = explain(model, query)
    return explained.attention_after.tobytes(), explained.biases.tobytes(), explained.readout.tobytes()


def test_threads_get_the_same_results_as_a_single_thread(searcher):
    kinds = 4 * len(QUERIES)
    alone = [call(number, *searcher) for number in range(kinds)]
    with ThreadPoolExecutor(THREADS) as threads:
        together = list(threads.map(lambda number: call(number, *searcher), range(CALLS)))
    assert [number for number, found in enumerate(together) if found != alone[number % kinds]] == []


def test_explaining_does_not_change_the_model(start):
    model = DualEncoder.training_free(start)
    before = model.encode_query(QUERIES)
    modules = {name: id(module) for name, module in model.named_modules()}
    explain(model, QUERY, exclude=["war"])
    assert model.tower.encoder.config._attn_implementation == "sdpa"
    assert {name: id(module) for name, module in model.named_modules()} == modules
    assert np.array_equal(model.encode_query(QUERIES), before)
