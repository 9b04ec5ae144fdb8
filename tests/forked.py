"""Python processes that start at once: their parent has imported sentence-transformers, which takes ten seconds."""

import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(["sentence_transformers"])


class Forked:
    """A process that has imported nothing of boolattn; it is used as one of subprocess.Popen."""

    def __init__(self, *command: str, stdout: Path, stderr: Path, env: dict[str, str], cwd: Path) -> None:
        self._process = _SERVER.Process(target=_python, args=(command, stdout, stderr, env, cwd))
        self._process.start()
        self.pid: int = self._process.pid  # type: ignore[assignment]  # it has been started

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            assert timeout is not None
            raise subprocess.TimeoutExpired("python", timeout)
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        self._process.kill()


def run_python(*command: str, env: dict[str, str] | None = None, cwd: Path | None = None, check: bool = True):
    """Do as subprocess.run does with ``python ...``, and capture what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        stdout, stderr = Path(folder, "stdout"), Path(folder, "stderr")
        process = Forked(*command, stdout=stdout, stderr=stderr, env=env or dict(os.environ), cwd=cwd or Path.cwd())
        done = subprocess.CompletedProcess(command, process.wait(), stdout.read_text(), stderr.read_text())
    assert not check or done.returncode == 0, done.stderr
    return done


def _python(command, stdout, stderr, env, cwd) -> None:
    for path, number in ((stdout, 1), (stderr, 2)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    if command[0] == "-m":
        sys.argv = list(command[1:])
        runpy.run_module(command[1], run_name="__main__", alter_sys=True)
    elif command[0] == "-c":
        sys.argv = ["-c", *command[2:]]
        exec(compile(command[1], "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.argv = list(command)
        runpy.run_path(command[0], run_name="__main__")
