"""What a Boolean model costs, and changes, where there is nothing Boolean: next to its own backbone, in one process."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from sentence_transformers import SentenceTransformer

from boolattn.bench.overhead import medians_of
from boolattn.data.beir import read_beir_queries
from boolattn.data.folder import DataFolder
from boolattn.data.quest import QuestQuery, read_quest_queries
from boolattn.encoders.dual_encoder import DualEncoder
from boolattn.encoders.vectors.signed_pooling import UNWANTED
from boolattn.generation.domains.quest import template_operators
from boolattn.operators import NOT

_CONSTRAINT = re.compile(
    r"[,.;?(]|\b(?:but|without|while|excluding|except|avoid|other than|besides|outside of|does not|do not|non)\b",
    re.IGNORECASE,
)
_MARKED = re.compile("<mark>(.*?)</mark>")
QUERIES = 1000
BATCH = 32


@dataclass(frozen=True)
class QueryCost:
    """What was found.

    Attributes:
        ordinary: How many queries without operator were encoded.
        false_alarms: In how many of them the model sees an exclusion; these are left out of the next two.
        identical: Whether the vectors of the others equal the backbone's, to the bit.
        ordinary_ratio: Time of ``encode_query`` over the backbone's ``encode``, ordinary queries.
        excluding: How many queries that exclude something were encoded.
        excluding_ratio: The same for these.
    """

    ordinary: int
    false_alarms: int
    identical: bool
    ordinary_ratio: float
    excluding: int
    excluding_ratio: float


def measure_query_cost(model: DualEncoder, data: DataFolder, seconds: float) -> QueryCost:
    """Encode real queries with the model and with its backbone, by turns."""
    bare = model.documents()
    model.options = model.options.changed(documents="things")  # on which every exclusion is acted on
    everything = list(islice(ordinary_queries(data), QUERIES))
    ordinary = [query for query in everything if not _sees_exclusion(model, query)]
    excluding = [query.query for query in _quest(data) if NOT.name in template_operators(query.template)]
    medians = medians_of(
        {
            "bare ordinary": lambda: _encode(bare, ordinary),
            "ordinary": lambda: _encode_queries(model, ordinary),
            "bare excluding": lambda: _encode(bare, excluding),
            "excluding": lambda: _encode_queries(model, excluding),
        },
        seconds,
    )
    return QueryCost(
        ordinary=len(everything),
        false_alarms=len(everything) - len(ordinary),
        identical=np.array_equal(_encode(bare, ordinary), _encode_queries(model, ordinary)),
        ordinary_ratio=medians["ordinary"] / medians["bare ordinary"],
        excluding=len(excluding),
        excluding_ratio=medians["excluding"] / medians["bare excluding"],
    )


def _sees_exclusion(model: DualEncoder, query: str) -> bool:
    features = model(model.preprocess([query], task="query"), task="query")
    return UNWANTED in features and bool(features[UNWANTED].any())


def ordinary_queries(data: DataFolder) -> Iterator[str]:
    """Yield queries that hold no operator: QUEST's single atoms, and NegConstraint's queries up to their constraint."""
    seen: set[str] = set()
    for query in _candidates(data):
        if query not in seen:
            seen.add(query)
            yield query


def _candidates(data: DataFolder) -> Iterator[str]:
    quest = list(_quest(data))
    yield from (query.query for query in quest if query.template == "_")
    for query in read_beir_queries(data.path / "negconstraint", data.skip):
        yield _CONSTRAINT.split(query.text)[0].strip()  # by a fixed pattern, not by the rules that are being judged
    for each in quest:
        if each.template != "_":
            yield from _MARKED.findall(each.original_query or "")


def _quest(data: DataFolder) -> Iterator[QuestQuery]:
    for path in sorted((data.path / "quest").glob("*.jsonl")):
        if path.name != "documents.jsonl":
            yield from read_quest_queries(path, data.skip)


def _encode(model: SentenceTransformer, queries: Sequence[str]) -> Any:
    return model.encode(list(queries), batch_size=BATCH, show_progress_bar=False)


def _encode_queries(model: DualEncoder, queries: Sequence[str]) -> Any:
    return model.encode_query(list(queries), batch_size=BATCH, show_progress_bar=False)
