"""Over pages, a query that excludes nothing gets the same hits as the model and index without boolattn."""

import uuid
from dataclasses import replace

import numpy as np
import pytest

from boolattn import DualEncoder
from boolattn.backbones.storage.fingerprint import document_fingerprint
from boolattn.reading.plan import QueryAtom
from boolattn.reading.spans import Span
from boolattn.retrieval.index.open_index import open_index
from boolattn.retrieval.index.protocol import IndexDescription, Rows
from boolattn.retrieval.search.hits import fuse
from boolattn.retrieval.search.searcher import Searcher, SearchSettings
from tests.retrieval.backends import BACKENDS
from tests.retrieval.search.vietnam import FILMS, QUERY

PLAIN = "stories of soldiers in Asia"
AND = "films that are set in Vietnam and also about soldiers"
OR = "films about either cooking or space travel"
SYNTAX = "Vietnam AND (war OR soldiers)"
PROPERTY = "films set in Vietnam that are not war films"  # over pages
ORDINARY = [PLAIN, AND, OR, PROPERTY]
HYBRID = SearchSettings(text=True)


@pytest.fixture(scope="module")
def models(minilm_folder, bare, by_rules):
    """A plain model, a Boolean one, and one whose mechanism acts on every operator."""
    return {"plain": bare, "Boolean": by_rules, "mechanism": DualEncoder.untrained(str(minilm_folder))}


@pytest.fixture(scope="module", params=BACKENDS)
def index(request, tmp_path_factory, place_of, bare):
    vectors = bare.encode(list(FILMS.values()), normalize_embeddings=True)
    found = open_index(f"{place_of(request.param, tmp_path_factory.mktemp('harm'))}/harm_{uuid.uuid4().hex}")
    found.create(IndexDescription(document_fingerprint(bare), "MiniLM", vectors.shape[1], "cosine"))
    found.upsert(Rows(list(FILMS), [""] * len(FILMS), list(FILMS.values()), vectors, [{}] * len(FILMS)))
    found.settle()
    yield found
    found.drop()


def pairs(hits):
    return [(hit.doc_id, hit.score) for hit in hits]


def differing(plain, *searches):
    """Return which searches find something else than a plain one, which is made before and after them.

    Some seconds after a write, Milvus moves it to another segment, where scores differ in their last bit.
    """
    while True:
        before = pairs(plain())
        found = [pairs(search()) for search in searches]
        if pairs(plain()) == before:
            return [hits for hits in found if hits != before]


@pytest.mark.parametrize("name", ["plain", "Boolean", "mechanism"])
@pytest.mark.parametrize("query", ORDINARY)
def test_dense_hits_are_those_of_one_plain_call_of_the_index(index, bare, models, name, query):
    searcher = Searcher(models[name], index, reader="rules")
    vector = bare.encode_query(query, normalize_embeddings=True)
    assert not differing(
        lambda: index.search(vector, 5),
        lambda: searcher.search(query, 5),
        lambda: searcher.rank(query, 5),
        lambda: searcher.search(searcher.read(query), 5),
    )
    assert all(hit.atoms == () and hit.text == FILMS[hit.doc_id] for hit in searcher.search(query, 5))


@pytest.mark.parametrize("query", ORDINARY)
def test_hybrid_hits_are_those_of_plain_hybrid_search(index, bare, models, query):
    searcher = Searcher(models["Boolean"], index, settings=HYBRID)
    unread = Searcher(models["Boolean"], index, settings=replace(HYBRID, plan=False))
    vector = bare.encode_query(query, normalize_embeddings=True)

    def plain():
        by_vector = index.search(vector, HYBRID.pool)
        # An index without full-text search has one list to rank, and nothing to join.
        joined = fuse([by_vector, index.search_text(query, HYBRID.pool)]) if index.has_text else by_vector
        return joined[:5]

    assert not differing(
        plain, lambda: searcher.search(query, 5), lambda: searcher.rank(query, 5), lambda: unread.search(query, 5)
    )


def test_these_queries_are_read_as_operators(index, models):
    """Otherwise, the tests above would prove nothing."""
    searcher = Searcher(models["Boolean"], index)
    assert [sorted(searcher.read(query).operators) for query in ORDINARY] == [
        [], ["and"], ["or"], ["not"],
    ]  # fmt: skip
    excluding = Searcher(models["Boolean"], index).search(QUERY, 5)
    assert pairs(excluding) != pairs(Searcher(models["Boolean"], index, act=False).search(QUERY, 5))
    assert all(np.isfinite(hit.score) for hit in excluding)


@pytest.mark.parametrize(("query", "documents"), [(SYNTAX, "pages"), (AND, "things"), (OR, "things")])
def test_a_plan_orders_the_candidates(index, models, query, documents):
    """Explicit syntax everywhere, and what is read as a condition where documents are things."""
    searcher = Searcher(models["plain"], index, reader="rules", documents=documents)
    hits = searcher.search(query, 5)
    assert all(hit.atoms for hit in hits)
    assert [atom.text for atom in hits[0].atoms] == [atom.text for atom in searcher.plan(query).atoms]


def test_pages_keep_a_query_with_and_whole(index, models):
    condition = Searcher(models["plain"], index, reader="rules").plan(AND).condition
    assert condition == QueryAtom(AND, Span(0, len(AND)))


@pytest.mark.parametrize("query", [AND, OR, SYNTAX, "stories of soldiers and cooks"])
def test_things_are_searched_plainly_if_nothing_is_acted_on(index, bare, models, query):
    searcher = Searcher(models["plain"], index, reader="rules", documents="things", act=False)
    vector = bare.encode_query(query, normalize_embeddings=True)
    assert not differing(lambda: index.search(vector, 5), lambda: searcher.search(query, 5))
