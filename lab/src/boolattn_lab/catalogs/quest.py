"""QUEST's documents and templates, and a catalog of the atoms marked in its queries."""

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from random import Random
from urllib.parse import unquote

from boolattn.operators import AND, NOT, OR
from boolattn_lab.catalogs.atoms import Column, Phrases
from boolattn_lab.catalogs.catalog import Catalog, build_catalog
from boolattn_lab.formats.catalogs import read_films, read_pages
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.quest import QuestQuery
from boolattn_lab.formats.records import Document

_COLUMN = Column("phrase", Phrases(noun=("{value}",), are=("{value}",)))
_ENTITIES = 200  # artificial; each has half of the phrases, so that any few phrases overlap


# The word in QUEST's seven templates that marks each operator.
_WORD_OF = {AND.name: "also", OR.name: " or ", NOT.name: "not"}
_MARKED = re.compile(r"<mark>(.*?)</mark>")


def phrases_catalog(phrases: Collection[str], seed: int) -> Catalog:
    """Build a catalog in which every phrase can be combined with every other."""
    known = sorted(set(phrases))
    rng = Random(f"{seed} phrases")
    rows = ((str(number), {"phrase": rng.sample(known, len(known) // 2)}) for number in range(_ENTITIES))
    return build_catalog(rows, [_COLUMN])


def template_operators(template: str) -> frozenset[str]:
    """Return the operators of a QUEST template."""
    return frozenset(name for name, word in _WORD_OF.items() if word in template)


def quest_atoms(queries: Iterable[QuestQuery]) -> list[str]:
    """Return the atoms marked in queries, in order and without repetitions."""
    return sorted({atom for query in queries for atom in _MARKED.findall(query.original_query or "")})


def quest_documents(data: DataFolder) -> Iterator[tuple[str, str]]:
    """Yield QUEST's own documents; a missing corpus raises immediately, not on the first read."""
    corpus = data.path / "quest" / "documents.jsonl"
    corpus.stat()
    return _texts(read_pages(corpus, data.skip))


def quest_partial_documents(data: DataFolder) -> Iterator[tuple[str, str]]:
    """Yield the films and Wikipedia introductions that are part of QUEST's corpus, one per title."""
    pages = read_pages(data.path / "wiki-intros" / "wiki_intros.jsonl.zst", data.skip)
    return _texts(_first_of_each_title(chain(_films(data), pages)))


def _films(data: DataFolder) -> Iterator[Document]:
    for film in read_films(data.path / "films" / "films.jsonl.zst", data.skip):
        if film.href and film.extract:
            title = unquote(film.href).replace("_", " ")  # Wikipedia's title, as in QUEST; unique
            yield Document(title, film.title, film.extract)


def _first_of_each_title(documents: Iterable[Document]) -> Iterator[Document]:
    seen: set[str] = set()
    for document in documents:
        if document.doc_id not in seen:
            seen.add(document.doc_id)
            yield document


def _texts(documents: Iterable[Document]) -> Iterator[tuple[str, str]]:
    return ((document.doc_id, f"{document.title}. {document.text}") for document in documents)
