"""Full-text search."""

import pytest

from boolattn.retrieval.index.open_index import open_index
from boolattn.retrieval.index.protocol import Filter
from tests.retrieval.backends import WITH_TEXT_SEARCH
from tests.retrieval.index.films import DESCRIPTION, YEAR, films

TITLES = ["The Running Dogs", "Cats", "Vietnam", "", "Dog, dog and dog"]
TEXTS = [
    "of war",
    "and dogs; it was the war",
    "a long tale of many other things and a dog somewhere in it",
    "café",
    "d",
]
METADATA = [{YEAR: 1990 + n} for n in range(5)]


@pytest.mark.parametrize("backend", WITH_TEXT_SEARCH)
@pytest.mark.parametrize("settled", [False, True])
def test_bm25_on_titles_and_texts(tmp_path, place_of, backend, settled):
    index = open_index(f"{place_of(backend, tmp_path)}/films")
    index.drop()
    index.create(DESCRIPTION)
    index.upsert(films("abcde", titles=TITLES, texts=TEXTS, metadata=METADATA))
    if settled:
        index.settle()

    def found(text, k=10, where=()):
        return [hit.doc_id for hit in index.search_text(text, k, where)]

    assert index.has_text
    assert found("runs") == ["a"]  # by its stem, in the title
    assert found("cafe") == ["d"]
    assert found("the and of it") == found("zebra") == found("") == []  # stop words, nothing, nothing
    dogs = found("dogs")
    assert (dogs[0], dogs[-1]) == ("e", "c")  # the most of it, and the longest
    assert set(dogs) == {"a", "b", "c", "e"} and found("dogs", 2) == dogs[:2]
    assert set(found("dogs", where=[Filter(YEAR, "<", 1992)])) == {"a", "b"}
    assert set(found('AND "dogs" OR NOT (cats:1)^2 * \\')) == {"a", "b", "c", "e"}  # words, no syntax
    scores = [hit.score for hit in index.search_text("war dogs", 10)]
    assert scores == sorted(scores, reverse=True) and scores[-1] > 0
    index.upsert(films("e", titles=["Birds"], metadata=[{}]))
    index.delete("a")
    assert set(found("dogs")) == {"b", "c"} and found("birds") == ["e"]


def test_milvus_says_that_it_cannot(milvus):
    index = open_index(f"{milvus.uri}/films")
    assert not index.has_text
    with pytest.raises(ValueError, match="has no full-text search"):
        index.search_text("dogs", 3)
