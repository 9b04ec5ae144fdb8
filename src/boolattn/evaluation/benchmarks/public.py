"""Public retrieval benchmarks that come with their own queries, corpus and judgements."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ir_measures import RR

from boolattn.data.beir import read_beir_corpus, read_beir_qrels, read_beir_queries
from boolattn.data.boolquestions import read_boolquestions, read_boolquestions_corpus
from boolattn.data.comlq import ComlqQuery, read_comlq_queries
from boolattn.data.folder import DataFolder
from boolattn.data.records import Document
from boolattn.data.stackfaq import read_stackfaq
from boolattn.evaluation.tasks import RetrievalTask
from boolattn.operators import NOT


def negconstraint(data: DataFolder) -> RetrievalTask:
    """NegConstraint: real queries of the form "X, but don't mention Y"."""
    task = _beir("negconstraint", data, "negconstraint", document_tokens=256)
    return replace(task, operators=dict.fromkeys(task.queries, frozenset([NOT.name])))


def limit_small(data: DataFolder) -> RetrievalTask:
    """LIMIT-small: 46 people and what they like."""
    return _beir("limit-small", data, "limit/limit-small", document_tokens=256)


def boolquestions(data: DataFolder) -> RetrievalTask:
    """BoolQuestions over MS MARCO: RR@10 of the right passages, and of those a question negates."""
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
    )


def comlq(data: DataFolder) -> RetrievalTask:
    """ComLQ's test half: passages that discuss what a query asks for."""
    group_of = {query.query_id: group for query, group in comlq_test_half(data).items()}
    task = _beir("comlq-half", data, "comlq", document_tokens=256)
    queries = {key: text for key, text in task.queries.items() if key in group_of}
    return replace(
        task,
        queries=queries,
        answers={key: task.answers[key] for key in queries},
        template_of={key: group_of[key] for key in queries},
    )


def comlq_test_half(data: DataFolder) -> dict[ComlqQuery, str]:
    """Return ComLQ's queries with an odd number, which no training uses, and whether each is negated."""
    queries = read_comlq_queries(data.path / "comlq", data.skip)
    return {query: "negated" if query.negated else "not negated" for query in queries if int(query.query_id) % 2}


def stackfaq(data: DataFolder) -> RetrievalTask:
    """StackFAQ: paraphrased questions, none of which excludes anything; the answers of their threads are wanted."""
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


def _beir(name: str, data: DataFolder, place: str, document_tokens: int) -> RetrievalTask:
    folder = data.path / place
    answers: dict[str, dict[str, int]] = {}
    for qrel in read_beir_qrels(folder, skip=data.skip):
        answers.setdefault(qrel.query_id, {})[qrel.doc_id] = qrel.relevance
    queries = {
        query.query_id: query.text for query in read_beir_queries(folder, data.skip) if query.query_id in answers
    }
    asked = {key: answers[key] for key in queries}  # judgements of a query that is not there are nobody's fault
    return RetrievalTask(
        name, queries, lambda: _texts(read_beir_corpus(folder, data.skip)), asked, document_tokens=document_tokens
    )


def _texts(documents: Iterable[Document]) -> Iterator[tuple[str, str]]:
    return ((document.doc_id, f"{document.title} {document.text}".strip()) for document in documents)
