"""Whether the service is alive and ready, what it serves, and its metrics."""

from functools import partial
from threading import Event
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from boolattn.service import metrics
from boolattn.service.documented import PROBLEMS, TEI_PROBLEMS
from boolattn.service.embedding_routes import QUERY_SUFFIX
from boolattn.service.problems import Problem
from boolattn.service.state import Service, service_of
from boolattn.version import __version__

router = APIRouter(tags=["status"])
_PLAIN: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {}}}}


@router.get("/healthz", response_class=PlainTextResponse)
async def healthz() -> str:
    """Whether the process answers."""
    return "ok"


@router.get("/readyz", response_class=PlainTextResponse, responses=PROBLEMS)
async def readyz(request: Request) -> str:
    """Whether it can serve: the model is loaded, every index answers, and it is not stopping."""
    service = service_of(request)
    if service.draining:
        raise Problem(503, "the service is stopping", retry_after=5)
    for name in service.settings.indexes:
        await service.in_engine(request, name, partial(_asked, service, name))
    return "ready"


@router.get("/health", response_class=PlainTextResponse, responses=TEI_PROBLEMS)
async def health(request: Request) -> str:
    """As text-embeddings-inference's."""
    if service_of(request).draining:
        raise Problem(503, "the service is stopping", retry_after=5)
    return "ok"


@router.get("/metrics", response_class=PlainTextResponse, responses=_PLAIN | PROBLEMS)
async def measured() -> Response:
    """Metrics of all workers, for Prometheus."""
    return Response(metrics.exposition(), media_type="text/plain; version=0.0.4; charset=utf-8")


@router.get("/info", responses=TEI_PROBLEMS)
async def info(request: Request) -> dict[str, Any]:
    """What is served, as text-embeddings-inference says it."""
    service = service_of(request)
    settings, encoder = service.settings, service.encoder
    return {
        "model_id": encoder.name,
        "model_sha": None,
        "model_dtype": "float32",
        "model_type": {"embedding": {"pooling": encoder.pooling}},
        "max_concurrent_requests": settings.queue,
        "max_input_length": encoder.longest,
        "max_batch_requests": settings.batch,
        "max_client_batch_size": settings.max_batch,
        "auto_truncate": True,
        "dimension": encoder.dimension,
        "indexes": list(settings.indexes),
        "documents": settings.documents,
        "version": __version__,
    }


@router.get("/v1/models", responses=PROBLEMS)
async def models(request: Request) -> dict[str, Any]:
    """The two names of the model: for documents, and for queries."""
    name = service_of(request).encoder.name
    names = (name, name + QUERY_SUFFIX)
    return {
        "object": "list",
        "data": [{"id": each, "object": "model", "created": 0, "owned_by": "boolattn"} for each in names],
    }


def _asked(service: Service, name: str, abandoned: Event) -> None:
    service.searcher(name, abandoned).index.refresh()  # asks the engine; a description may be a few seconds old
