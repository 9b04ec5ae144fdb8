"""Validation queries that exclude a topic, over pages: for choosing settings, never for reporting.

Two sets, because word matching alone solves one of them. ``passages``: sentences of a page that mention another page's
name are unwanted, its other sentences are relevant. ``comlq-topics``: questions of ComLQ's validation half that exclude
the subject of a passage that BM25 confuses with the answer; the relevant passage may well mention that subject.
"""

import re
from dataclasses import replace
from random import Random

from boolattn.operators import NOT
from boolattn_lab.benchmarks.measures import RANKING_MEASURES, violation
from boolattn_lab.benchmarks.sets.generated import long_questions
from boolattn_lab.benchmarks.sets.public import beir_task
from boolattn_lab.benchmarks.systems import Bm25Retriever
from boolattn_lab.benchmarks.tasks import RetrievalTask
from boolattn_lab.catalogs.wordings.passage_wordings import EXCLUDED
from boolattn_lab.formats.beir import read_comlq_queries
from boolattn_lab.formats.folder import DataFolder

SEED = 0
CONFUSED = 10  # depth of BM25's ranking in which to look for an excluded subject
VALIDATION_PAGES = 120_000  # first page; those of the benchmark `questions` end long before

_CUE = re.compile(r"\{not\|([^}]+)\}")
_TITLE = re.compile(r"(.{3,60}?) \1\b")  # a ComLQ passage starts with its title, then often repeats it


def topic_validation(data: DataFolder) -> list[RetrievalTask]:
    """Return both sets."""
    return [replace(long_questions(data, VALIDATION_PAGES), name="passages"), comlq_topics(data)]


def comlq_topics(data: DataFolder) -> RetrievalTask:
    """Return the questions without negation of ComLQ's validation half, each with an exclusion added."""
    task = beir_task("comlq-topics", data, "comlq", document_tokens=256)
    plain = {query.query_id for query in read_comlq_queries(data.path / "comlq", data.skip) if not query.negated}
    asked = {key: text for key, text in task.queries.items() if key in plain and int(key) % 2 == 0}
    subject_of = {doc_id: title[1] for doc_id, text in task.documents() if (title := _TITLE.match(text))}
    ranked = Bm25Retriever().rank(asked, task.documents(), CONFUSED, task.document_tokens)
    rng = Random(f"{SEED} topics")
    queries: dict[str, str] = {}
    unwanted: dict[str, set[str]] = {}
    for key, text in asked.items():
        others = (
            doc_id for doc_id in ranked[key].documents if doc_id in subject_of and doc_id not in task.answers[key]
        )
        for doc_id in others:
            subject = re.sub(r" \(.*\)$", "", subject_of[doc_id])
            if subject.lower() not in text.lower():
                queries[key], unwanted[key] = _excluding(rng, text, subject), {doc_id}
                break
    return replace(
        task,
        queries=queries,
        answers={key: task.answers[key] for key in queries},
        measures=[*RANKING_MEASURES, violation @ 20],
        negated=unwanted,
        operators=dict.fromkeys(queries, frozenset([NOT.name])),
    )


def _excluding(rng: Random, text: str, subject: str) -> str:
    """Return a question with an exclusion before its final punctuation."""
    before, cue, after = _CUE.split(rng.choice(EXCLUDED))
    stem = text.rstrip(" .?")
    return stem + before + cue + after.replace("{y}", subject) + text[len(stem) :]
