"""Calls of an index: in threads, a bounded number at a time, with timeouts, and abandoned where nobody waits."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import TypeVar

from boolattn.retrieval.index.deadline import within
from boolattn.retrieval.index.description import MissingIndexError
from boolattn.retrieval.index.protocol import Filter, Hit, Index, IndexDescription, Rows, Vectors, WrongIndexError
from boolattn.retrieval.write_lock import BusyError
from boolattn.service import metrics
from boolattn.service.problems import Problem

Answer = TypeVar("Answer")
log = logging.getLogger("boolattn.service")


class AbandonedError(RuntimeError):
    """Nobody waits for the answer any more."""


def require_awaited(abandoned: Event) -> None:
    """Raise if nobody waits for a request."""
    if abandoned.is_set():
        raise AbandonedError("the request was abandoned")


class WatchedIndex:
    """What a search needs of an index: every call is measured, and none begins once the request is abandoned."""

    def __init__(self, index: Index, abandoned: Event) -> None:
        """Watch the calls of one request."""
        self._index, self._abandoned = index, abandoned
        self.has_text = index.has_text

    def describe(self) -> IndexDescription:
        """Return what the index contains."""
        return self._call(self._index.describe)

    def search(self, vector: Vectors, k: int, where: Sequence[Filter] = ()) -> list[Hit]:
        """Return the k nearest to a vector."""
        return self._call(lambda: self._index.search(vector, k, where))

    def nearest(self, vectors: Vectors, k: int, where: Sequence[Filter] = ()) -> Rows:
        """Return the k documents nearest to each vector."""
        return self._call(lambda: self._index.nearest(vectors, k, where))

    def search_text(self, text: str, k: int, where: Sequence[Filter] = ()) -> list[Hit]:
        """Return the k best by BM25."""
        return self._call(lambda: self._index.search_text(text, k, where))

    def fetch(self, ids: Sequence[str]) -> Rows:
        """Return documents."""
        return self._call(lambda: self._index.fetch(ids))

    def upsert(self, rows: Rows) -> None:
        """Write documents."""
        self._call(lambda: self._index.upsert(rows))

    def delete(self, ids: Sequence[str]) -> None:
        """Remove documents."""
        self._call(lambda: self._index.delete(ids))

    def _call(self, call: Callable[[], Answer]) -> Answer:
        require_awaited(self._abandoned)
        with metrics.timed("engine"):
            return call()


class EngineCalls:
    """Runs what asks one index, in threads."""

    def __init__(self, calls: int, timeout: float) -> None:
        """Allow so many calls at a time, each for so many seconds."""
        self._threads = ThreadPoolExecutor(calls, thread_name_prefix="engine")
        self._running, self._most, self._timeout = 0, 4 * calls, timeout

    async def run(self, name: str, call: Callable[[Event], Answer]) -> Answer:
        """Return the answer; ``Problem`` 503 if the engine is down or all calls are taken, 504 if it takes too long.

        Args:
            name: Of the index, as clients know it.
            call: Is given an event that is set once nobody waits.
        """
        if self._running >= self._most:
            raise Problem(503, f"the index {name!r} is slow, and too many requests wait for it", retry_after=2)
        abandoned = Event()
        self._running += 1
        future = self.submit(call, abandoned)
        loop = asyncio.get_running_loop()
        future.add_done_callback(lambda _: loop.call_soon_threadsafe(self._ended))
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._timeout)
        except TimeoutError as error:
            raise Problem(504, f"the index {name!r} did not answer within {self._timeout:g} s") from error
        except (WrongIndexError, BusyError, OSError) as error:
            raise _unavailable(name, error) from error
        finally:
            abandoned.set()

    def submit(self, call: Callable[[Event], Answer], abandoned: Event) -> Future[Answer]:
        """Begin a call as soon as a thread is free."""
        return self._threads.submit(self._in_time, call, abandoned)

    def _in_time(self, call: Callable[[Event], Answer], abandoned: Event) -> Answer:
        with within(self._timeout):
            return call(abandoned)

    def close(self) -> None:
        """Let running calls end."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _ended(self) -> None:
        self._running -= 1


def _unavailable(name: str, error: Exception) -> Problem:
    """Return what a client is told, without the index's address; the log has the rest."""
    log.warning("index %s: %s", name, error)
    said = str(error).lower()
    if "disk is full" in said or "no space left" in said:
        return Problem(507, f"the disk of the index {name!r} is full: free some space, and send this again")
    if isinstance(error, BusyError):
        return Problem(503, f"another process is writing to the index {name!r}: try again later", retry_after=30)
    if isinstance(error, MissingIndexError):
        return Problem(503, f"the index {name!r} does not exist: try again once it has been made", retry_after=30)
    if isinstance(error, WrongIndexError):
        return Problem(503, f"the index {name!r} does not fit the service's model; its log says why")
    return Problem(503, f"the index {name!r} is not available: try again later", retry_after=5)
