"""Embeddings in three protocols: OpenAI's, text-embeddings-inference's (TEI) and Cohere's."""

import base64
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import msgspec
import numpy as np
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from boolattn.service.documented import PROBLEMS, TEI_PROBLEMS
from boolattn.service.jobs import Encoded, Job, Role, Vector
from boolattn.service.problems import Problem
from boolattn.service.schemas import (
    CohereAnswer,
    CohereEmbed,
    HowToEmbed,
    OpenAIAnswer,
    OpenAIEmbeddings,
    TeiEmbed,
    TeiReadings,
)
from boolattn.service.state import Service, service_of

QUERY_SUFFIX = "-query"
router = APIRouter(tags=["embeddings"])


@router.post("/v1/embeddings", response_model=OpenAIAnswer, responses=PROBLEMS)
async def openai_embeddings(asked: OpenAIEmbeddings, request: Request) -> Response:
    """Embed texts as OpenAI does; the suffix ``-query`` of the model's name marks queries."""
    service = service_of(request)
    role = _role(asked.model, service.encoder.name)
    texts = [asked.input] if isinstance(asked.input, str) else asked.input
    jobs = _jobs(service, texts, role, asked, normalise=asked.dimensions is not None, dimensions=asked.dimensions)
    found = await service.encode(request, jobs)
    written = _base64 if asked.encoding_format == "base64" else _floats
    data: list[dict[str, Any]] = [
        {"object": "embedding", "index": place, "embedding": written(each.vector)} for place, each in enumerate(found)
    ]
    if asked.reading:
        for row, each in zip(data, found, strict=True):
            row["reading"] = _reading(each)
    tokens = sum(each.tokens for each in found)
    name = service.encoder.name + (QUERY_SUFFIX if role == "query" else "")
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return _json({"object": "list", "data": data, "model": name, "usage": usage})


@router.post("/embed", response_model=list[list[float]] | TeiReadings, responses=TEI_PROBLEMS)
@router.post("/", response_model=list[list[float]] | TeiReadings, responses=TEI_PROBLEMS)
async def tei_embed(asked: TeiEmbed, request: Request) -> Response:
    """Embed texts as text-embeddings-inference does; ``prompt_name: "query"`` marks queries."""
    service = service_of(request)
    texts = [asked.inputs] if isinstance(asked.inputs, str) else asked.inputs
    role: Role = "query" if asked.prompt_name == "query" else "document"
    jobs = _jobs(
        service,
        texts,
        role,
        asked,
        normalise=asked.normalize is not False,
        dimensions=asked.dimensions,
        truncate=asked.truncate is not False,
    )
    found = await service.encode(request, jobs)
    vectors = [_floats(each.vector) for each in found]
    if asked.reading:
        return _json({"embeddings": vectors, "readings": [_reading(each) for each in found]})
    return _json(vectors)


@router.post("/v2/embed", response_model=CohereAnswer, responses=PROBLEMS)
async def cohere_embed(asked: CohereEmbed, request: Request) -> Response:
    """Embed texts as Cohere does; ``input_type: "search_query"`` marks queries."""
    service = service_of(request)
    role: Role = "query" if asked.input_type == "search_query" else "document"
    jobs = _jobs(
        service,
        asked.texts,
        role,
        asked,
        normalise=asked.output_dimension is not None,
        dimensions=asked.output_dimension,
        truncate=asked.truncate != "NONE",
    )
    found = await service.encode(request, jobs)
    forms = {"float": _floats, "base64": _base64}
    answer: dict[str, Any] = {
        "id": str(uuid4()),
        "embeddings": {
            kind: [forms[kind](each.vector) for each in found] for kind in asked.embedding_types or ["float"]
        },
        "texts": asked.texts,
        "meta": {
            "api_version": {"version": "2"},
            "billed_units": {"input_tokens": sum(each.tokens for each in found)},
        },
    }
    if asked.reading:
        answer["readings"] = [_reading(each) for each in found]
    return _json(answer)


def _role(model: str, served: str) -> Role:
    """Return what a model's name says about the texts; any name is accepted, except one that looks mistyped.

    Otherwise a mistyped suffix would silently embed queries as documents, without reading them.
    """
    if model.endswith(QUERY_SUFFIX):
        return "query"
    mistyped = model.startswith((f"{served}-", f"{served}_")) or model.lower().endswith("query")
    if mistyped and model != served:
        raise Problem(404, f"no such model: use {served}{QUERY_SUFFIX} for queries, or {served} for documents")
    return "document"


def _jobs(
    service: Service,
    texts: Sequence[str],
    role: Role,
    asked: HowToEmbed,
    *,
    normalise: bool,
    dimensions: int | None = None,
    truncate: bool = True,
) -> list[Job]:
    """Return what the encoder is asked, or refuse it."""
    if not texts:
        raise Problem(422, "there is no text to embed: send at least one")
    most = service.encoder.dimension
    if dimensions is not None and most is not None and dimensions > most:
        raise Problem(422, f"dimensions is {dimensions}, and the model's vectors have {most}")
    exclude = asked.exclude
    if exclude is not None and role == "document":
        raise Problem(422, "exclude has no effect on documents: mark the texts as queries, or remove it")
    if exclude is not None and len(exclude) != len(texts):
        raise Problem(422, f"{len(texts)} queries, but exclude has {len(exclude)} entries: send one list per query")
    named = exclude if exclude is not None else [None] * len(texts)
    options = asked.options(service.encoder.options)
    return [
        Job(text, role, normalise, dimensions, options, words, in_full=asked.reading, truncate=truncate)
        for text, words in zip(texts, named, strict=True)
    ]


def _floats(vector: Vector) -> list[float]:
    found: list[float] = vector.tolist()  # float64 holds every float32 exactly
    return found


def _base64(vector: Vector) -> str:
    return base64.b64encode(np.ascontiguousarray(vector, "<f4").tobytes()).decode()


def _reading(encoded: Encoded) -> dict[str, Any] | None:
    """Return what was read of a query, and which exclusions changed its vector; None for a document."""
    if encoded.reading is None or encoded.applied is None:
        return None
    acted = [each.text for each in encoded.applied.exclusions]
    return encoded.reading.to_dict() | {"acted_on": acted}


def _json(value: Any) -> Response:
    return Response(msgspec.json.encode(value), media_type="application/json")
