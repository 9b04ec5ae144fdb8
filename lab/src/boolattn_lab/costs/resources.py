"""Disk, memory and CPU time of a process, and a process of its own for a measurement. Imports no torch."""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

MB = 1024**2


@dataclass(frozen=True)
class Server:
    """The process behind an index that runs as a server.

    Attributes:
        process: Its process ID.
        folder: Its data folder.
    """

    process: int
    folder: Path


def in_new_process(call: Callable[..., dict[str, Any]], *given: Any) -> dict[str, Any]:
    """Return the result of a function that runs alone in a process."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(call, given)


def disk_mb(folder: Path) -> float:
    """Return the size of all files in a folder."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):  # a server removes files at any time
            total += path.stat().st_size if path.is_file() else 0
    return total / MB


def cpu_seconds(process: int) -> float:
    """Return the CPU time of a process so far: unlike seconds, it hardly depends on what else the machine does."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mb(process: int | str, field: str) -> float:
    """Return the memory of a process now (``VmRSS``) or at its peak (``VmHWM``)."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    [line] = [line for line in status.splitlines() if line.startswith(field)]
    return int(line.split()[1]) / 1024
