"""BoolQuestions: questions with *and*, *or* and *not* over MS MARCO and Natural Questions passages."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from boolattn_lab.formats.hub import read_hub
from boolattn_lab.formats.jsonl import Filled
from boolattn_lab.formats.records import Document
from boolattn_lab.formats.skipping import SkipBad

HUB_NAME = "ustc-zhangzm/BoolQuestions"

Subset = Literal["MSMARCO", "NaturalQuestions"]
OperatorName = Literal["and", "or", "not"]
_Id = str | int


@dataclass(frozen=True, slots=True)
class BoolQuestion:
    """One question, the IDs of passages that answer it, and of passages that only seem to answer it."""

    query_id: str
    question: str
    operator: OperatorName
    positives: tuple[str, ...]
    negatives: tuple[str, ...]


class _Passage(msgspec.Struct):
    passage_id: _Id


class _QuestionRow(msgspec.Struct):
    qid: _Id
    question: Filled
    question_type: OperatorName
    positive_ctxs: list[_Passage]
    negative_ctxs: list[_Passage]


class _DocumentRow(msgspec.Struct):
    docid: _Id
    doc: str
    title: str | None = None


def read_boolquestions(
    subset: Subset, source: str | Path = HUB_NAME, skip: SkipBad | None = None
) -> Iterator[BoolQuestion]:
    """Read the questions of a subset, from the Hub, a local copy of the dataset, or a file of its rows."""
    for row in read_hub(source, _QuestionRow, config=subset, split="eval", skip=skip):
        yield BoolQuestion(
            query_id=str(row.qid),
            question=row.question,
            operator=row.question_type,
            positives=_ids(row.positive_ctxs),
            negatives=_ids(row.negative_ctxs),
        )


def read_boolquestions_corpus(
    subset: Subset, source: str | Path = HUB_NAME, skip: SkipBad | None = None
) -> Iterator[Document]:
    """Read the passages of a subset; MS MARCO's have no titles."""
    for row in read_hub(source, _DocumentRow, config=f"{subset}-corpus", split="corpus", skip=skip):
        yield Document(str(row.docid), row.title or "", row.doc)


def _ids(passages: list[_Passage]) -> tuple[str, ...]:
    return tuple(str(passage.passage_id) for passage in passages)
