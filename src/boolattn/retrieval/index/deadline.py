"""How long the caller of an index still waits, so that an engine does not work for nobody."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ENDS: ContextVar[float | None] = ContextVar("ends", default=None)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Let all calls of an engine in this context end within some seconds."""
    token = _ENDS.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _ENDS.reset(token)


def timeout_of(seconds: float) -> float:
    """Return how long a call may take that would be given so many seconds: no longer than its caller waits."""
    ends = _ENDS.get()
    return seconds if ends is None else min(seconds, max(ends - time.monotonic(), 0.001))
