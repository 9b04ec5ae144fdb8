"""Clients of a service: each asks one query after the other, or all together at a fixed rate."""

import asyncio
import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import urlopen

import numpy as np

QUERIES = (
    "tallest building in the world",
    "why does my cat not eat",
    "how to cook rice",
    "movies set in Vietnam but not about war",
    "python web frameworks",
    "cheap flights to rome in september",
    "what is the capital of france",
    "best laptop for students",
    "symptoms of flu in children under five years",
    "how to tie a tie step by step with pictures",
    "who wrote the old man and the sea",
    "weather tomorrow",
    "difference between a lake and a pond",
    "how long does it take to learn the piano as an adult",
    "excel formula to count cells that contain text",
    "vegan lasagna recipe",
)
"""Mostly ordinary queries, as in real traffic; one excludes something."""
ORDINARY = tuple(query for query in QUERIES if "but not" not in query)
"""Queries that exclude nothing; one of them passes the screen, so that the learned reader is asked."""


@dataclass
class Seen:
    """What clients saw.

    Attributes:
        statuses: How many answers of each status; ``"lost"`` for connections that broke.
        seconds: How long each served request took.
        refused_seconds: How long each refusal (429) took.
        finished: When each served request was finished.
        begun: When the phase began.
        sending: How many seconds requests were sent.
    """

    statuses: Counter[int | str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    refused_seconds: list[float] = field(default_factory=list)
    finished: list[float] = field(default_factory=list)
    begun: float = field(default_factory=time.perf_counter)
    sending: float = 0.0

    @property
    def rate(self) -> float:
        """Requests served a second while others were sent, without the first third, in which the queue fills."""
        first, last = self.begun + self.sending / 3, self.begun + self.sending
        return sum(first <= at <= last for at in self.finished) / (last - first)

    def percentile(self, share: float) -> float:
        """Return a percentile of the latency of served requests, in milliseconds."""
        return float(np.percentile(self.seconds, share)) * 1000 if self.seconds else float("nan")

    def summary(self) -> dict[str, Any]:
        """Return the figures."""
        refused = float(np.percentile(self.refused_seconds, 99)) * 1000 if self.refused_seconds else None
        return {
            "served_per_second": round(self.rate, 1),
            "statuses": {str(status): count for status, count in self.statuses.items()},
            "p50_ms": round(self.percentile(50), 1),
            "p99_ms": round(self.percentile(99), 1),
            "refusal_p99_ms": refused and round(refused, 1),
        }


@dataclass(frozen=True)
class Server:
    """A service to ask."""

    host: str
    port: int
    process: int

    def resident(self) -> float:
        """Return the memory of the service and its workers, in MB."""
        listed = subprocess.run(["ps", "-o", "rss=", "--pid", str(self.process), "--ppid", str(self.process)],
                                capture_output=True, text=True, check=True)  # fmt: skip
        return sum(map(int, listed.stdout.split())) / 1000


@contextmanager
def served(*flags: str) -> Iterator[Server]:
    """Start a service on a free port of this machine, and stop it."""
    with TemporaryDirectory() as folder:
        log = Path(folder, "log")
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "boolattn", "serve", "--port", "0", *flags], stdout=output, stderr=output
            )
        try:
            host, port = _address(process, log)
            yield Server(host, port, process.pid)
        finally:
            process.terminate()
            process.wait(60)


def _address(process: "subprocess.Popen[bytes]", log: Path) -> tuple[str, int]:
    for _ in range(1200):
        if process.poll() is not None:
            raise RuntimeError(f"the service did not start: {log.read_text()}")
        found = re.search(r"running on http://([\d.]+):(\d+)", log.read_text())
        if found:
            try:
                urlopen(f"http://{found[1]}:{found[2]}/readyz", timeout=5).close()
                return found[1], int(found[2])
            except OSError:
                pass
        time.sleep(0.1)
    raise RuntimeError(f"the service is not ready: {log.read_text()}")


class Client:
    """One connection; as little work as possible, because it shares the cores with the service."""

    def __init__(self, server: Server, model: str, queries: Sequence[str] = QUERIES) -> None:
        """Ask a server for vectors of a model's queries or documents."""
        self._server, self._streams = server, None
        self._requests = [_request(server, {"input": query, "model": model}) for query in queries]

    async def ask(self, number: int, seen: Seen) -> None:
        """Send one query, and note what came back."""
        begun = time.perf_counter()
        try:
            if self._streams is not None and self._streams[0].at_eof():  # closed while idle, as HTTP allows
                self.close()
            if self._streams is None:
                self._streams = await asyncio.open_connection(self._server.host, self._server.port)
            status = await self._answered(self._requests[number % len(self._requests)])
        except (OSError, asyncio.IncompleteReadError, ValueError):
            seen.statuses["lost"] += 1
            self.close()
            return
        seconds = time.perf_counter() - begun
        seen.statuses[status] += 1
        if status == 200:
            seen.seconds.append(seconds)
            seen.finished.append(begun + seconds)
        elif status == 429:
            seen.refused_seconds.append(seconds)

    def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    _streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None

    async def _answered(self, request: bytes) -> int:
        assert self._streams is not None
        reader, writer = self._streams
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        found = re.search(rb"(?i)content-length: (\d+)", head)
        if found is None:
            raise ValueError("an answer without a length")
        await reader.readexactly(int(found[1]))
        return int(head[9:12])


def _request(server: Server, body: dict[str, Any]) -> bytes:
    content = json.dumps(body).encode()
    head = (
        f"POST /v1/embeddings HTTP/1.1\r\nHost: {server.host}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content


async def closed_loop(
    server: Server, clients: int, seconds: float, model: str = "m-query", queries: Sequence[str] = QUERIES
) -> Seen:
    """Let clients ask one query after the other for a while."""
    seen = Seen()
    begun, seen.sending = seen.begun, seconds

    async def ask(first: int) -> None:
        client, number = Client(server, model, queries), first
        while time.perf_counter() - begun < seconds:
            await client.ask(number, seen)
            number += 1
        client.close()

    await asyncio.gather(*(ask(5 * place) for place in range(clients)))
    return seen


async def open_loop(
    server: Server, rate: float, seconds: float, memory: list[tuple[float, float]] | None = None
) -> Seen:
    """Send queries at a fixed rate, however long the answers take.

    Args:
        server: Which service.
        rate: Queries a second.
        seconds: How long.
        memory: If given, gets the service's memory in MB every few seconds.
    """
    seen = Seen()
    begun = seen.begun
    free: list[Client] = []
    tasks: set[asyncio.Task[None]] = set()

    async def ask(number: int) -> None:
        client = free.pop() if free else Client(server, "m-query")
        await client.ask(number, seen)
        free.append(client)

    sampled = 0.0
    for number in range(int(rate * seconds)):
        delay = begun + number / rate - time.perf_counter()
        if delay > 0:
            await asyncio.sleep(delay)
        task = asyncio.create_task(ask(number))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        now = time.perf_counter() - begun
        if memory is not None and now - sampled >= min(5.0, seconds / 10):
            sampled = now
            memory.append((now, await asyncio.to_thread(server.resident)))
    seen.sending = time.perf_counter() - begun
    await asyncio.gather(*tasks)
    for client in free:
        client.close()
    return seen
