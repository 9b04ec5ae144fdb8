"""The isolation of an index in memory."""

import numpy as np

from boolattn.retrieval.index.memory import MemoryIndex
from tests.retrieval.index.films import DESCRIPTION, films, same


def test_later_changes_by_the_caller_do_not_affect_the_index():
    index, fields = MemoryIndex(), {"year": 1990}
    index.create(DESCRIPTION)
    rows = films(["a"], metadata=[fields])
    index.upsert(rows)
    rows.vectors[:] = 0
    fields["year"] = 1991
    found = index.fetch(["a"])
    assert found.metadata == [{"year": 1990}] and np.linalg.norm(found.vectors) > 0.9
    found.vectors[:] = 0
    found.metadata[0]["year"] = 1992
    assert same(index.fetch(["a"]), films(["a"], metadata=[{"year": 1990}]))


def test_documents_without_words_match_no_query():
    index = MemoryIndex()
    index.create(DESCRIPTION)
    assert index.search_text("war", 3) == []
    index.upsert(films(["a", "b"], titles=["", "the"], texts=["", "of"]))
    assert index.search_text("war", 3) == index.search_text("", 3) == []
