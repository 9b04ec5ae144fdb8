"""A small corpus that changes from round to round, and a small model that encodes it in no time."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import StaticEmbedding
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

SHARDS, SHARD_DOCUMENTS = 24, 80
DIMENSION = 32
WORDS = [f"word{number}" for number in range(500)]
TEXT_WORDS, QUERY_WORDS, QUERIES = 12, 3, 8
_EDITED, _REMOVED, _ADDED = 0.05, 0.02, 0.02
"""Shares of the documents that change from one version to the next; removals need no --remove at these shares."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document of the corpus."""

    title: str
    text: str
    year: int


@dataclass(frozen=True, slots=True)
class Version:
    """All documents at one time, by ID."""

    documents: Mapping[str, Document]
    added: int
    """How many there have been, for IDs that were never used."""

    @classmethod
    def first(cls, rng: Random) -> "Version":
        """Return the first version; its last shard is not full."""
        count = SHARDS * SHARD_DOCUMENTS - SHARD_DOCUMENTS // 3
        return cls({f"document {number}": _document(rng) for number in range(count)}, count)

    def next(self, rng: Random) -> "Version":
        """Return a version with documents edited, removed and added; removals shift all later shards."""
        documents = dict(self.documents)
        for doc_id in rng.sample(sorted(documents), int(_EDITED * len(documents))):
            documents[doc_id] = _document(rng)
        if rng.random() < 0.5:
            for doc_id in rng.sample(sorted(documents), int(_REMOVED * len(documents))):
                del documents[doc_id]
        new = range(self.added, self.added + int(_ADDED * len(documents)))
        return Version(documents | {f"document {number}": _document(rng) for number in new}, new.stop)

    def write(self, path: Path) -> None:
        """Write the corpus as ``boolattn encode`` reads it."""
        rows = (
            {"id": doc_id, "title": each.title, "text": each.text, "year": each.year}
            for doc_id, each in self.documents.items()
        )
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def some_queries(rng: Random) -> list[str]:
    """Return queries of words that documents contain."""
    return [" ".join(rng.sample(WORDS, QUERY_WORDS)) for _ in range(QUERIES)]


def save_model(folder: Path, seed: int) -> None:
    """Write a model with one random vector per word; a text's vector is their mean."""
    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate(["?", *WORDS])}, unk_token="?"))
    tokenizer.pre_tokenizer = Whitespace()
    weights = np.random.default_rng(seed).normal(size=(len(WORDS) + 1, DIMENSION)).astype(np.float32)
    module = StaticEmbedding(tokenizer, embedding_weights=weights)
    SentenceTransformer(modules=[module], device="cpu", similarity_fn_name="cosine").save(str(folder))


def _document(rng: Random) -> Document:
    text = " ".join(rng.choices(WORDS, k=TEXT_WORDS))
    return Document(rng.choice(WORDS), text, rng.randint(1900, 2030))
