import logging

import pytest

from boolattn.integrations import langchain, llama_index, reading_log
from boolattn.retrieval.index.protocol import Filter
from boolattn.retrieval.search.hits import AtomEffect, SearchHit, fields_with_reasons
from boolattn.retrieval.search.searcher import Searcher
from tests.reading.fixed_reader import FixedReader
from tests.retrieval.search.test_searcher import QUERY, filled, model  # noqa: F401, fixtures


@pytest.fixture(scope="module")
def searcher(model, filled):  # noqa: F811
    return Searcher(model, filled())


def test_langchain_gets_documents_with_the_reasons(searcher):
    found = langchain.BooleanRetriever(searcher=searcher, k=3).invoke(QUERY)
    assert [document.id for document in found] == [hit.doc_id for hit in searcher.search(QUERY, 3)]
    assert found[0].metadata["boolattn_score"] >= found[1].metadata["boolattn_score"]
    assert found[0].page_content and found[0].metadata["title"]
    assert any("war" in atom["text"] for atom in found[0].metadata["boolattn_atoms"])
    assert found[0].metadata["boolattn_reader"] == "rules 1"


def test_langchain_can_be_given_exclusions(searcher):
    found = langchain.BooleanRetriever(searcher=searcher, k=3).invoke("movies set in Vietnam, war", exclude=["war"])
    assert [atom["sign"] for atom in found[0].metadata["boolattn_atoms"]] == [1, -1]
    assert found[0].metadata["boolattn_reader"] == "caller"


def test_langchain_can_exclude_words_that_are_not_in_the_query(searcher):
    retriever = langchain.BooleanRetriever(searcher=searcher, k=3)
    for exclude in (["war"], {"war": 2}):
        atoms = retriever.invoke("movies set in Vietnam", exclude=exclude)[0].metadata["boolattn_atoms"]
        assert [(atom["text"], atom["sign"]) for atom in atoms] == [("movies set in Vietnam", 1), ("war", -1)]


def test_langchain_chains_take_it(searcher):
    chain = langchain.BooleanRetriever(searcher=searcher, k=2) | (lambda found: [document.id for document in found])
    assert chain.invoke(QUERY) == [hit.doc_id for hit in searcher.search(QUERY, 2)]


def test_llama_index_gets_nodes_with_scores(searcher):
    found = llama_index.BooleanRetriever(searcher, k=3).retrieve(QUERY)
    assert [node.node.node_id for node in found] == [hit.doc_id for hit in searcher.search(QUERY, 3)]
    assert found[0].score >= found[1].score
    assert any("war" in atom["text"] for atom in found[0].node.metadata["boolattn_atoms"])
    assert "boolattn" not in found[0].node.get_content("llm"), "reasons are for people, not for prompts"


def test_fields_of_documents_stay():
    hit = SearchHit(
        "a", 2.0, "ours", "a text", {"title": "theirs", "score": 42}, (AtomEffect("war", -1, -1.0),), "rules 1"
    )
    assert fields_with_reasons(hit) == {
        "title": "theirs",
        "score": 42,
        "boolattn_score": 2.0,
        "boolattn_atoms": [{"text": "war", "sign": -1, "effect": -1.0, "found": ""}],
        "boolattn_reader": "rules 1",
    }


def test_filters_apply_in_both(searcher):
    where = [Filter("colour", "=", True)]
    for found in (
        langchain.BooleanRetriever(searcher=searcher, where=where).invoke(QUERY),
        [each.node for each in llama_index.BooleanRetriever(searcher, where=where).retrieve(QUERY)],
    ):
        assert found and all(each.metadata["colour"] is True for each in found)


def asked_by_langchain(searcher, query):
    return [each.id for each in langchain.BooleanRetriever(searcher=searcher, k=3).invoke(query)]


def asked_by_llama_index(searcher, query):
    return [each.node.node_id for each in llama_index.BooleanRetriever(searcher, k=3).retrieve(query)]


@pytest.fixture(params=[asked_by_langchain, asked_by_llama_index])
def ask(request, caplog):
    reading_log.say_once.cache_clear()
    caplog.set_level(logging.INFO, "boolattn")
    return request.param


UNSURE = FixedReader("river", confidence=0.2)


@pytest.mark.parametrize(
    ("options", "query", "told"),
    [
        (
            {"reader": UNSURE},
            "the river",
            "less sure than strictness='safe' asks for over pages: strictness='sensitive' ap",
        ),
        (
            {"reader": "rules"},
            "films that are not long",
            "properties, because pages discuss those anyway: documents='things'",
        ),
        ({"reader": "rules", "act": False}, QUERY, "act is off: act=True applies them"),
        (
            {"reader": "rules"},
            "films, no river" + " or lake" * 600,
            "more than 4,096 characters are not read: shorten them",
        ),
    ],
    ids=["unsure", "property", "off", "long"],
)
def test_why_an_exclusion_is_not_applied_is_logged_once_per_reason(model, filled, ask, caplog, options, query, told):  # noqa: F811
    searcher = Searcher(model, filled(), **options)
    expected = [hit.doc_id for hit in searcher.search(query, 3)]
    for asked in (query, query, f"{query} "):
        assert ask(searcher, asked) == expected
    [record] = caplog.records
    assert record.levelname == "INFO" and record.name == "boolattn" and told in record.message
    assert not any(word in record.message for word in ("river", "long", "war"))


def test_another_reason_is_logged_too_and_nothing_else(model, filled, ask, caplog):  # noqa: F811
    for options in ({"reader": UNSURE}, {"reader": "rules"}, {"reader": UNSURE}):
        searcher = Searcher(model, filled(), **options)
        for query in ("the river", "films that are not long", QUERY, "ships"):
            ask(searcher, query)
    assert len({record.message for record in caplog.records}) == len(caplog.records) == 2


def test_while_the_log_is_off_nothing_is_said_and_nothing_is_forgotten(model, filled, ask, caplog):  # noqa: F811
    searcher = Searcher(model, filled(), reader=UNSURE)
    caplog.set_level(logging.WARNING, "boolattn")
    ask(searcher, "the river")
    assert caplog.records == []
    caplog.set_level(logging.INFO, "boolattn")
    ask(searcher, "the river")
    assert len(caplog.records) == 1
