"""One writer at a time: an advisory lock that names its owner and does not survive a crash."""

import fcntl
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

LOOKED_EVERY = 0.005
"""Seconds between attempts to get a lock."""


class BusyError(OSError):
    """Another process is writing to the same place."""


@dataclass(frozen=True, slots=True)
class LockOwner:
    """Who holds a lock, and since when."""

    host: str
    process: int
    since: float  # seconds since 1970

    @classmethod
    def now(cls) -> "LockOwner":
        """Return this process."""
        return cls(socket.gethostname(), os.getpid(), time.time())

    def busy_error(self, what: str) -> BusyError:
        """Return the error for another process that tries to write."""
        minutes = max(0, time.time() - self.since) / 60
        return BusyError(
            f"{what} is being written by process {self.process} on {self.host}, for {minutes:.0f} minutes now: wait "
            f"until it is done, or stop it, and run this again"
        )


@contextmanager
def write_lock(path: Path, what: str, wait: float = 0) -> Iterator[None]:
    """Hold a lock file; ``BusyError`` if another writer keeps it. The system releases it when the process ends.

    Args:
        path: The lock file, which is removed afterwards.
        what: What it protects, for messages.
        wait: Seconds to wait for another writer, which may be a thread of this process.
    """
    with _locked(path, what, time.monotonic() + wait) as file:
        try:
            file.truncate(0)
            file.write(msgspec.json.encode(LockOwner.now()))
            file.flush()
            yield
        finally:
            path.unlink(missing_ok=True)


def _locked(path: Path, what: str, until: float) -> BinaryIO:
    """Return the lock file, opened and locked."""
    while True:
        file = path.open("a+b")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The former owner may have removed the file after it was opened here; it would then lock nothing.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                    return file
            file.close()
        except BlockingIOError:
            if time.monotonic() >= until:
                raise _owner(file).busy_error(what) from None
            file.close()
            time.sleep(LOOKED_EVERY)
        except BaseException:
            file.close()
            raise


def _owner(file: BinaryIO) -> LockOwner:
    with file:
        file.seek(0)
        try:
            return msgspec.json.decode(file.read(), type=LockOwner)
        except msgspec.DecodeError:  # it is being written
            return LockOwner("this or another machine", 0, time.time())
