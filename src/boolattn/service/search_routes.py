"""Reading, explaining and searching, and documents of an index."""

import dataclasses
from functools import partial
from threading import Event
from typing import Any

import msgspec
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from boolattn.plans.search_plan import search_plan
from boolattn.reading.options import ReadingOptions
from boolattn.reading.reading import Reading
from boolattn.service.documented import PROBLEMS, WRITE_PROBLEMS
from boolattn.service.engine_calls import WatchedIndex
from boolattn.service.jobs import Encoded, Job, read_query
from boolattn.service.problems import Problem
from boolattn.service.schemas import (
    DeleteDocuments,
    ExplainAnswer,
    PutDocuments,
    ReadAnswer,
    ReadRequest,
    SearchAnswer,
    SearchRequest,
    WrittenAnswer,
)
from boolattn.service.state import Service, service_of

router = APIRouter(tags=["search"])


@router.post("/v1/read", response_model=ReadAnswer, responses=PROBLEMS)
async def read(asked: ReadRequest, request: Request) -> Response:
    """Read a query: its operators, what it excludes and how confidently, and the plan that is acted on."""
    service = service_of(request)
    service.require_texts([asked.query])
    job = Job(asked.query, "query", options=asked.options(service.encoder.options), exclude=asked.exclude, in_full=True)
    reading, applied = await service.in_thread(request, partial(read_query, job))
    return _json(_understood(reading, applied, job.options))


@router.post("/v1/explain", response_model=ExplainAnswer, responses=PROBLEMS)
async def explain(asked: ReadRequest, request: Request) -> Response:
    """Explain how a query is read and, for a Boolean model, how that changes attention and its vector."""
    service = service_of(request)
    service.require_texts([asked.query])
    if service.settings.upstream:
        raise Problem(404, "this service embeds through another server, whose attention it cannot see: use /v1/read")
    explanation = await service.in_thread(request, partial(_explain, service, asked))
    return _json({"explanation": explanation})


@router.post("/v1/search", response_model=SearchAnswer, responses=PROBLEMS)
async def search(asked: SearchRequest, request: Request) -> Response:
    """Search an index, with the reasons for each hit's rank."""
    service, name = service_of(request), service_of(request).index_name(asked.index)
    if asked.k > service.settings.max_k:
        raise Problem(413, f"k is {asked.k}, and at most {service.settings.max_k} hits are allowed")
    searcher = await service.in_engine(request, name, partial(service.searcher, name))
    job = Job(
        asked.query,
        "query",
        searcher.normalises,
        options=asked.options(searcher.options),
        exclude=asked.exclude,
        in_full=True,
    )
    encoded = await service.encode(request, [job])
    if asked.plain or (encoded[0].applied and encoded[0].applied.exclusions):  # candidates are near the plain one too
        plain_job = dataclasses.replace(job, options=job.options.changed(act=False), exclude=())
        encoded += await service.encode(request, [plain_job])
    hits, plain = await service.in_engine(request, name, partial(_search, service, name, asked, job.options, encoded))
    reading, applied = encoded[0].reading, encoded[0].applied
    assert reading is not None and applied is not None
    answer = _understood(reading, applied, job.options) | {"index": name, "hits": hits}
    return _json(answer | ({"plain": plain} if asked.plain else {}))


@router.put("/v1/documents", response_model=WrittenAnswer, responses=WRITE_PROBLEMS)
async def put_documents(asked: PutDocuments, request: Request) -> Response:
    """Encode documents and write them to an index. Once this is answered, they are stored and can be found."""
    from boolattn.retrieval.corpus.documents import CorpusDocument

    service, name = service_of(request), service_of(request).index_name(asked.index)
    searcher = await service.in_engine(request, name, partial(service.searcher, name))
    documents = [CorpusDocument(each.id, each.title, each.text, each.metadata) for each in asked.documents]
    jobs = [Job(each.to_encode(), "document", searcher.normalises) for each in documents]
    encoded = await service.encode(request, jobs)
    await service.in_engine(request, name, partial(_write, service, name, documents, encoded))
    return _json({"index": name, "documents": len(documents)})


@router.delete("/v1/documents", response_model=WrittenAnswer, responses=WRITE_PROBLEMS)
async def delete_documents(asked: DeleteDocuments, request: Request) -> Response:
    """Remove documents from an index. Once this is answered, they are no longer found."""
    service, name = service_of(request), service_of(request).index_name(asked.index)
    service.require_texts(asked.ids)
    await service.in_engine(request, name, partial(_delete, service, name, asked.ids))
    return _json({"index": name, "documents": len(asked.ids)})


def _explain(service: Service, asked: ReadRequest) -> dict[str, Any]:
    from boolattn.explanation.query import explain as explain_query

    model: Any = service.encoder
    options = {name: getattr(asked, name) for name in ("documents", "strictness", "syntax", "act")}
    return explain_query(model.model, asked.query, exclude=asked.exclude, **options).to_dict()


def _search(
    service: Service,
    name: str,
    asked: SearchRequest,
    options: ReadingOptions,
    encoded: list[Encoded],
    abandoned: Event,
) -> tuple[list[Any], list[Any]]:
    """Return the hits of a query that has been read and encoded, and those of the plain model if asked for."""
    from boolattn.retrieval.search.filter_syntax import filter_of
    from boolattn.retrieval.search.searcher import SearchSettings

    searcher = service.searcher(name, abandoned)
    index: Any = WatchedIndex(searcher.index, abandoned)
    described = index.describe()
    filters = [filter_of(each, described) for each in asked.where]
    settings = SearchSettings(text=asked.hybrid, verify=asked.verify, strength=asked.strength)
    ours = searcher.with_vector(encoded[0].vector, encoded[-1].vector, index=index, settings=settings, options=options)
    assert encoded[0].applied is not None
    hits = [dataclasses.asdict(hit) for hit in ours.search(encoded[0].applied, asked.k, filters)]
    if not asked.plain:
        return hits, []
    plain = encoded[1].vector
    unread = searcher.with_vector(plain, plain, index=index, settings=SearchSettings(plan=False))
    return hits, [dataclasses.asdict(hit) for hit in unread.search(asked.query, asked.k, filters)]


def _write(service: Service, name: str, documents: Any, encoded: list[Encoded], abandoned: Event) -> None:
    import numpy as np

    from boolattn.retrieval.index.protocol import Rows

    rows = Rows(
        [each.doc_id for each in documents],
        [each.title for each in documents],
        [each.text for each in documents],
        np.stack([each.vector for each in encoded]),
        [each.metadata for each in documents],
        "service",
    )
    WatchedIndex(service.searcher(name, abandoned).index, abandoned).upsert(rows)
    service.wrote(name)


def _delete(service: Service, name: str, ids: list[str], abandoned: Event) -> None:
    WatchedIndex(service.searcher(name, abandoned).index, abandoned).delete(ids)
    service.wrote(name)


def _understood(reading: Reading, applied: Reading, options: ReadingOptions) -> dict[str, Any]:
    plan = search_plan(applied, options)
    return {"reading": reading.to_dict(), "plan": plan.to_dict(), "acts": bool(applied.exclusions)}


def _json(value: Any) -> Response:
    return Response(msgspec.json.encode(value), media_type="application/json")
