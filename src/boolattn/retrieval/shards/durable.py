"""Atomic writes: a file is complete or absent, even after a crash or a power cut."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a temporary path with a unique name; the file is renamed to ``path`` once it is on disk."""
    aside = path.with_name(f"{path.name}.{secrets.token_hex(8)}.part")
    try:
        yield aside
        _sync(aside)  # otherwise, the rename may reach the disk before the content
        aside.replace(path)
        _sync(path.parent)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
