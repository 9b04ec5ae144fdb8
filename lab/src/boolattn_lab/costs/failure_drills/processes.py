"""The real commands, each in a process of its own that can be killed at any moment."""

import multiprocessing
import os
import resource
import runpy
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE = 300.0
"""Seconds after which a command counts as hung."""
TRACEBACK = "Traceback (most recent call last)"
_FRAMES = str.maketrans("│╭╮╰╯─", "      ")

# Its children have imported most of what they need, but share no state. Engines are not imported in advance: they start
# threads, which do not survive a fork.
_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(
    ["boolattn.cli", "boolattn.retrieval.shards.encoding", "boolattn.retrieval.search.searcher"]
)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: its exit code, how long it took, and what it printed."""

    code: int
    seconds: float
    said: str

    @property
    def crashed(self) -> bool:
        """Whether it ended in a traceback instead of a message."""
        return TRACEBACK in self.said


class Running:
    """A process that was started."""

    def __init__(self, log: Path, target: Callable[..., None], *given: Any) -> None:
        """Start a function in a new process; what it prints goes to a file."""
        self._log, self._began = log, time.monotonic()
        self._process = _SERVER.Process(target=_logged, args=(log, target, *given))
        self._process.start()

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.is_alive()

    def killed_after(self, seconds: float) -> bool:
        """Kill it, as kill -9 does, after a time; return whether it was still running then."""
        self._process.join(seconds)
        self._process.kill()
        self._process.join()
        return bool(self._process.exitcode and self._process.exitcode < 0)

    def ended(self) -> Ended:
        """Wait until it ends by itself; one that hangs is killed."""
        self._process.join(PATIENCE)
        self._process.kill()
        self._process.join()
        code = self._process.exitcode
        return Ended(-1 if code is None else code, time.monotonic() - self._began, self.said)

    @property
    def said(self) -> str:
        """What it has printed, without the frames around messages."""
        said = self._log.read_text(errors="replace") if self._log.exists() else ""
        return " ".join(said.translate(_FRAMES).split())


def command(log: Path, *arguments: str, file_bytes: int | None = None) -> Running:
    """Start ``boolattn`` with these arguments.

    Args:
        log: A file for what it prints.
        *arguments: As on a command line.
        file_bytes: How large the files that it writes may become, if there is a limit.
    """
    return Running(log, _boolattn, arguments, file_bytes)


def _boolattn(arguments: tuple[str, ...], file_bytes: int | None) -> None:
    if file_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, resource.RLIM_INFINITY))
    sys.argv = ["boolattn", *arguments]
    runpy.run_module("boolattn", run_name="__main__", alter_sys=True)


def _logged(log: Path, target: Callable[..., None], *given: Any) -> None:
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(file, 2)
    target(*given)
