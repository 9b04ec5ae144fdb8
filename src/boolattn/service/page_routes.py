"""Serve the page and its parts."""

from importlib.resources import files

from fastapi import APIRouter
from starlette.responses import Response

from boolattn.service.gate import PAGE
from boolattn.service.problems import Problem

router = APIRouter(include_in_schema=False)  # a page for people, not part of the API
_TYPES = {
    "index.html": "text/html; charset=utf-8",
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
# Read once: a request only ever selects one of these, it never names a file to open.
_PARTS = {name: files("boolattn.service").joinpath("page", name).read_bytes() for name in _TYPES}


@router.api_route("/", methods=["GET", "HEAD"])
async def page() -> Response:
    """Return the page."""
    return _part("index.html")


@router.api_route(PAGE + "{name}", methods=["GET", "HEAD"])
async def part(name: str) -> Response:
    """Return the page's style, script or icon."""
    if name not in _PARTS or name == "index.html":
        raise Problem(404, "the page has no such part")
    return _part(name)


def _part(name: str) -> Response:
    return Response(_PARTS[name], media_type=_TYPES[name])
