"""Counters that all worker processes share, in a small file in memory."""

import fcntl
import mmap
import os
import struct
from pathlib import Path

_COUNT = struct.Struct("=q")


class SharedCounters:
    """Numbers that only grow; a worker sees at once what another one counted."""

    def __init__(self, path: str | Path, counters: int) -> None:
        """Open the file, or make it, with all counters at 0."""
        size = max(counters, 1) * _COUNT.size
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        if os.fstat(self._file).st_size < size:
            os.truncate(self._file, size)
        self._map = mmap.mmap(self._file, size)

    def get(self, place: int) -> int:
        """Return a counter."""
        return int(_COUNT.unpack_from(self._map, place * _COUNT.size)[0])

    def increase(self, place: int) -> None:
        """Add one; the kernel releases the lock of a worker that dies meanwhile."""
        start = place * _COUNT.size
        fcntl.lockf(self._file, fcntl.LOCK_EX, _COUNT.size, start)
        try:
            _COUNT.pack_into(self._map, start, self.get(place) + 1)
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN, _COUNT.size, start)
