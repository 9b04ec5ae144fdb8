"""Rate limits that all worker processes share: one token bucket per key, in a small file in memory."""

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
