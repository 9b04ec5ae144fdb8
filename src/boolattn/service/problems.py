"""Errors as clients see them: RFC 9457, or text-embeddings-inference's form on its own routes."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import msgspec
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

TEI_PATHS = frozenset({"/", "/embed", "/rerank", "/info", "/health"})
PROBLEM = "application/problem+json"
_TEI_TYPES = {429: "Overloaded", 503: "Unhealthy", 504: "Backend", 500: "Backend"}


class Problem(HTTPException):
    """Something a client is told, with the status of the answer.

    It is an ``HTTPException`` so that FastAPI passes it on where it reads a body.
    """

    def __init__(self, status: int, detail: str, *, retry_after: float | None = None, **more: Any) -> None:
        """Note the status, the mistake and the fix, and any further members."""
        headers = {} if retry_after is None else {"Retry-After": str(max(1, round(retry_after)))}
        super().__init__(status, detail, headers)
        self.more = more


def too_large(detail: str) -> Problem:
    """Return the problem of a request that exceeds a limit."""
    return Problem(413, detail)


def answer(path: str, status: int, detail: str, headers: Mapping[str, str] | None = None, **more: Any) -> Response:
    """Return the answer to a request that failed."""
    body: dict[str, Any]
    if path in TEI_PATHS:
        body = {"error": detail, "error_type": _TEI_TYPES.get(status, "Validation")}
        return Response(msgspec.json.encode(body), status, dict(headers or {}), "application/json")
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    body |= {"message": detail, **more}  # where OpenAI's and Cohere's clients look for it
    return Response(msgspec.json.encode(body), status, dict(headers or {}), PROBLEM)


def add_handlers(app: FastAPI) -> None:
    """Answer every error in these forms."""

    async def said(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return answer(
            request.url.path, error.status_code, str(error.detail), error.headers, **getattr(error, "more", {})
        )

    async def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        faults = [_fault(each) for each in error.errors()]
        detail = "; ".join(f"{each['field']}: {each['message']}" for each in faults[:5])
        if "json" not in request.headers.get("content-type", ""):
            detail += "; send the header Content-Type: application/json"
        return answer(request.url.path, 422, detail, errors=faults)

    async def unexpected(request: Request, error: Exception) -> Response:
        return answer(request.url.path, 500, "the server failed; its log says why")

    app.add_exception_handler(HTTPException, said)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(Exception, unexpected)


def _fault(error: Mapping[str, Any]) -> dict[str, str]:
    """Return one mistake in a request, without what was sent: it may be large, secret or not valid Unicode."""
    place: Sequence[Any] = error.get("loc", ())
    field = ".".join(str(part) for part in place if part != "body") or "body"
    return {"field": _safe(field), "message": _safe(str(error.get("msg", "")).removeprefix("Value error, "))}


def _safe(text: str) -> str:
    return text.encode(errors="replace").decode()[:300]
