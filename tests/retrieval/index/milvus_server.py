"""A real Milvus server for tests, with nothing of it reachable but one port on loopback."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
PYTHON = ROOT / ".venv-milvus" / "bin" / "python"


@dataclass(frozen=True)
class MilvusProcess:
    uri: str
    process: subprocess.Popen[str]

    def kill(self) -> None:
        self._say("kill")

    def start(self) -> None:
        self._say("start")

    def hang(self) -> None:
        self._say("stop")

    def go_on(self) -> None:
        self._say("continue")

    def _say(self, word: str) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        print(word, file=self.process.stdin, flush=True)
        assert self.process.stdout.readline() == "done\n"


@contextmanager
def milvus_server(folder: Path) -> Iterator[MilvusProcess]:
    assert PYTHON.exists(), "no Milvus server to test with: run .ci/setup"
    unpacked = PYTHON.parent.parent / "unpacked"  # the server's own 250 MB, once for all runs
    unpacked.mkdir(exist_ok=True)
    (folder / "bin").symlink_to(unpacked)
    socket = folder / "socket"
    command = ["unshare", "--map-root-user", "--net", str(PYTHON), str(Path(__file__).with_name("serve_milvus.py"))]
    with (folder / "stderr").open("w") as stderr:
        process = subprocess.Popen(
            [*command, str(folder), str(socket)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n", (folder / "stderr").read_text()
        with _loopback(socket) as port:
            yield MilvusProcess(f"milvus://127.0.0.1:{port}", process)
    finally:
        process.communicate(timeout=30)  # its stdin ends, and so does it


@contextmanager
def _loopback(socket: Path) -> Iterator[int]:
    command = [sys.executable, str(Path(__file__).with_name("relay.py")), str(socket)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.kill()
