"""Run the service with uvicorn: several workers, and an end that loses no accepted request."""

import asyncio
import ctypes
import json
import logging
import multiprocessing
import os
import shutil
import signal
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from time import monotonic
from typing import Any

import uvicorn
from uvicorn._subprocess import subprocess_started
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import Multiprocess, Process

from boolattn.service.settings import SETTINGS_VARIABLE, ServiceSettings, SettingsError, to_json, with_runtime

log = logging.getLogger("uvicorn.error")
KEEP_ALIVE = 75
"""Seconds until an idle connection is closed: longer than a load balancer keeps one (mostly 60), so that it is the one
to close it. The other way round, a request that is on its way while the service closes the connection is lost."""
_FORKS = multiprocessing.get_context("forkserver")


class DrainingServer(uvicorn.Server):
    """Keeps serving for a while after SIGTERM, telling every client to close its connection.

    So that a client that sends its next request on an open connection is answered, and not cut off.
    """

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Drain, then stop accepting, then finish what was accepted."""
        service = _service_of(self.config)
        if service is not None and not self.force_exit:
            service.draining = True
            await asyncio.sleep(service.settings.drain)
            await self._stop_accepting(sockets or [])
            await self._until_clients_leave(service.settings.drain)
        await super().shutdown(sockets)

    async def _stop_accepting(self, sockets: list[socket.socket]) -> None:
        """Close the sockets, and keep the connections that wait in them: closing would reset those."""
        if self.config.workers == 1:  # other workers may still accept from the same sockets
            for each in sockets:
                _drop_new_connections(each)
        waiting = [connection for each in sockets for connection in _waiting_in(each)]
        for server in self.servers:
            server.close()
        for each in sockets:
            each.close()
        for connection in waiting:
            await asyncio.get_running_loop().connect_accepted_socket(self._protocol, connection)

    async def _until_clients_leave(self, most: float) -> None:
        """Wait for clients that have connected but not sent their request yet; each leaves once it is answered."""
        end = monotonic() + most
        while self.server_state.connections and monotonic() < end and not self.force_exit:
            await asyncio.sleep(0.02)

    def _protocol(self) -> asyncio.Protocol:
        made: Any = self.config.http_protocol_class
        protocol: asyncio.Protocol = made(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return protocol


class Worker(Process):
    """A worker process that drains."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket]) -> None:
        """Describe it, forked from a process that has imported what takes longest, as the other workers are."""
        super().__init__(config, sockets)
        started: Any = _FORKS.Process(target=subprocess_started, args=(config, self.target, sockets, None))
        self.process = started

    @property
    def server(self) -> uvicorn.Server:
        """The server of this worker."""
        if self._server is None:
            self._server = DrainingServer(self.config)
        return self._server


class Workers(Multiprocess):
    """Starts workers, replaces those that die, and ends them together."""

    failed = False

    def init_processes(self) -> None:
        """Start all."""
        for _ in range(self.processes_num):
            self.processes.append(self._started())

    def terminate_all(self) -> None:
        """Tell all workers to stop, and let go of the sockets.

        When the last worker closes its copy, connections are refused, and do not wait for a process that accepts none.
        """
        super().terminate_all()
        for each in self.sockets:
            each.close()

    def keep_subprocess_alive(self) -> None:
        """Replace workers that died."""
        if self.should_exit.is_set():
            return
        from boolattn.service import metrics

        for place, process in enumerate(self.processes):
            if process.process.is_alive():
                continue
            process.join()
            if process.exitcode == STARTUP_FAILURE:  # and every other would fail in the same way
                log.error("a worker cannot start: see above")
                self.failed = True
                self.should_exit.set()
                return
            log.warning("worker %s ended with %s: starting another", process.pid, process.exitcode)
            self.processes[place] = self._started()
            metrics.forget_dead(each.pid for each in self.processes if each.pid is not None)

    def _started(self) -> Process:
        process = Worker(self.config, self.sockets)
        process.start()
        return process


def serve(settings: ServiceSettings) -> None:
    """Serve until SIGTERM or SIGINT."""
    if settings.runtime is not None:
        _serve(settings, settings.runtime)
        return
    runtime = mkdtemp(prefix="boolattn-")

    def end(number: int, _frame: Any) -> None:
        """End by the signal, as uvicorn does when it has shut down, but leave no folder behind."""
        shutil.rmtree(runtime, ignore_errors=True)
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    signal.signal(signal.SIGTERM, end)
    try:
        _serve(with_runtime(settings, runtime), runtime)
    finally:
        shutil.rmtree(runtime, ignore_errors=True)


def _serve(settings: ServiceSettings, runtime: str) -> None:
    measured = Path(runtime, "metrics")
    measured.mkdir(parents=True, exist_ok=True)
    for left in measured.glob("*.db"):  # of an earlier run
        left.unlink()
    # Before anything imports prometheus_client, which looks for the folder only once.
    os.environ |= {"PROMETHEUS_MULTIPROC_DIR": str(measured), SETTINGS_VARIABLE: to_json(settings)}
    # Queries are short: with a second thread, a worker serves half as many of them. More workers use more cores.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    print(json.dumps({"settings": settings.shown()}), file=sys.stderr, flush=True)
    config = uvicorn.Config(
        "boolattn.service.app:app_of_worker",
        factory=True,
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=int(settings.timeout) + 5,
    )
    sockets = [config.bind_socket()]
    if settings.workers == 1:
        DrainingServer(config).run(sockets)
        return
    _FORKS.set_forkserver_preload([] if settings.upstream else ["sentence_transformers"])
    workers = Workers(config, sockets)
    try:
        workers.run()
    except OSError as error:
        if "AF_UNIX path too long" not in str(error):
            raise
        raise SettingsError(
            f"the path of the temporary folder {gettempdir()} is too long for a socket: set TMPDIR to a folder with a "
            "shorter one"
        ) from error
    if workers.failed:
        sys.exit(STARTUP_FAILURE)


def _drop_new_connections(listening: socket.socket) -> None:
    """Ignore clients that try to connect to a socket; closing it then refuses them.

    Otherwise, closing would reset a client that connects between the last accept and the close.
    """
    if not sys.platform.startswith("linux"):
        return
    attach_filter = 26  # SO_ATTACH_FILTER, which Python does not name
    drop = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0))  # BPF: return 0, that is, keep no byte
    with suppress(OSError):  # a sandbox may forbid it
        listening.setsockopt(socket.SOL_SOCKET, attach_filter, struct.pack("@HP", 1, ctypes.addressof(drop)))


def _waiting_in(listening: socket.socket) -> Iterator[socket.socket]:
    """Accept all connections that wait in a socket."""
    while True:
        try:
            connection, _ = listening.accept()
        except (BlockingIOError, InterruptedError):
            return
        connection.setblocking(False)
        yield connection


def _service_of(config: uvicorn.Config) -> Any:
    """Return the state of the application that a server runs, below its middleware."""
    app: Any = config.loaded_app
    while app is not None and not hasattr(app, "state"):
        app = getattr(app, "app", None)
    return None if app is None else app.state.service
