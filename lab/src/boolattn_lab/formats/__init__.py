"""Public formats -> records.

Every loader is an iterator that streams its file (plain, ``.gz`` or ``.zst``). A malformed row raises
``BadRowError``, or is skipped and counted if the loader is given a ``SkipBad``.
"""

from boolattn.retrieval.corpus.bad_rows import BadRowError, Place
from boolattn_lab.formats.beir import (
    ComlqQuery,
    read_beir_corpus,
    read_beir_qrels,
    read_beir_queries,
    read_comlq_queries,
)
from boolattn_lab.formats.boolquestions import BoolQuestion, read_boolquestions, read_boolquestions_corpus
from boolattn_lab.formats.catalogs import (
    DebianPackage,
    DebianTerm,
    Film,
    Recipe,
    read_debian_packages,
    read_debian_vocabulary,
    read_films,
    read_pages,
    read_recipes,
)
from boolattn_lab.formats.cdsco import CdscoSentence, Negation, read_cdsco
from boolattn_lab.formats.pairs import (
    DocumentPair,
    ExcluirQuery,
    NevirPair,
    read_document_pairs,
    read_excluir_corpus,
    read_excluir_queries,
    read_nevir,
)
from boolattn_lab.formats.query_labels import QueryLabels, read_query_labels
from boolattn_lab.formats.quest import QuestQuery, read_quest_queries
from boolattn_lab.formats.records import Document, Qrel, Query
from boolattn_lab.formats.setbert import SetBertTriple, read_setbert_triples
from boolattn_lab.formats.skipping import SkipBad
from boolattn_lab.formats.stackfaq import StackFaqThread, read_stackfaq
from boolattn_lab.formats.trec import RunEntry, read_trec_qrels, read_trec_run, write_trec_qrels, write_trec_run

__all__ = [
    "BadRowError",
    "BoolQuestion",
    "CdscoSentence",
    "ComlqQuery",
    "DebianPackage",
    "DebianTerm",
    "Document",
    "DocumentPair",
    "ExcluirQuery",
    "Film",
    "Negation",
    "NevirPair",
    "Place",
    "Qrel",
    "Query",
    "QueryLabels",
    "QuestQuery",
    "Recipe",
    "RunEntry",
    "SetBertTriple",
    "SkipBad",
    "StackFaqThread",
    "read_beir_corpus",
    "read_beir_qrels",
    "read_beir_queries",
    "read_boolquestions",
    "read_boolquestions_corpus",
    "read_cdsco",
    "read_comlq_queries",
    "read_debian_packages",
    "read_debian_vocabulary",
    "read_document_pairs",
    "read_excluir_corpus",
    "read_excluir_queries",
    "read_films",
    "read_nevir",
    "read_pages",
    "read_query_labels",
    "read_quest_queries",
    "read_recipes",
    "read_setbert_triples",
    "read_stackfaq",
    "read_trec_qrels",
    "read_trec_run",
    "write_trec_qrels",
    "write_trec_run",
]
