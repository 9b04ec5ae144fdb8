"""ESCI-150: real shop queries over real products, judged by people. It ships with the laboratory, for tests only."""

from collections import defaultdict
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Literal

import msgspec
from ir_measures import nDCG

from boolattn_lab.benchmarks.tasks import RetrievalTask
from boolattn_lab.formats.jsonl import Filled, read_jsonl
from boolattn_lab.formats.query_labels import QueryLabels, read_query_labels

NEGATED, OTHERS = "negated", "others"
# ESCI's gains 1, 0.1, 0.01 and 0, times 100: nDCG depends on their ratios only, and judgements are whole numbers.
GRADES = {"E": 100, "S": 10, "C": 1}

_FOLDER = Path(str(files("boolattn_lab").joinpath("benchmarks", "data", "esci-150")))


class _Product(msgspec.Struct):
    id: Filled
    title: Filled
    text: str


class _Judgement(msgspec.Struct):
    query: Filled
    product_id: Filled
    label: Literal["E", "S", "C", "I"]


def task() -> RetrievalTask:
    """150 shop queries, 38 of which contain a negation; "others" contain none."""
    labels = labels_by_query()
    numbers: dict[str, str] = {}  # the queries have no IDs: they are numbered in the order of the file
    answers: dict[str, dict[str, int]] = defaultdict(dict)
    for row in read_jsonl(_FOLDER / "judgments.jsonl.zst", _Judgement):
        number = numbers.setdefault(row.query, str(len(numbers)))
        if row.label in GRADES:
            answers[number][row.product_id] = GRADES[row.label]
    return RetrievalTask(
        "esci-150",
        {number: query for query, number in numbers.items()},
        _products,
        answers,
        [nDCG @ 10],
        slice_of={number: NEGATED if query in labels else OTHERS for query, number in numbers.items()},
        document_tokens=256,
        documents_are="things",
    )


def labels_by_query() -> dict[str, QueryLabels]:
    """Return the queries with a negation, and what each excludes, as labelled by hand."""
    return {each.query: each for each in read_query_labels(_FOLDER / "negated.jsonl")}


def _products() -> Iterator[tuple[str, str]]:
    for row in read_jsonl(_FOLDER / "products.jsonl.zst", _Product):
        yield row.id, f"{row.title}. {row.text}" if row.text else row.title  # as `boolattn encode` joins them
