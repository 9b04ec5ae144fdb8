"""The real files have as many rows as their publishers say."""

import os
import tracemalloc
from itertools import chain
from pathlib import Path

import pytest

from boolattn_lab.formats import (
    read_beir_corpus,
    read_beir_qrels,
    read_beir_queries,
    read_cdsco,
    read_debian_packages,
    read_debian_vocabulary,
    read_excluir_queries,
    read_films,
    read_pages,
    read_quest_queries,
    read_recipes,
)

DATA = Path(os.environ.get("BOOLATTN_DATA", ""))

pytestmark = pytest.mark.skipif(
    "BOOLATTN_DATA" not in os.environ, reason="set BOOLATTN_DATA to the folder of the real datasets"
)


@pytest.mark.parametrize(
    ("read", "name", "rows"),
    [
        (read_quest_queries, "quest/train.jsonl", 1307),
        (read_quest_queries, "quest/val.jsonl", 323),
        (read_quest_queries, "quest/test_reconstructed.jsonl", 1727),
        (read_quest_queries, "limit/limit_plus_queries.jsonl", 700),
        (read_films, "films/films.jsonl.zst", 34_532),
        (read_recipes, "recipes/recipes.jsonl.zst", 73_115),
        (read_debian_packages, "debian/packages.jsonl.zst", 63_620),
        (read_debian_vocabulary, "debian/vocabulary.txt", 32 + 642),
        (read_excluir_queries, "excluir/test_manual_final.json", 3452),
        (read_beir_corpus, "negconstraint", 3946),
        (read_beir_queries, "negconstraint", 366),
        (read_beir_qrels, "negconstraint", 366),
        (read_beir_corpus, "limit/limit-small", 46),
        (read_beir_queries, "limit/limit-small", 1000),
        (read_beir_qrels, "limit/limit-small", 2000),
    ],
)
def test_row_counts(read, name, rows):
    assert sum(1 for _ in read(DATA / name)) == rows


@pytest.mark.parametrize(
    ("stories", "sentences", "negations"),
    [(["train"], 3644, 984), (["dev"], 787, 173), (["circle", "cardboard"], 1089, 264)],
)
def test_cdsco_has_the_sentences_and_negations_of_the_shared_task(stories, sentences, negations):
    read = list(chain.from_iterable(read_cdsco(DATA / "cd-sco" / f"sherlock_{story}.txt") for story in stories))
    assert len(read) == sentences
    assert sum(len(sentence.negations) for sentence in read) == negations
    assert all(negation.cue for sentence in read for negation in sentence.negations)


def test_half_of_debian_is_tagged():
    packages = read_debian_packages(DATA / "debian" / "packages.jsonl.zst")
    assert sum(1 for package in packages if package.tags) == 29_830


def test_quest_marks_as_many_atoms_as_its_template_has_places():
    queries = chain(
        read_quest_queries(DATA / "quest" / "train.jsonl"), read_quest_queries(DATA / "quest" / "val.jsonl")
    )
    for query in queries:
        assert query.original_query is not None
        assert query.original_query.count("<mark>") == query.template.count("_")


def test_judgements_refer_to_existing_documents_and_queries():
    for folder in (DATA / "negconstraint", DATA / "limit" / "limit-small"):
        documents = {document.doc_id for document in read_beir_corpus(folder)}
        queries = {query.query_id for query in read_beir_queries(folder)}
        judged = list(read_beir_qrels(folder))
        assert {qrel.doc_id for qrel in judged} <= documents
        assert {qrel.query_id for qrel in judged} == queries


def test_a_large_corpus_is_streamed():
    tracemalloc.start()
    try:
        rows = sum(1 for _ in read_pages(DATA / "wiki-intros" / "wiki_intros.jsonl.zst"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert rows == 286_267
    assert peak < 2_000_000, f"{peak / 1e6:.1f} MB held while streaming"
