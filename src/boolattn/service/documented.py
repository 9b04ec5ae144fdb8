"""The failures of every route, for OpenAPI."""

from typing import Any

from boolattn.service.problems import PROBLEM
from boolattn.service.schemas import ProblemDetails, TeiError

_MEANINGS = {
    400: "The body is not JSON.",
    401: "No API key, or an unknown one.",
    403: "The key does not allow this.",
    404: "No such index or route.",
    408: "The client did not wait for the answer.",
    413: "The request exceeds a limit.",
    422: "The request is not as described.",
    429: "Too many requests, or the queue is full: try again after Retry-After seconds.",
    503: "The engine or the upstream server is not available: try again after Retry-After seconds.",
    504: "It took too long.",
    507: "The disk is full.",
}


def _told(status: int) -> dict[str, Any]:
    return {
        "description": _MEANINGS[status],
        "content": {PROBLEM: {"schema": ProblemDetails.model_json_schema()}},
    }


def _told_as_tei(status: int) -> dict[str, Any]:
    return {"description": _MEANINGS[status], "model": TeiError}


Responses = dict[int | str, dict[str, Any]]
_ALL = (400, 401, 403, 404, 408, 413, 422, 429, 503, 504)
PROBLEMS: Responses = {status: _told(status) for status in _ALL}
WRITE_PROBLEMS: Responses = PROBLEMS | {507: _told(507)}
TEI_PROBLEMS: Responses = {status: _told_as_tei(status) for status in _ALL}
