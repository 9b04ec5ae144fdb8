"""What all routes share: the encoder's queue, the indexes, and limits."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, TypeVar, cast

from starlette.requests import Request

from boolattn.retrieval.index.description import MissingIndexError
from boolattn.retrieval.index.protocol import Index, WrongIndexError
from boolattn.service.batching import Batcher
from boolattn.service.engine_calls import EngineCalls, require_awaited
from boolattn.service.jobs import Encoded, Encoder, Job, TextTooLongError, UpstreamError
from boolattn.service.problems import Problem, too_large
from boolattn.service.rate_limits import SharedCounters
from boolattn.service.settings import ServiceSettings, SettingsError

if TYPE_CHECKING:
    from boolattn.retrieval.search.searcher import Searcher

Answer = TypeVar("Answer")
log = logging.getLogger("boolattn.service")
MOST_READING = 64
"""How many requests may wait to be read or explained, in each worker."""


class Service:
    """The state of one worker."""

    def __init__(self, settings: ServiceSettings, encoder: Encoder) -> None:
        """Take the settings and the loaded model."""
        self.settings, self.encoder = settings, encoder
        self.batcher = Batcher(
            encoder,
            batch=settings.batch,
            gather=settings.gather_ms / 1000,
            slots=settings.queue,
            patience=settings.max_wait,
        )
        self.draining = False
        self._reading = 0
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="reader")
        self._searchers: dict[str, Searcher] = {}
        # Of each index its own, so that one that does not answer stalls no other one.
        self._engines = {name: EngineCalls(settings.engine_calls, settings.timeout) for name in settings.indexes}
        self._opening = {name: Lock() for name in settings.indexes}
        self._writes, self._seen = None, dict[str, int]()
        if settings.runtime and settings.indexes:
            self._writes = SharedCounters(Path(settings.runtime, "writes"), len(settings.indexes))

    def index_name(self, asked: str | None) -> str:
        """Return the name of an index that the service was started with; no other is ever opened."""
        known = self.settings.indexes
        if asked is None and len(known) == 1:
            return next(iter(known))
        if asked is None or asked not in known:
            told = ", ".join(known) or "none"
            raise Problem(404, f"no such index; this service has: {told}")
        return asked

    def searcher(self, name: str, abandoned: Event) -> "Searcher":
        """Return the searcher of an index; it is opened at its first use, and again after a failure. Blocks."""
        from boolattn.retrieval.index.open_index import open_index
        from boolattn.retrieval.search.searcher import Searcher

        with self._opening[name]:
            require_awaited(abandoned)  # it may have waited long for the lock
            if name not in self._searchers:
                model: Any = getattr(self.encoder, "model")  # noqa: B009  # only a local model searches
                index = open_index(self.settings.indexes[name])
                self._searchers[name] = Searcher(model, index, documents=self.settings.documents)
            self._see_writes(name, self._searchers[name].index)
            return self._searchers[name]

    def check_indexes(self) -> None:
        """Raise if an index can never be searched with this model; one that is down or not made yet may come."""
        names = self.settings.indexes if hasattr(self.encoder, "model") else ()
        opening = {name: self._engines[name].submit(partial(self.searcher, name), Event()) for name in names}
        wait(opening.values(), self.settings.timeout)
        for name, future in opening.items():
            try:
                future.result(timeout=0)
            except (MissingIndexError, OSError) as error:
                log.warning("index %s: %s", name, str(error) or f"no answer within {self.settings.timeout:g} s")
            except WrongIndexError as error:
                raise SettingsError(f"index {name!r}: {error}") from error

    def wrote(self, name: str) -> None:
        """Tell all workers that an index has changed."""
        if self._writes is not None:
            self._writes.increase(list(self.settings.indexes).index(name))

    def _see_writes(self, name: str, index: Index) -> None:
        """See what other workers have written: an engine may show a reader an older view for a while."""
        if self._writes is None:
            return
        now = self._writes.get(list(self.settings.indexes).index(name))
        if self._seen.get(name, 0) != now:
            index.refresh()
            self._seen[name] = now

    async def encode(self, request: Request, jobs: Sequence[Job]) -> list[Encoded]:
        """Encode texts for a request, within the limits and its time."""
        self.require_texts([job.text for job in jobs])
        try:
            return await self.until_gone(request, self.batcher.encode(jobs))
        except TextTooLongError as error:
            raise too_large(str(error)) from error
        except UpstreamError as error:
            raise Problem(503, "the upstream server does not answer: try again later", retry_after=5) from error
        except ValueError as error:
            raise Problem(422, str(error)) from error

    async def in_thread(self, request: Request, call: Callable[[], Answer]) -> Answer:
        """Run something that takes a while, such as reading a query, off the event loop."""
        if self._reading >= MOST_READING:
            raise Problem(429, f"{self._reading} queries are waiting to be read: try again later", retry_after=1)
        self._reading += 1
        try:
            return await self.until_gone(request, asyncio.get_running_loop().run_in_executor(self._threads, call))
        except ValueError as error:
            raise Problem(422, str(error)) from error

        finally:
            self._reading -= 1

    async def in_engine(self, request: Request, name: str, call: Callable[[Event], Answer]) -> Answer:
        """Run something that asks an index."""
        try:
            return await self.until_gone(request, self._engines[name].run(name, call))
        except ValueError as error:
            raise Problem(422, str(error)) from error

    async def close(self) -> None:
        """Stop, once every request has its answer."""
        await self.batcher.close()
        for engine in self._engines.values():
            engine.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def require_texts(self, texts: Sequence[str]) -> None:
        """Refuse too many texts, and texts that are too long."""
        if len(texts) > self.settings.max_batch:
            raise too_large(f"{len(texts)} texts in one request, and at most {self.settings.max_batch} are allowed")
        longest = max(map(len, texts), default=0)
        if longest > self.settings.max_text:
            raise too_large(f"a text has {longest:,} characters, and at most {self.settings.max_text:,} are allowed")

    async def until_gone(self, request: Request, work: Awaitable[Answer]) -> Answer:
        """Wait for work, but no longer than the client does, nor than the time limit."""
        task = asyncio.ensure_future(work)
        gone = asyncio.ensure_future(_gone(request))
        both: set[asyncio.Future[Any]] = {task, gone}
        try:
            await asyncio.wait(both, timeout=self.settings.timeout, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            if gone.done():
                raise Problem(408, "the client closed the connection")
            raise Problem(504, f"the request took longer than {self.settings.timeout:g} s")
        finally:
            gone.cancel()
            task.cancel()


async def _gone(request: Request) -> None:
    """Return once the client has closed its connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def service_of(request: Request) -> Service:
    """Return the state of the worker that serves a request."""
    return cast(Service, request.app.state.service)
