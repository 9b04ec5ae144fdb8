"""The real service, as a process of its own."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.forked import Forked

ROOT = Path(__file__).parents[2]
LONGEST_START = 300  # seconds; the machine may be busy


@dataclass(frozen=True)
class Running:
    url: str
    process: Forked | subprocess.Popen[bytes]
    log: Path

    def post(self, path, body, **more):
        return httpx.post(self.url + path, json=body, timeout=60, **more)

    def workers(self) -> list[int]:
        """Return the processes that serve: forked by a child of the supervisor."""
        [parent] = [pid for pid, command in _children(self.process.pid) if "forkserver" in command]
        return [pid for pid, _ in _children(parent)]

    def cpu_seconds(self) -> float:
        """Return the CPU time that the service has used so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def terminate(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(LONGEST_START)


@contextmanager
def running(
    folder: Path, *flags: str, ready: bool = True, command: list[str] | None = None, **variables: str
) -> Iterator[Running]:
    """Start the service on a free port, by a command of its own if given, and stop it."""
    log = folder / f"serve-{time.monotonic_ns()}.log"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "HF_HUB_OFFLINE": "1", **variables}
    serve = ["-m", "boolattn", "serve", "--port", "0", *flags]
    process: Forked | subprocess.Popen[bytes]
    if command or "--workers" in flags:  # several workers are processes that start by themselves
        with log.open("wb") as output:
            command = command or [sys.executable, *serve]
            process = subprocess.Popen(command, stdout=output, stderr=output, env=environment, cwd=folder)
    else:
        process = Forked(*serve, stdout=log, stderr=log, env=environment, cwd=folder)
        log.touch()
    try:
        url = _url(process, log)
        if ready:
            _wait(process, log, url + "/readyz")
        yield Running(url, process, log)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(LONGEST_START)
            except subprocess.TimeoutExpired:
                process.kill()


def _children(pid: int) -> list[tuple[int, str]]:
    found = subprocess.run(["ps", "-ww", "-o", "pid=,stat=,args=", "--ppid", str(pid)], capture_output=True)
    lines = [line.split(maxsplit=2) for line in found.stdout.decode().splitlines()]
    return [(int(child), command) for child, state, command in lines if not state.startswith("Z")]


def settings_shown(log: Path) -> dict[str, object]:
    return json.loads(log.read_text().splitlines()[0])["settings"]


def _url(process, log) -> str:
    deadline = time.monotonic() + LONGEST_START
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text()
        if found := re.search(r"running on (http://\S+)", log.read_text()):
            return found[1]
        time.sleep(0.1)
    raise AssertionError(log.read_text())


def _wait(process, log, url) -> None:
    deadline = time.monotonic() + LONGEST_START
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text()
        try:
            if httpx.get(url, timeout=20).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    raise AssertionError(log.read_text())
