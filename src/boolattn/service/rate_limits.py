"""What all worker processes share, in small files in memory: rate limits, one token bucket per key, and counters."""

import fcntl
import mmap
import os
import struct
import time
from pathlib import Path

_BUCKET = struct.Struct("=dd")  # tokens left, and when that was


class SharedRateLimits:
    """Token buckets in a file that every worker maps; the kernel releases the lock of a worker that dies."""

    def __init__(self, path: str | Path, keys: int) -> None:
        """Open the file, or make it, with one bucket per key."""
        size = max(keys, 1) * _BUCKET.size
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        if os.fstat(self._file).st_size < size:
            os.truncate(self._file, size)  # zeros: a bucket that was never used
        self._map = mmap.mmap(self._file, size)

    def take(self, place: int, per_minute: int) -> float:
        """Take one token of a key; return 0, or the seconds until there is one.

        Args:
            place: Of the key.
            per_minute: How many tokens a minute the bucket gets; it holds as many as ten seconds bring, at least one.
        """
        if per_minute <= 0:
            return 0.0
        rate, start = per_minute / 60, place * _BUCKET.size
        most = max(1.0, 10 * rate)
        fcntl.lockf(self._file, fcntl.LOCK_EX, _BUCKET.size, start)
        try:
            left, since = _BUCKET.unpack_from(self._map, start)
            now = time.monotonic()  # the same clock for all processes of a machine
            left = most if since == 0 or now < since else min(most, left + (now - since) * rate)
            wait = 0.0 if left >= 1 else (1 - left) / rate
            _BUCKET.pack_into(self._map, start, left - (0 if wait else 1), now)
            return wait
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN, _BUCKET.size, start)

    def close(self) -> None:
        """Close the file."""
        self._map.close()
        os.close(self._file)


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
