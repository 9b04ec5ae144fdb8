"""One queue of texts for the encoder: those of many requests are encoded together, and a full queue refuses at once."""

import asyncio
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

from boolattn.service import metrics
from boolattn.service.jobs import Encoded, Encoder, Job
from boolattn.service.problems import Problem


class _Waiting:
    """The texts of one request that wait, and what is known of the others."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.jobs, self.next, self.missing = list(jobs), 0, len(jobs)
        self.found: list[Encoded | Exception | None] = [None] * len(jobs)
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.since = perf_counter()

    @property
    def left(self) -> int:
        return len(self.jobs) - self.next


class Batcher:
    """Gathers texts into batches.

    A batch starts as soon as the encoder is free. Only if the batch before had several texts, so that several clients
    are active, it waits a few milliseconds for as many. Requests take turns, text by text, so that a single query does
    not wait behind a thousand documents.
    """

    def __init__(self, encoder: Encoder, *, batch: int, gather: float, slots: int, patience: float) -> None:
        """Start with an empty queue.

        Args:
            encoder: Encodes each batch, in a thread.
            batch: The most texts in a batch.
            gather: Seconds that a batch waits for more texts.
            slots: How many texts may wait.
            patience: Seconds that a new request may have to wait for its first turn.
        """
        self.encoder, self._batch, self._gather = encoder, batch, gather
        self._slots, self._patience = slots, patience
        self._waiting: deque[_Waiting] = deque()
        self._queued, self._running, self._last = 0, 0, 1
        self._arrived = asyncio.Event()
        self._threads = ThreadPoolExecutor(encoder.threads, thread_name_prefix="encoder")
        self._free = asyncio.Semaphore(encoder.threads)
        self._speed = 0.01  # seconds per text, measured as it goes
        self._loop: asyncio.Task[None] | None = None
        self._batches: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Begin to encode what arrives."""
        self._loop = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Stop; requests that still wait get an answer first."""
        while self._queued or self._batches:
            await asyncio.sleep(0.01)
        if self._loop is not None:
            self._loop.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)

    @property
    def queued(self) -> int:
        """How many texts wait."""
        return self._queued

    def require_room(self, texts: int = 1) -> None:
        """Raise ``Problem`` 429 if a request with some texts would have to be refused now."""
        wait = len(self._waiting) * self._speed  # requests take turns: only one text of each comes first
        if self._queued + texts > self._slots or wait > self._patience:
            raise Problem(
                429,
                f"{len(self._waiting)} requests with {self._queued} texts are waiting: try again later",
                retry_after=wait,
            )

    async def encode(self, jobs: Sequence[Job]) -> list[Encoded]:
        """Return the vectors of texts; ``Problem`` 429 at once if the queue is full.

        A caller that is cancelled takes its texts out of the queue.
        """
        self.require_room(len(jobs))
        if not jobs:
            return []
        waiting = _Waiting(jobs)
        self._waiting.append(waiting)
        self._count(len(jobs))
        self._arrived.set()
        try:
            await waiting.done
        finally:
            if waiting.left:  # cancelled: nobody waits for these
                self._count(-waiting.left)
                waiting.next = len(waiting.jobs)
                if waiting in self._waiting:
                    self._waiting.remove(waiting)
        return [_or_raise(each) for each in waiting.found]

    def _count(self, change: int) -> None:
        self._queued += change
        metrics.QUEUE.inc(change)

    async def _run(self) -> None:
        while True:
            await self._free.acquire()
            while not self._queued:
                self._arrived.clear()
                await self._arrived.wait()
            await self._gathered()
            taken = self._take()
            if not taken:  # all of them were cancelled meanwhile
                self._free.release()
                continue
            task = asyncio.create_task(self._encode(taken))
            self._batches.add(task)
            task.add_done_callback(self._batches.discard)

    async def _gathered(self) -> None:
        """Wait a little for as many texts as the last batch had."""
        wanted = min(self._last, self._batch)
        deadline = perf_counter() + self._gather
        while self._queued < wanted and (left := deadline - perf_counter()) > 0:
            self._arrived.clear()
            try:
                await asyncio.wait_for(self._arrived.wait(), left)
            except TimeoutError:
                return

    def _take(self) -> list[tuple[_Waiting, int]]:
        """Take the next texts, one of each request in turn."""
        taken: list[tuple[_Waiting, int]] = []
        while self._waiting and len(taken) < self._batch:
            waiting = self._waiting.popleft()
            taken.append((waiting, waiting.next))
            waiting.next += 1
            if waiting.left:
                self._waiting.append(waiting)
        self._count(-len(taken))
        self._last = len(taken)
        return taken

    async def _encode(self, taken: list[tuple[_Waiting, int]]) -> None:
        begun = perf_counter()
        metrics.BATCH.observe(len(taken))
        for waiting, _ in taken:
            metrics.STAGES.labels("queue").observe(begun - waiting.since)
        jobs = [waiting.jobs[place] for waiting, place in taken]
        found: Sequence[Encoded | Exception]
        try:
            found = await asyncio.get_running_loop().run_in_executor(self._threads, self.encoder.encode, jobs)
        except Exception as error:
            found = [error] * len(jobs)
        finally:
            self._free.release()
        self._speed = 0.8 * self._speed + 0.2 * (perf_counter() - begun) / len(taken)
        for (waiting, place), each in zip(taken, found, strict=True):
            waiting.found[place] = each
            waiting.missing -= 1
            if not waiting.missing and not waiting.done.done():
                waiting.done.set_result(None)


def _or_raise(found: Encoded | Exception | None) -> Encoded:
    if isinstance(found, Encoded):
        return found
    raise found if found is not None else RuntimeError("a text was not encoded")
