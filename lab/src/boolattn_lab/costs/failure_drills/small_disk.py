"""A disk that is too small, and becomes larger when asked to."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_ENOUGH = "256m"


class SmallDisk:
    """A folder on a small file system in memory or, where mounting is not permitted, with small files only.

    Attributes:
        file_bytes: The limit that processes must set for the files they write; None if the file system is the limit.
    """

    def __init__(self, folder: Path, size: int) -> None:
        """Mount a file system of so many bytes on an empty folder."""
        self._folder = folder
        self.mounted = self._mount(f"size={size}")
        self.file_bytes = None if self.mounted else size // 50  # files are many

    def enlarge(self) -> None:
        """Make room."""
        self.file_bytes = None
        if self.mounted and not self._mount(f"remount,size={_ENOUGH}"):
            raise OSError(f"cannot enlarge the file system on {self._folder}")

    def close(self) -> None:
        """Remove the file system and what is on it."""
        if self.mounted:
            subprocess.run(["umount", "--lazy", self._folder], check=True)

    def _mount(self, options: str) -> bool:
        try:
            done = subprocess.run(
                ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(self._folder)], capture_output=True
            )
        except FileNotFoundError:
            return False
        return done.returncode == 0


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[SmallDisk]:
    """Give a small disk in a new folder."""
    folder.mkdir()
    disk = SmallDisk(folder, size)
    try:
        yield disk
    finally:
        disk.close()
