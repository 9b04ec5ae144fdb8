"""What every request passes before a route sees it: size, key, scope, rate; and what every answer gets."""

from time import perf_counter
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from boolattn.service import metrics
from boolattn.service.keys import Keys
from boolattn.service.problems import Problem, answer, too_large
from boolattn.service.rate_limits import SharedRateLimits
from boolattn.service.state import Service

PUBLIC = frozenset({"/", "/healthz", "/readyz", "/health", "/openapi.json"})
"""What needs no key, if it is asked for by GET: nothing there says anything about queries or documents."""
PAGE = "/page/"
"""Where the parts of the page are, which need no key either."""
EMBEDDING = frozenset({"/v1/embeddings", "/embed", "/", "/v2/embed"})
"""What waits for the encoder alone: refused before its body is read while too many wait, because refusing must cost
little when there is most to refuse."""
WRITING = frozenset({"PUT", "DELETE", "PATCH"})
SAFE_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
}


class Gate:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, service: Service, keys: Keys | None, rates: SharedRateLimits | None) -> None:
        """Take what it protects; without keys, everybody who reaches the service may do everything."""
        self._app, self._service, self._keys, self._rates = app, service, keys, rates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = perf_counter(), 500

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in SAFE_HEADERS.items():
                    headers.setdefault(name, value)
                if self._service.draining:
                    headers["Connection"] = "close"  # so that a client's next request goes to another server
            await send(message)

        try:
            self._require_key(scope)
            if scope["method"] == "POST" and scope["path"] in EMBEDDING:
                self._service.batcher.require_room()
            await self._app(scope, self._limited(scope, receive), sent)
        except Problem as problem:
            refused = answer(scope["path"], problem.status_code, str(problem.detail), problem.headers)
            await refused(scope, receive, sent)
        finally:
            _count(scope, status, perf_counter() - begun)

    def _require_key(self, scope: Scope) -> None:
        if self._keys is None or self._rates is None or _is_public(scope):
            return
        scheme, _, given = Headers(scope=scope).get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not given:
            raise _unauthorised("no API key: send it as Authorization: Bearer KEY")
        found = self._keys.find(given.strip())
        if found is None:
            raise _unauthorised("this API key is unknown")
        place, key = found
        needed = "write" if scope["method"] in WRITING else "read"
        if needed not in key.scopes:
            raise Problem(403, f"this API key does not allow to {needed}")
        wait = self._rates.take(place, key.per_minute)
        if wait:
            raise Problem(429, f"this API key allows {key.per_minute} requests a minute", retry_after=wait)

    def _limited(self, scope: Scope, receive: Receive) -> Receive:
        """Return ``receive`` with a limit on the body's size, whatever its header says."""
        most, seen = self._service.settings.max_body, 0
        refusal = too_large(f"the body is larger than {most:,} bytes")
        declared = Headers(scope=scope).get("content-length", "")
        if declared.isdecimal() and int(declared) > most:
            raise refusal

        async def received() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > most:
                raise refusal
            return message

        return received


def _is_public(scope: Scope) -> bool:
    path = scope["path"]
    return scope["method"] in ("GET", "HEAD") and (path in PUBLIC or path.startswith(PAGE))


def _unauthorised(detail: str) -> Problem:
    problem = Problem(401, detail)
    problem.headers = {"WWW-Authenticate": "Bearer"}
    return problem


def _count(scope: Scope, status: int, seconds: float) -> None:
    route: Any = scope.get("route")
    early = scope["path"] if scope["path"] in EMBEDDING else "other"  # refused before there was a route
    path = getattr(route, "path", early)  # never what a client invents: labels must stay few
    labels = scope["method"] if scope["method"] in ("GET", "POST", "PUT", "DELETE") else "other", path
    metrics.REQUESTS.labels(*labels).inc()
    if status < 400:
        metrics.SUCCESSES.labels(*labels).inc()
    else:
        metrics.FAILURES.labels(*labels, str(status)).inc()
    metrics.DURATION.labels(path).observe(seconds)
