"""Public benchmarks: retrieval, and gold negation cues and scopes."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from ir_measures import RR

from boolattn.operators import NOT
from boolattn.reading.spans import Span
from boolattn_lab.benchmarks.tasks import LabelledSentence, NegationTask, RetrievalTask
from boolattn_lab.formats.beir import read_beir_corpus, read_beir_qrels, read_beir_queries
from boolattn_lab.formats.boolquestions import read_boolquestions, read_boolquestions_corpus
from boolattn_lab.formats.cdsco import CdscoSentence, read_cdsco
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.records import Document
from boolattn_lab.formats.stackfaq import read_stackfaq

TEST_STORIES = ("sherlock_circle.txt", "sherlock_cardboard.txt")


def negconstraint(data: DataFolder) -> RetrievalTask:
    """NegConstraint: real queries of the form "X, but don't mention Y"."""
    task = beir_task("negconstraint", data, "negconstraint", document_tokens=256)
    return replace(task, operators=dict.fromkeys(task.queries, frozenset([NOT.name])))


def limit_small(data: DataFolder) -> RetrievalTask:
    """LIMIT-small: 46 people and what they like."""
    return beir_task("limit-small", data, "limit/limit-small", document_tokens=256)


def boolquestions(data: DataFolder) -> RetrievalTask:
    """BoolQuestions over MS MARCO: RR@10 of the correct passages, and of those that a question negates."""
    folder = data.path / "boolquestions"
    folder.stat()
    questions = list(read_boolquestions("MSMARCO", str(folder), data.skip))
    return RetrievalTask(
        "boolquestions",
        {question.query_id: question.question for question in questions},
        lambda: _texts(read_boolquestions_corpus("MSMARCO", str(folder), data.skip)),
        {question.query_id: set(question.positives) for question in questions},
        [RR @ 10],
        negated={question.query_id: set(question.negatives) for question in questions if question.negatives},
        negated_measures=[RR @ 10],
        template_of={question.query_id: question.operator for question in questions},
        document_tokens=256,
        operators={question.query_id: frozenset([question.operator]) for question in questions},
    )


def stackfaq(data: DataFolder) -> RetrievalTask:
    """StackFAQ: paraphrased questions, none of which excludes anything; the answers in their threads are relevant."""
    threads = list(read_stackfaq(data.path / "stackfaq" / "threads.jsonl", data.skip))
    queries = {
        f"{number}-{paraphrase}": text
        for number, thread in enumerate(threads)
        for paraphrase, text in enumerate(thread.rephrased)
    }
    answers = [
        {f"{number}-{place}": text for place, text in enumerate(thread.answers)}
        for number, thread in enumerate(threads)
    ]
    return RetrievalTask(
        "stackfaq",
        queries,
        lambda: ((identifier, text) for each in answers for identifier, text in each.items()),
        {key: set(answers[int(key.partition("-")[0])]) for key in queries},
        [RR],
        document_tokens=256,
        compare_with_bare=True,
    )


def beir_task(name: str, data: DataFolder, place: str, document_tokens: int) -> RetrievalTask:
    """Return the retrieval task of a BEIR folder."""
    folder = data.path / place
    answers: dict[str, dict[str, int]] = {}
    for qrel in read_beir_qrels(folder, skip=data.skip):
        answers.setdefault(qrel.query_id, {})[qrel.doc_id] = qrel.relevance
    queries = {
        query.query_id: query.text for query in read_beir_queries(folder, data.skip) if query.query_id in answers
    }
    asked = {key: answers[key] for key in queries}  # qrels may contain unknown queries
    return RetrievalTask(
        name, queries, lambda: _texts(read_beir_corpus(folder, data.skip)), asked, document_tokens=document_tokens
    )


def _texts(documents: Iterable[Document]) -> Iterator[tuple[str, str]]:
    return ((document.doc_id, f"{document.title} {document.text}".strip()) for document in documents)


def cdsco(data: DataFolder) -> NegationTask:
    """CD-SCO (*SEM 2012), the two test stories."""
    stories = chain.from_iterable(read_cdsco(data.path / "cd-sco" / story, data.skip) for story in TEST_STORIES)
    return NegationTask("cdsco", [_labelled(sentence) for sentence in stories])


def _labelled(sentence: CdscoSentence) -> LabelledSentence:
    return LabelledSentence(
        sentence.text,
        _word_spans(sentence.words),
        [Span(*piece) for negation in sentence.negations for piece in negation.cue],
        [Span(*piece) for negation in sentence.negations for piece in negation.scope],
    )


def _word_spans(words: Iterable[str]) -> list[Span]:
    """Return the spans of words in a text that joins them with single spaces."""
    spans, start = [], 0
    for word in words:
        spans.append(Span(start, start + len(word)))
        start += len(word) + 1
    return spans
