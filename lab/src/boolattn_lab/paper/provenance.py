"""The provenance of results: code, libraries and machine."""

import os
import subprocess
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("boolattn", "torch", "transformers", "sentence-transformers")


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """What produced some results, when, and how long it took.

    Attributes:
        commit: The commit of this code's checkout, if any.
        versions: Package -> version.
        cpus: Number of CPUs.
        started: Start time, UTC.
        seconds: Time from start to results.
    """

    commit: str | None
    versions: dict[str, str]
    cpus: int | None
    started: str
    seconds: float

    @classmethod
    def since(cls, started: float) -> "Provenance":
        """Describe this process, which started the work at the given ``time.time()``."""
        return cls(
            commit=commit(),
            versions=versions(),
            cpus=os.cpu_count(),
            started=datetime.fromtimestamp(started, UTC).isoformat(timespec="seconds"),
            seconds=round(time.time() - started, 1),
        )


def versions() -> dict[str, str]:
    """Return the versions of packages that results depend on."""
    return {name: version(name) for name in PACKAGES}


def commit() -> str | None:
    """Return the commit of this code's checkout, if any."""
    git = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
