"""Reranking in two protocols: Cohere's and text-embeddings-inference's (TEI)."""

from collections.abc import Sequence
from functools import partial
from typing import Any
from uuid import uuid4

import msgspec
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from boolattn.plans.rerank import Ranked, RankedTexts, rerank
from boolattn.plans.word_matching import LONGEST_TEXT
from boolattn.service import metrics
from boolattn.service.documented import PROBLEMS, TEI_PROBLEMS
from boolattn.service.jobs import Job, read_query
from boolattn.service.problems import Problem, too_large
from boolattn.service.rerank_schemas import CohereRerank, CohereRerankAnswer, HowToRerank, TeiRank, TeiRerank
from boolattn.service.state import Service, service_of

router = APIRouter(tags=["reranking"])


@router.post("/v2/rerank", response_model=CohereRerankAnswer, responses=PROBLEMS)
async def cohere_rerank(asked: CohereRerank, request: Request) -> Response:
    """Order documents as Cohere does, by what the query wants and excludes; their given order is the first stage."""
    texts = asked.documents
    if asked.max_tokens_per_doc is not None:
        texts = [_first_words(text, asked.max_tokens_per_doc) for text in texts]
    found = await _ranked(request, asked, texts)
    results = [
        {"index": each.place, "relevance_score": score} | _atoms(asked, each)
        for each, score in zip(found, relevance(found, len(texts)), strict=True)
    ]
    meta: dict[str, Any] = {"api_version": {"version": "2"}, "billed_units": {"search_units": 0}}
    dropped = {"dropped": found.dropped} if asked.drop else {}
    return _json({"id": str(uuid4()), "results": results[: asked.top_n], "meta": meta} | dropped)


@router.post("/rerank", response_model=list[TeiRank], responses=TEI_PROBLEMS)
async def tei_rerank(asked: TeiRerank, request: Request) -> Response:
    """Order texts as text-embeddings-inference does; their given order is the first stage."""
    longest = max(map(len, asked.texts), default=0)
    if asked.truncate is False and longest > LONGEST_TEXT:
        read = f"a text has {longest:,} characters, and {LONGEST_TEXT:,} are read"
        raise too_large(f"{read}: shorten it, or allow truncation")
    found = await _ranked(request, asked, asked.texts)
    scores = [each.score for each in found] if asked.raw_scores else relevance(found, len(asked.texts))
    ranks = [
        {"index": each.place, "score": score}
        | ({"text": asked.texts[each.place]} if asked.return_text else {})
        | _atoms(asked, each)
        for each, score in zip(found, scores, strict=True)
    ]
    return _json(ranks)


async def _ranked(request: Request, asked: HowToRerank, texts: list[str]) -> RankedTexts:
    """Read the query and rank, in a thread."""
    service = service_of(request)
    if not texts:
        raise Problem(422, "there is no text to rank: send at least one")
    service.require_texts(texts)
    service.require_texts([asked.query])
    return await service.in_thread(request, partial(_read_and_rank, service, asked, texts))


def _read_and_rank(service: Service, asked: HowToRerank, texts: list[str]) -> RankedTexts:
    options = asked.options(service.encoder.options)
    _, applied = read_query(Job(asked.query, "query", options=options, exclude=asked.exclude, in_full=True))
    with metrics.timed("reranking"):
        return rerank(applied, texts, documents=options.documents, strictness=options.strictness, drop=asked.drop)


def relevance(found: Sequence[Ranked], count: int) -> list[float]:
    """Return scores from 0 to 1 in the same order: stretched or shrunk to 1 for the best and 1 / N for the worst of N.

    These are the scores of a query without operators: the order of the first stage, in even steps.
    """
    scores = [each.score for each in found]
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    if low == high:
        return [1.0] * len(scores)
    return [round(1 / count + (score - low) / (high - low) * (1 - 1 / count), 6) for score in scores]


def _atoms(asked: HowToRerank, ranked: Ranked) -> dict[str, Any]:
    return {"atoms": ranked.atoms} if asked.atoms else {}


def _first_words(text: str, count: int) -> str:
    return " ".join(text.split(maxsplit=count)[:count])


def _json(value: Any) -> Response:
    return Response(msgspec.json.encode(value), media_type="application/json")
