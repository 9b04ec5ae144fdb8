"""Some documents to index, and how to find them."""

import operator

import numpy as np

from boolattn.retrieval.index.protocol import Filter, IndexDescription, Rows

FIELDS = {"year": "integer", "rating": "number", 'it\'s a "genre".é': "text", "seen": "boolean"}
YEAR, RATING, GENRE, SEEN = FIELDS
DESCRIPTION = IndexDescription("0123abcd", "a model", 4, "cosine", FIELDS)

COMPARISONS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda value, several: value in several,
}


def films(ids, *, shard="s", seed=0, titles=None, texts=None, metadata=None, dimension=4) -> Rows:
    """Documents of these ids with vectors of unit length."""
    vectors = np.random.default_rng(seed).normal(size=(len(ids), dimension)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    titles = titles or [f"Title of {doc_id}"[:50] for doc_id in ids]
    texts = texts or [f"What happens in {seed}"] * len(ids)
    return Rows(list(ids), titles, texts, vectors, metadata or [{}] * len(ids), shard)


def passes(fields, given: Filter) -> bool:
    """What a filter means: a document without the field passes none."""
    return given.name in fields and bool(COMPARISONS[given.comparison](fields[given.name], given.value))


def same(found: Rows, expected: Rows) -> bool:
    """Whether the documents are the same, shards aside."""
    texts = (found.ids, found.titles, found.texts, found.metadata)
    return texts == (
        list(expected.ids),
        list(expected.titles),
        list(expected.texts),
        list(expected.metadata),
    ) and np.array_equal(found.vectors, expected.vectors)
